/// The size in the boxes of AVIF and HEIC (ISO/IEC 14496-12 and 23008-12).
enum BoxHeader {
    /// More boxes than an honest header has.
    private static let mostBoxes = 4096

    static func format(_ header: HeaderBytes) -> ImageFormat? {
        guard let length = header.big32(0) else { return nil }
        // The major brand, and behind its version the compatible ones.
        let brands = [8] + Array(stride(from: 16, to: min(length, 256), by: 4))
        for brand in brands {
            if header.holds("avif", at: brand) || header.holds("avis", at: brand) { return .avif }
            if header.holds("heic", at: brand) || header.holds("heix", at: brand) { return .heic }
        }
        return nil
    }

    /// The largest picture's: tiles and previews are smaller.
    static func size(_ header: HeaderBytes) -> ImageSize? {
        var budget = mostBoxes
        guard let meta = boxes(in: 0..<header.count, header, &budget).first(named: "meta"),
            // A version and flags stand before its boxes.
            let properties = boxes(in: meta.dropFirst(4), header, &budget).first(named: "iprp"),
            let list = boxes(in: properties, header, &budget).first(named: "ipco")
        else { return nil }
        let sizes = boxes(in: list, header, &budget).filter { $0.name == "ispe" }.compactMap {
            extent(at: $0.content.lowerBound + 4, header)
        }
        return sizes.max { $0.pixelCount < $1.pixelCount }
    }

    private static func extent(at offset: Int, _ header: HeaderBytes) -> ImageSize? {
        guard let width = header.big32(offset), let height = header.big32(offset + 4) else {
            return nil
        }
        return ImageSize(width: width, height: height)
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
            // 1: the length follows the name in eight bytes; 0: up to the end.
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
