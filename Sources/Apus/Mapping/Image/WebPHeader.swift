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

    /// The two bits above either number are a scale that nobody uses (RFC 6386, 9.1).
    private static func lossySize(_ header: HeaderBytes) -> ImageSize? {
        guard header.holds([0x9D, 0x01, 0x2A], at: 23), let width = header.little16(26),
            let height = header.little16(28)
        else { return nil }
        return ImageSize(width: width & 0x3FFF, height: height & 0x3FFF)
    }
}
