import Testing

@testable import Documents

/// The parser guesses how long a key and an indent are from those before.
@Suite struct GuessedLengthTests {
    @Test("keys at the same place end where they end, whatever was there before")
    func keysOfChangingLength() {
        let keys = (0..<400).map { String(repeating: "k", count: $0 * 7 % 40) }
        let text =
            "[" + keys.map { "{\"\($0)\":1,\"x\($0)\" : [\"\($0)\"]}" }.joined(separator: ",")
        let document = Document.make(text + "]")
        #expect(document.fault == nil)
        for (record, key) in zip(document.children(of: .root), keys) {
            let names = document.children(of: record).map { document.key(of: $0) }
            #expect(names == [key, "x\(key)"])
        }
    }

    @Test("a guess does not go past what is no white space", arguments: ["\u{0B}", "x", "\u{A0}"])
    func indentWithOthers(other: String) {
        let blanks = "\n      "
        let text = "[\(blanks)1,\(blanks)2,\n   \(other)  3]"
        let document = Document.make(text)
        #expect(document.fault == DocumentFault(.expectedValue, at: 23))
        #expect(document.nodeCount == 3)
    }

    @Test("white space of any length and kind lies between values", arguments: 0..<70)
    func indentOfAnyLength(length: Int) {
        let blanks = String((0..<length).map { [" ", "\t", "\n", "\r"][$0 * $0 % 4] })
        let usual = "\n  "
        let document = Document.make(
            "[1,\(usual)2,\(blanks)3\(blanks),\(usual)4,\(blanks)5\(usual)]"
        )
        #expect(document.minified == "[1,2,3,4,5]")
    }
}
