import TestSupport
import Testing

@testable import Documents

@Suite struct FormatPropertyTests {
    static let formats: [DocumentFormat] = [
        .json, .eventStream, .xml, .html, .yaml, .form, .query, .csv(), .csv(hasHeader: true),
        .multipart(boundary: "b"),
    ]

    private static let pieces = [
        "<a>", "</a>", "<b x='1' y=\"", "\"", "'", "<!--", "-->", "<![CDATA[", "]]>", "&amp;",
        "&x;",
        "<!DOCTYPE a [", "<!ENTITY x '", "'>", "]>", "<?p ", "?>", "a: ", "- ", "\n", "\r\n", "  ",
        "[", "]", "{", "}", ",", "? ", "&a ", "*a", "!t ", "|\n", "--- ", "\t", "data: ", "id:",
        "event: e",
        "--b\r\n", "--b--", "Content-Type: application/json\r\n\r\n", "\"\"", ";", "=", "&", "%41",
        "%",
        "+", "x", "é", "\u{0}", "1", "text", "\u{FEFF}", "#", "<script>", "</", ">", "<<: ",
    ]

    /// Random text of the formats' own words, with some bytes that are nothing at all.
    private func randomBytes(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0..<60, using: &generator) {
            let piece = Self.pieces.randomElement(using: &generator) ?? ""
            bytes += Array(piece.utf8)
            if Int.random(in: 0..<20, using: &generator) == 0 {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
        }
        return bytes
    }

    @Test("any bytes give a tree of right JSON, or a fault that says why not", arguments: formats)
    func survivesAnything(format: DocumentFormat) {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<500 {
            let bytes = randomBytes(&generator)
            let opened = FormattedDocument.make(bytes, as: format)
            guard format != .json else { continue }
            // What stops early leaves containers open, and nothing else.
            let fault = opened.document.fault
            #expect(fault == nil || fault?.kind == .unexpectedEnd)
            #expect(fault == nil || !opened.faults.isEmpty)
            for node in opened.document.allNodes {
                #expect(opened.offset(of: node).map { $0 <= opened.text.count } ?? true)
            }
        }
    }

    @Test("every beginning of a text is a tree", arguments: formats)
    func survivesCuts(format: DocumentFormat) {
        var generator = SeededGenerator(seed: 5)
        let bytes = (0..<4).flatMap { _ in randomBytes(&generator) }
        for length in 0...bytes.count {
            let text = DocumentBytes(Array(bytes[..<length]))
            let preview = FormattedDocument.preview(text, as: format)
            #expect(
                preview.fault == nil || preview.fault?.kind == .unexpectedEnd || format == .json
            )
        }
    }

    @Test(
        "the limit of the output holds, and is a fault",
        arguments: formats.filter { $0 != .json }
    )
    func holdsLimit(format: DocumentFormat) {
        let text = String(repeating: "--b\r\n\r\na=1&", count: 50)
        let transcript = ConvertedText(.make(text), as: format, limit: 40)
        #expect(transcript.json.count <= 40)
        let isStopped = transcript.faults.contains { $0.kind == .tooLarge }
        #expect(isStopped || transcript.json.count < 40)
    }
}
