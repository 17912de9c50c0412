import Documents

/// The size that an SVG's outermost element names (SVG 2, section 8).
enum SVGHeader {
    /// Where its outermost element begins at the latest.
    private static let window = 4096

    static func isSVG(_ bytes: DocumentBytes) -> Bool {
        let start = bytes.string(in: 0..<window)
        guard start.drop(while: { $0.isWhitespace || $0 == "\u{FEFF}" }).first == "<" else {
            return false
        }
        guard let tag = start.firstRange(of: "<svg") else { return false }
        // HTML may hold an SVG without being one.
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

    /// A length in pixels; nil for one in other units, or beyond any screen.
    private static func pixels(_ length: String?) -> Int? {
        guard var length else { return nil }
        if length.hasSuffix("px") { length.removeLast(2) }
        guard let value = Double(length), value > 0, value < 1e9 else { return nil }
        return Int(value.rounded(.up))
    }
}
