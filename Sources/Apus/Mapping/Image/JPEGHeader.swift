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
