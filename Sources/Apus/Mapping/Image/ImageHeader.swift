import Documents

/// What an image's first bytes say.
struct ImageHeader {
    let format: ImageFormat
    /// Nil if it is not in the header, or the header is cut.
    let size: ImageSize?

    /// Nil if the bytes are no image of a known format.
    init?(_ bytes: DocumentBytes) {
        let header = HeaderBytes(bytes)
        guard let format = Self.format(of: header, bytes) else { return nil }
        self.format = format
        let size: ImageSize? =
            switch format {
            case .png: Self.size(atBig: 16, header)
            case .gif: Self.gifSize(header)
            case .bmp: Self.bmpSize(header)
            case .jpeg: JPEGHeader.size(header)
            case .webp: WebPHeader.size(header)
            case .avif, .heic: BoxHeader.size(header)
            case .ico: Self.icoSize(header)
            case .svg: SVGHeader.size(bytes)
            }
        self.size = size.flatMap { $0.width > 0 && $0.height > 0 ? $0 : nil }
    }

    private static func format(of header: HeaderBytes, _ bytes: DocumentBytes) -> ImageFormat? {
        if header.holds([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) { return .png }
        if header.holds([0xFF, 0xD8, 0xFF], at: 0) { return .jpeg }
        if header.holds("GIF87a", at: 0) || header.holds("GIF89a", at: 0) { return .gif }
        if header.holds("RIFF", at: 0), header.holds("WEBP", at: 8) { return .webp }
        if header.holds("ftyp", at: 4) { return BoxHeader.format(header) }
        if header.holds([0, 0, 1, 0], at: 0), (header.little16(4) ?? 0) > 0 { return .ico }
        if header.holds("BM", at: 0), isBitmap(header) { return .bmp }
        return SVGHeader.isSVG(bytes) ? .svg : nil
    }

    /// Two letters are too few to tell a bitmap from a text: its second header's size tells more.
    private static func isBitmap(_ header: HeaderBytes) -> Bool {
        [12, 40, 52, 56, 108, 124].contains(header.little32(14))
    }

    private static func size(atBig offset: Int, _ header: HeaderBytes) -> ImageSize? {
        guard let width = header.big32(offset), let height = header.big32(offset + 4) else {
            return nil
        }
        return ImageSize(width: width, height: height)
    }

    private static func gifSize(_ header: HeaderBytes) -> ImageSize? {
        guard let width = header.little16(6), let height = header.little16(8) else { return nil }
        return ImageSize(width: width, height: height)
    }

    private static func bmpSize(_ header: HeaderBytes) -> ImageSize? {
        if header.little32(14) == 12 {
            guard let width = header.little16(18), let height = header.little16(20) else {
                return nil
            }
            return ImageSize(width: width, height: height)
        }
        guard let width = header.little32(18), let height = header.little32(22) else { return nil }
        // A negative height says that the rows begin at the top.
        let rows = Int(Int32(truncatingIfNeeded: height)).magnitude
        return ImageSize(width: width, height: Int(rows))
    }

    private static func icoSize(_ header: HeaderBytes) -> ImageSize? {
        let count = header.little16(4) ?? 0
        let sizes = (0..<count).compactMap { index -> ImageSize? in
            let entry = 6 + index * 16
            guard let width = header[entry], let height = header[entry + 1] else { return nil }
            // 0 stands for 256.
            return ImageSize(
                width: width == 0 ? 256 : Int(width),
                height: height == 0 ? 256 : Int(height)
            )
        }
        return sizes.max { $0.pixelCount < $1.pixelCount }
    }
}
