/// A value in one short line: as written, but without line breaks and indents between its parts.
struct ValuePreview {
    let text: String

    init(_ node: NodeIndex, of document: Document, limit: Int) {
        let range = document.valueRange(of: node)
        guard document.kind(of: node).isContainer else {
            let cut = document.bytes.cutText(range, limit: limit)
            text = cut.isCut ? cut.text + DiffWords.cut : cut.text
            return
        }
        // A few more bytes than are shown, so that it is known when something was cut.
        let wanted = Self.withoutSpace(range, of: document.bytes, atMost: limit + 4)
        let cut = DocumentBytes(wanted).cutText(0..<wanted.count, limit: limit)
        text = cut.isCut ? cut.text + DiffWords.cut : cut.text
    }

    private static func withoutSpace(
        _ range: Range<Int>,
        of bytes: DocumentBytes,
        atMost limit: Int
    ) -> [UInt8] {
        var text: [UInt8] = []
        var isInString = false
        var isEscaped = false
        for at in range {
            guard text.count < limit else { break }
            let byte = bytes.base[at]
            if !isInString && byte <= 0x20 { continue }
            text.append(byte)
            if byte == 0x22 && !isEscaped { isInString.toggle() }
            isEscaped = byte == 0x5C && !isEscaped
        }
        return text
    }
}
