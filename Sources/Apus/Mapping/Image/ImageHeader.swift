package import Documents

/// The format and size that an image's first bytes declare.
struct ImageHeader {
    let format: ImageFormat
    /// Nil if the header does not declare it or is cut off.
    let size: ImageSize?

    /// Nil if the bytes are not an image of a known format.
    init?(_ bytes: DocumentBytes) {
        let header = HeaderBytes(bytes)
        guard let format = Self.format(of: header, bytes) else { return nil }
        self.format = format
        let size: ImageSize? =
            switch format {
            case .png: header.bigSize(16)
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

    /// "BM" could also begin a text, so the size of the second header is checked too.
    private static func isBitmap(_ header: HeaderBytes) -> Bool {
        [12, 40, 52, 56, 108, 124].contains(header.little32(14))
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
        // A negative height means that the rows begin at the top.
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

/// An image format, detected from the first bytes.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG.
    case jpeg
    /// Graphics Interchange Format; only the first frame of an animation is read.
    case gif
    /// Windows bitmap.
    case bmp
    /// WebP.
    case webp
    /// Scalable Vector Graphics.
    case svg
    /// AV1 in the High Efficiency Image File Format.
    case avif
    /// HEVC in the High Efficiency Image File Format.
    case heic
    /// Windows icon; its size is that of the largest picture.
    case ico

    /// The format of the bytes; nil if they are not an image of a known format.
    package init?(of bytes: DocumentBytes) {
        guard let header = ImageHeader(bytes) else { return nil }
        self = header.format
    }

    /// The usual name, such as "PNG".
    public var name: String {
        switch self {
        case .png: "PNG"
        case .jpeg: "JPEG"
        case .gif: "GIF"
        case .bmp: "BMP"
        case .webp: "WebP"
        case .svg: "SVG"
        case .avif: "AVIF"
        case .heic: "HEIC"
        case .ico: "ICO"
        }
    }

    /// Whether Apus can decode the pixels and not only read the size.
    public var hasReadablePixels: Bool {
        switch self {
        case .png, .jpeg, .gif, .bmp: true
        case .webp, .svg, .avif, .heic, .ico: false
        }
    }
}

/// A width and a height in pixels.
public struct ImageSize: Sendable, Hashable {
    /// How many pixels a row has.
    public let width: Int
    /// How many rows there are.
    public let height: Int

    /// A size in pixels.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// The number of pixels, or `Int.max` if that would overflow.
    public var pixelCount: Int {
        let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
        return isTooLarge ? .max : count
    }
}

/// Reads numbers from a header; nil if their bytes are missing.
struct HeaderBytes {
    private let bytes: DocumentBytes

    init(_ bytes: DocumentBytes) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(offset: Int) -> UInt8? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return bytes.withUnsafeBytes { $0[offset] }
    }

    func holds(_ expected: String, at offset: Int) -> Bool {
        holds(Array(expected.utf8), at: offset)
    }

    func holds(_ expected: [UInt8], at offset: Int) -> Bool {
        expected.indices.allSatisfy { self[offset + $0] == expected[$0] }
    }

    func big16(_ offset: Int) -> Int? { number([0, 1], offset) }
    func big32(_ offset: Int) -> Int? { number([0, 1, 2, 3], offset) }
    func big64(_ offset: Int) -> Int? { number([0, 1, 2, 3, 4, 5, 6, 7], offset) }
    func little16(_ offset: Int) -> Int? { number([1, 0], offset) }
    func little24(_ offset: Int) -> Int? { number([2, 1, 0], offset) }
    func little32(_ offset: Int) -> Int? { number([3, 2, 1, 0], offset) }

    /// The size in a width and a height of four bytes each.
    func bigSize(_ offset: Int) -> ImageSize? {
        guard let width = big32(offset), let height = big32(offset + 4) else { return nil }
        return ImageSize(width: width, height: height)
    }

    /// The number in the bytes at these indices, counted from `offset`, most significant first; nil if a byte
    /// is missing or it overflows.
    private func number(_ places: [Int], _ offset: Int) -> Int? {
        var value: UInt64 = 0
        for place in places {
            guard let byte = self[offset + place] else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }
}
