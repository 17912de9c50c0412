import Documents

/// The format and size of an AVIF or HEIC image, from its boxes (ISO/IEC 14496-12 and 23008-12).
enum BoxHeader {
    /// Reading stops after this many boxes; a valid header has fewer.
    private static let mostBoxes = 4096

    static func format(_ header: HeaderBytes) -> ImageFormat? {
        guard let length = header.big32(0) else { return nil }
        // The major brand, and after its version the compatible brands.
        let brands = [8] + Array(stride(from: 16, to: min(length, 256), by: 4))
        for brand in brands {
            if header.holds("avif", at: brand) || header.holds("avis", at: brand) { return .avif }
            if header.holds("heic", at: brand) || header.holds("heix", at: brand) { return .heic }
        }
        return nil
    }

    /// The size of the largest picture, because tiles and previews are smaller.
    static func size(_ header: HeaderBytes) -> ImageSize? {
        var budget = mostBoxes
        guard let meta = boxes(in: 0..<header.count, header, &budget).first(named: "meta"),
            // Four bytes of version and flags come before its boxes.
            let properties = boxes(in: meta.dropFirst(4), header, &budget).first(named: "iprp"),
            let list = boxes(in: properties, header, &budget).first(named: "ipco")
        else { return nil }
        let sizes = boxes(in: list, header, &budget).filter { $0.name == "ispe" }.compactMap {
            header.bigSize($0.content.lowerBound + 4)
        }
        return sizes.max { $0.pixelCount < $1.pixelCount }
    }

    struct Box {
        let name: String
        let content: Range<Int>
    }

    private static func boxes(
        in range: Range<Int>,
        _ header: HeaderBytes,
        _ budget: inout Int
    ) -> [Box] {
        var found: [Box] = []
        var at = range.lowerBound
        while budget > 0, at + 8 <= range.upperBound, let short = header.big32(at) {
            budget -= 1
            // Length 1: eight bytes of length follow the name. Length 0: the box extends to the end.
            let head = short == 1 ? 16 : 8
            let length =
                short == 1 ? header.big64(at + 8) : short == 0 ? range.upperBound - at : short
            guard let length, length >= head, length <= range.upperBound - at else { break }
            let name = String(decoding: (4..<8).compactMap { header[at + $0] }, as: UTF8.self)
            found.append(Box(name: name, content: at + head..<at + length))
            at += length
        }
        return found
    }
}

extension [BoxHeader.Box] {
    fileprivate func first(named name: String) -> Range<Int>? {
        first { $0.name == name }?.content
    }
}

/// The size in a JPEG's frame header (ITU-T T.81, B.2.2).
enum JPEGHeader {
    static func size(_ header: HeaderBytes) -> ImageSize? {
        var at = 2
        while header[at] == 0xFF, let marker = header[at + 1] {
            switch marker {
            // Fill bytes before a marker.
            case 0xFF: at += 1
            // Markers without a segment.
            case 0x01, 0xD0...0xD8: at += 2
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard let height = header.big16(at + 5), let width = header.big16(at + 7) else {
                    return nil
                }
                return ImageSize(width: width, height: height)
            default:
                guard let length = header.big16(at + 2), length >= 2 else { return nil }
                at += 2 + length
            }
        }
        return nil
    }
}

/// The size that an SVG's root element declares (SVG 2, section 8).
enum SVGHeader {
    /// The root element must begin within this many bytes.
    private static let window = 4096

    static func isSVG(_ bytes: DocumentBytes) -> Bool {
        let start = bytes.string(in: 0..<window)
        guard start.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).first == "<" else {
            return false
        }
        guard let tag = start.firstRange(of: "<svg") else { return false }
        // An HTML page may contain an SVG.
        return start[..<tag.lowerBound].firstRange(of: "<html") == nil
    }

    static func size(_ bytes: DocumentBytes) -> ImageSize? {
        let opened = FormattedDocument.opening(bytes, as: .xml)
        let root = JSON(document: opened.document)["svg"]
        if let width = pixels(root["@width"].string), let height = pixels(root["@height"].string) {
            return ImageSize(width: width, height: height)
        }
        let box = (root["@viewBox"].string ?? "")
            .split { $0 == " " || $0 == "," || $0.isNewline }
        guard box.count == 4, let width = pixels(String(box[2])),
            let height = pixels(String(box[3]))
        else { return nil }
        return ImageSize(width: width, height: height)
    }

    /// A length in pixels, rounded up; nil if it has another unit or is not between 0 and 1e9.
    private static func pixels(_ length: String?) -> Int? {
        guard var length else { return nil }
        if length.hasSuffix("px") { length.removeLast(2) }
        guard let value = Double(length), value > 0, value < 1e9 else { return nil }
        return Int(value.rounded(.up))
    }
}

/// The size in a WebP's first chunk (RFC 9649, section 2).
enum WebPHeader {
    static func size(_ header: HeaderBytes) -> ImageSize? {
        if header.holds("VP8X", at: 12) { return extendedSize(header) }
        if header.holds("VP8L", at: 12) { return losslessSize(header) }
        if header.holds("VP8 ", at: 12) { return lossySize(header) }
        return nil
    }

    private static func extendedSize(_ header: HeaderBytes) -> ImageSize? {
        guard let width = header.little24(24), let height = header.little24(27) else { return nil }
        return ImageSize(width: width + 1, height: height + 1)
    }

    private static func losslessSize(_ header: HeaderBytes) -> ImageSize? {
        guard header[20] == 0x2F, let bits = header.little32(21) else { return nil }
        return ImageSize(width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
    }

    /// Masks the two bits above each number: a scale that nobody uses (RFC 6386, 9.1).
    private static func lossySize(_ header: HeaderBytes) -> ImageSize? {
        guard header.holds([0x9D, 0x01, 0x2A], at: 23), let width = header.little16(26),
            let height = header.little16(28)
        else { return nil }
        return ImageSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }
}
