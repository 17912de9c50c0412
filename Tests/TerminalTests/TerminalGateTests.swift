import Testing

@testable import Terminal

@Suite("What may go to a terminal beside the grid")
struct TerminalGateTests {
    private func shown(_ bytes: [UInt8], _ form: TerminalGate.Form, pieces: Int = 1) -> String {
        var gate = TerminalGate(form)
        var result: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(max(1, bytes.count / pieces)))
            piece.withUnsafeBytes { gate.pass($0, into: &result) }
            rest = rest.dropFirst(piece.count)
        }
        gate.finish(into: &result)
        return String(decoding: result, as: UTF8.self)
    }

    @Test(
        "what a terminal would obey is a symbol in text, and an escape in JSON",
        arguments: [
            ("a\u{1B}[1mb\n\tc\r", "a␛[1mb\n\tc␍", #"a\u001b[1mb\#n\#tc\u000d"#),
            ("\u{7F}\u{9B}31m", "␡‹009B›31m", #"\u007f\u009b31m"#),
            ("a\u{202E}b\u{2066}", "a‹202E›b‹2066›", #"a\u202eb\u2066"#),
            ("a\u{200B}b\u{FEFF}", "a‹200B›b‹FEFF›", #"a\u200bb\ufeff"#),
            ("x\u{E0041}", "x‹E0041›", #"x\udb40\udc41"#),
            ("👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ⌚\u{FE0E}", "👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ⌚\u{FE0E}", "👨‍👩‍👧 👩🏽‍💻 🏳️‍🌈 ⌚\u{FE0E}"),
            (
                "👨\u{200D}x ⌚\u{FE0F} a\u{FE0F}", "👨‹200D›x ⌚‹FE0F› a‹FE0F›",
                #"👨\u200dx ⌚\ufe0f a\ufe0f"#
            ),
            ("👨\u{200D}", "👨‹200D›", #"👨\u200d"#),
            ("line\r\nend", "line\r\nend", "line\r\nend"),
            ("Grüße, 東京 🇩🇪 é", "Grüße, 東京 🇩🇪 é", "Grüße, 東京 🇩🇪 é"),
        ]
    )
    func forms(input: String, text: String, json: String) {
        for pieces in [1, 2, 3, 100] {
            #expect(shown(Array(input.utf8), .text, pieces: pieces) == text)
            #expect(shown(Array(input.utf8), .json, pieces: pieces) == json)
        }
    }

    @Test("a base keeps four of its marks, however many there are and however they are cut")
    func marks() {
        let tower = "e" + String(repeating: "\u{301}", count: 300) + "x\u{301}"
        let text = shown(Array(tower.utf8), .text, pieces: 37)
        #expect(text.unicodeScalars.count == 7)
        #expect(Array(text.unicodeScalars.suffix(2)) == ["x", "\u{301}"])
        let hidden = "e" + String(repeating: "\u{301}\u{200B}", count: 300)
        let shownMarks = shown(Array(hidden.utf8), .text).unicodeScalars.split { $0 != "\u{301}" }
        #expect(shownMarks.allSatisfy { $0.count == 1 })
        #expect(shown(Array(tower.utf8), .json).contains(#"\u0301\u0301"#))
    }

    @Test("what is no UTF-8 is U+FFFD, byte by byte, also at the end")
    func invalid() {
        #expect(shown([0x61, 0xFF, 0x62, 0x9B], .text) == "a\u{FFFD}b\u{FFFD}")
        #expect(shown([0xE6, 0x9D], .json, pieces: 2) == "\u{FFFD}\u{FFFD}")
    }

    @Test("the gate says whether all went through as it came")
    func unchanged() {
        var result: [UInt8] = []
        var gate = TerminalGate(.text)
        Array("plain é\r\n\u{FFFD}".utf8).withUnsafeBytes { gate.pass($0, into: &result) }
        #expect(gate.isUnchanged)
        [UInt8(0x1B)].withUnsafeBytes { gate.pass($0, into: &result) }
        #expect(!gate.isUnchanged)
    }

    @Test("no bytes whatever get a control, an override or a tower of marks through")
    func fuzz() {
        var random = SplitMix(state: 7)
        let seeds = Array("\u{1B}[2J\u{202E}\u{200D}e\u{301}\u{301}👨‍👩‍👧\u{9B}東\r\u{7F}".utf8)
        for _ in 0..<3000 {
            var bytes = (0..<Int(random.next() % 40)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            let at = bytes.isEmpty ? 0 : Int(random.next() % UInt64(bytes.count))
            bytes.insert(contentsOf: seeds.shuffled(using: &random), at: at)
            for form in [TerminalGate.Form.text, .json] {
                let whole = shown(bytes, form)
                #expect(whole == shown(bytes, form, pieces: 9))
                for scalar in whole.unicodeScalars where !"\n\t\r".unicodeScalars.contains(scalar) {
                    // A joiner may stand between two emoji.
                    #expect(Sanitizer.shown(scalar.value) == scalar.value || scalar == "\u{200D}")
                }
            }
        }
    }
}
