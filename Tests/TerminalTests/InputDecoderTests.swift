import Testing

@testable import Terminal

@Suite("Input decoder")
struct InputDecoderTests {
    static let table: [(String, [InputEvent])] = [
        ("a", [.key(.character("a"))]),
        ("é東🚀", [.key(.character("é")), .key(.character("東")), .key(.character("🚀"))]),
        ("\u{3}", [.key(Key(.character("c"), .control))]),
        ("\r", [.key(Key(.enter))]),
        ("\n", [.key(Key(.enter))]),
        ("\t", [.key(Key(.tab))]),
        ("\u{8}\u{7F}", [.key(Key(.backspace)), .key(Key(.backspace))]),
        ("\u{0}", [.key(Key(.character(" "), .control))]),
        ("\u{1B}[A\u{1B}OB", [.key(Key(.up)), .key(Key(.down))]),
        ("\u{1B}[1;5C", [.key(Key(.right, .control))]),
        ("\u{1B}[1;2D", [.key(Key(.left, .shift))]),
        ("\u{1B}[Z", [.key(Key(.tab, .shift))]),
        ("\u{1B}OP\u{1B}[15~\u{1B}[24~", [1, 5, 12].map { .key(Key(.function($0))) }),
        ("\u{1B}[[A", [.key(Key(.function(1)))]),
        ("\u{1B}[3~\u{1B}[5;3~", [.key(Key(.delete)), .key(Key(.pageUp, .alt))]),
        ("\u{1B}[H\u{1B}OF\u{1B}[1~\u{1B}[4~", [.home, .end, .home, .end].map { .key(Key($0)) }),
        ("\u{1B}x", [.key(Key(.character("x"), .alt))]),
        ("\u{1B}é", [.key(Key(.character("é"), .alt))]),
        ("\u{1B}[I\u{1B}[O", [.focus(true), .focus(false)]),
        (
            "\u{1B}[200~a\r\nb\u{1B}[31mc\rd\u{1B}[201~x",
            [
                .paste("a\nb\u{1B}[31mc\nd"), .key(.character("x")),
            ]
        ),
        ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
        ("\u{1B}]11;rgb:1e1e/1e1e/1e1e\u{1B}\\a", [.key(.character("a"))]),
        ("\u{1B}]52;c;eA==\u{7}a", [.key(.character("a"))]),
        ("\u{1B}P>|xterm(390)\u{1B}\\a", [.key(.character("a"))]),
        ("\u{1B}[?62;4c\u{1B}[?2026;2$ya", [.key(.character("a"))]),
        ("\u{1B}[13;5u", [.key(Key(.enter, .control))]),
        ("\u{1B}[<0;250;7M", [.mouse(MouseEvent(kind: .press, position: Point(x: 249, y: 6)))]),
        (
            "\u{1B}[<2;1;1m",
            [
                .mouse(MouseEvent(kind: .release, button: .right, position: Point(x: 0, y: 0)))
            ]
        ),
        (
            "\u{1B}[<64;3;4M\u{1B}[<69;3;4M",
            [
                .mouse(MouseEvent(kind: .scrollUp, button: .none, position: Point(x: 2, y: 3))),
                .mouse(
                    MouseEvent(
                        kind: .scrollDown,
                        button: .none,
                        position: Point(x: 2, y: 3),
                        modifiers: .shift
                    )
                ),
            ]
        ),
        ("\u{1B}[<32;5;5M", [.mouse(MouseEvent(kind: .drag, position: Point(x: 4, y: 4)))]),
    ]

    @Test("bytes are events, at once and split at every byte", arguments: table)
    func decoding(text: String, expected: [InputEvent]) {
        let bytes = Array(text.utf8)
        var whole = InputDecoder()
        #expect(whole.decode(bytes) == expected)
        #expect(!whole.isWaiting)
        for place in 0...bytes.count {
            var decoder = InputDecoder()
            let first = decoder.decode(Array(bytes[..<place]))
            #expect(first + decoder.decode(Array(bytes[place...])) == expected)
        }
        var slow = InputDecoder()
        #expect(bytes.flatMap { slow.decode([$0]) } == expected)
    }

    @Test("a lone escape is a key only after waiting")
    func loneEscape() {
        var decoder = InputDecoder()
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.finishWaiting() == [.key(Key(.escape))])
        #expect(!decoder.isWaiting)
        #expect(decoder.decode([0x1B, 0x1B]) == [.key(Key(.escape))])
        #expect(decoder.finishWaiting() == [.key(Key(.escape))])
    }

    @Test("what is broken off is its keys, a broken reply is nothing")
    func brokenOff() {
        var decoder = InputDecoder()
        #expect(decoder.decode(Array("\u{1B}[".utf8)) == [])
        #expect(decoder.finishWaiting() == [.key(Key(.escape)), .key(.character("["))])
        #expect(decoder.decode(Array("\u{1B}]11;rgb".utf8)) == [])
        #expect(decoder.finishWaiting() == [])
    }

    @Test(
        "the terminal's background is no key, at once, split at every byte, or with a pause there",
        arguments: ["\u{7}", "\u{1B}\\"],
        [true, false]
    )
    func background(end: String, isExpected: Bool) {
        let bytes = Array("\u{1B}]11;rgb:fdfd/f6f6/e3e3\(end)".utf8)
        for place in 1..<bytes.count {
            var decoder = InputDecoder()
            decoder.expectsResponse = isExpected
            #expect(decoder.decode([0x6A]) == [.key(.character("j"))])
            var events = decoder.decode(Array(bytes[..<place]))
            // The expected response may still come, so the session does not give up yet.
            if decoder.isWaiting, !decoder.mayBeginResponse { events += decoder.finishWaiting() }
            let isBeginning = !isExpected && place < 3
            #expect(events.count == (isBeginning ? place : 0), "split at \(place)")
            #expect(decoder.takeBackground() == nil)
            let rest = decoder.decode(Array(bytes[place...]) + [0x6B])
            #expect(rest == [.key(.character("k"))], "split at \(place)")
            #expect(decoder.takeBackground() == PixelColor(red: 0xFD, green: 0xF6, blue: 0xE3))
            #expect(decoder.takeBackground() == nil)
            #expect(!decoder.expectsResponse)
        }
    }

    @Test("keys that are typed while a response comes in pieces are keys, and the response is one")
    func keysInResponses() {
        let bytes = Array("\u{1B}]11;rgb:ffff/ffff/ffff\u{7}".utf8)
        let up: [UInt8] = Array("\u{1B}[A".utf8)
        for place in 4..<bytes.count {
            for (typed, key) in [
                ([0x71], Key.character("q")), ([0x03], Key(.character("c"), .control)),
                (up, Key(.up)), (Array("é".utf8), .character("é")),
            ] {
                var decoder = InputDecoder()
                decoder.expectsResponse = true
                var events = decoder.decode(Array(bytes[..<place]))
                events += decoder.finishWaiting()
                events += decoder.decode(typed)
                events += decoder.decode(Array(bytes[place...]))
                #expect(events == [.key(key)], "\(key) at \(place)")
                #expect(decoder.takeBackground() == .white)
            }
        }
    }

    @Test("a response whose end never comes takes no keys for long")
    func brokenResponse() {
        var decoder = InputDecoder()
        decoder.expectsResponse = true
        #expect(decoder.decode(Array("\u{1B}]11;rgb:ff".utf8)) == [])
        #expect(decoder.finishWaiting() == [])
        #expect(!decoder.isWaiting)
        let words = decoder.decode(Array("quit now\r".utf8))
        #expect(words.count == 9)
        var all = 0
        for _ in 0..<100 { all += decoder.decode(Array("abc".utf8)).count }
        #expect(all > 200)
        // Another response counts.
        _ = decoder.decode(Array("\u{1B}]11;#fff\u{7}".utf8))
        #expect(decoder.takeBackground() == .white)
        _ = decoder.decode(Array("\u{1B}]11;rgb:00".utf8) + [UInt8](repeating: 0x71, count: 9000))
        #expect(decoder.decode([0x71]) == [.key(.character("q"))])
    }

    @Test("other replies say nothing about the background, and are no keys")
    func otherReplies() {
        var decoder = InputDecoder()
        decoder.expectsResponse = true
        for text in [
            "\u{1B}]10;rgb:ffff/ffff/ffff\u{7}", "\u{1B}]4;1;rgb:ff/ff/ff\u{7}", "\u{1B}[?62;4c",
            "\u{1B}P>|tmux 3.4\u{1B}\\", "\u{1B}]52;c;AAAA\u{7}",
        ] {
            let keys = decoder.decode(Array(text.utf8))
            #expect(keys == [], "\(text.debugDescription)")
            #expect(decoder.takeBackground() == nil)
        }
        #expect(decoder.decode([0x6A]) == [.key(.character("j"))])
    }

    @Test("escape and alt+] are keys while a response is expected, once it has been waited for")
    func keysBesideResponses() {
        var decoder = InputDecoder()
        decoder.expectsResponse = true
        #expect(decoder.decode([0x1B]) == [])
        #expect(decoder.mayBeginResponse)
        #expect(decoder.finishWaiting() == [.key(Key(.escape))])
        #expect(decoder.decode(Array("]".utf8)) == [.key(.character("]"))])
        #expect(decoder.decode(Array("1;q".utf8)).count == 3)
    }

    @Test("ctrl-c after a pause ends a paste whose end does not come; in one it is text")
    func endlessPaste() {
        var decoder = InputDecoder()
        #expect(decoder.decode(Array("\u{1B}[200~one \u{3}two\u{1B}[20".utf8)) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.finishWaiting() == [])
        #expect(!decoder.isWaiting)
        #expect(decoder.decode([0x71]) == [])
        #expect(decoder.decode([0x03]) == [])
        #expect(decoder.finishWaiting() == [])
        // What more comes with it is of the paste.
        #expect(decoder.decode([0x03, 0x71]) == [])
        #expect(decoder.finishWaiting() == [])
        #expect(decoder.decode([0x03]) == [.key(Key(.character("c"), .control))])
        #expect(decoder.decode([0x71]) == [.key(.character("q"))])
    }

    @Test("a paste may be long and split, and pauses do not end it")
    func longPaste() {
        var decoder = InputDecoder()
        #expect(decoder.decode(Array("\u{1B}[200~".utf8)) == [])
        for _ in 0..<100 {
            #expect(decoder.decode([UInt8](repeating: 120, count: 1000)) == [])
            #expect(decoder.finishWaiting() == [])
        }
        #expect(!decoder.isWaiting)
        #expect(
            decoder.decode(Array("\u{1B}[201~".utf8))
                == [.paste(String(repeating: "x", count: 100_000))]
        )
    }

    @Test("no bytes whatever stop the decoder or are kept for ever")
    func fuzz() {
        var random = SplitMix(state: 7)
        let alphabet = Array("\u{1B}\u{1B}[[O]P;<0123~ABMmu\u{7}\\é".utf8)
        for _ in 0..<2000 {
            var decoder = InputDecoder()
            for _ in 0..<20 {
                _ = decoder.decode([alphabet[Int(random.next() % UInt64(alphabet.count))]])
            }
            _ = decoder.finishWaiting()
            #expect(!decoder.isWaiting)
        }
        var decoder = InputDecoder()
        _ = decoder.decode(Array("\u{1B}[".utf8) + [UInt8](repeating: 0x30, count: 5000))
        _ = decoder.finishWaiting()
        #expect(decoder.decode([0x61]) == [.key(.character("a"))])
    }

    @Test("a paste without end is kept to its beginning, and keys count again behind it")
    func limitsPastes() {
        var decoder = InputDecoder()
        #expect(decoder.decode(Array("\u{1B}[200~".utf8)) == [])
        let piece = [UInt8](repeating: 0x61, count: 65_536)
        for _ in 0..<64 { #expect(decoder.decode(piece) == []) }
        let events = decoder.decode(Array("\u{1B}[201~q".utf8))
        guard case .paste(let text)? = events.first else {
            Issue.record("no paste")
            return
        }
        #expect(text.utf8.count == 1 << 20)
        #expect(events.last == .key(.character("q")))
    }

    @Test("any bytes, in any pieces, are read to their end", arguments: 0..<50)
    func takesAnyBytes(seed: Int) {
        var state = UInt64(seed &* 2 &+ 1) &* 0x9E37_79B9_7F4A_7C15
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
        let pieces = [
            "\u{1B}", "[", "<", ";", "9999999999", "M", "m", "~", "200", "201", "O", "]", "P", "u",
            "\u{1B}[<99999;99999;99999M", "\u{1B}[1114112;9u", "\u{1B}[55296u", "é", "\u{7}",
        ]
        var decoder = InputDecoder()
        for _ in 0..<2000 {
            let choice = Int(next())
            let bytes = choice < 160 ? Array(pieces[choice % pieces.count].utf8) : [next()]
            _ = decoder.decode(bytes)
            if next() < 8 { _ = decoder.finishWaiting() }
        }
        _ = decoder.decode(Array("\u{1B}[201~\u{7}\u{1B}\\".utf8))
        _ = decoder.finishWaiting()
        #expect(!decoder.isWaiting)
        #expect(decoder.decode([0x71]) == [.key(.character("q"))])
    }
}
