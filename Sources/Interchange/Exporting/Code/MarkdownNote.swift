/// A note of a workspace as a part of a page: its Markdown, in which no HTML is left and no block of code open.
struct MarkdownNote {
    let lines: [String]

    init(_ note: String) {
        var lines: [String] = []
        var fence: [UInt8]?
        for line in note.lines {
            let start = line.utf8.drop { $0 == 0x20 }
            let sign = start.first ?? 0
            let run = Array(start.prefix { $0 == sign })
            let isFence = "`~".utf8.contains(sign) && run.count >= 3
            if let open = fence {
                let isEnd = sign == open[0] && run.count >= open.count
                if isEnd, start.dropFirst(run.count).allSatisfy({ $0 == 0x20 || $0 == 0x09 }) {
                    fence = nil
                }
                lines.append(line)
            } else {
                if isFence { fence = run }
                lines.append(Self.withoutHTML(line))
            }
        }
        if let fence { lines.append(String(decoding: fence, as: UTF8.self)) }
        self.lines = lines
    }

    /// The line with escapes where a tag would begin, and with links that only lead to the web.
    private static func withoutHTML(_ line: String) -> String {
        let bytes = Array(line.utf8)
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let next = index + 1 < bytes.count ? bytes[index + 1] : 0x20
            let isLetter = (0x41...0x5A).contains(next & 0xDF)
            if byte == UInt8(ascii: "<"), isLetter || "/!?".utf8.contains(next),
                !isLink(bytes[(index + 1)...])
            {
                result += Array("&lt;".utf8)
            } else {
                result.append(byte)
            }
        }
        let text = String(decoding: result, as: UTF8.self)
        guard text.lowercased().utf8.contains("javascript:".utf8) else { return text }
        return text.unicodeScalars.reduce(into: "") { result, scalar in
            result += scalar == "[" ? "\\[" : String(scalar)
        }
    }

    /// Whether a link between angle brackets begins: `<https://…>`.
    private static func isLink(_ bytes: ArraySlice<UInt8>) -> Bool {
        ["http://", "https://", "mailto:"].contains { bytes.starts(with: $0.utf8) }
    }

    /// Backquotes, one more than any run of them in a text.
    static func fence(around text: String, shortest: Int) -> String {
        var longest = shortest - 1
        var run = 0
        for byte in text.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        return String(repeating: "`", count: longest + 1)
    }
}
