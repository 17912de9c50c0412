import TestSupport
import Testing

@testable import Documents

@Suite struct TreeParserTests {
    @Test(
        "what RFC 8259 allows is accepted and comes back as written",
        arguments: [
            "null", "true", "false", "0", "-0", "10", "-1.5", "1e5", "1E+5", "1.0e-10", "1e999",
            "123456789012345678901234567890.5", "\"\"", #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#,
            #""\ud800""#, #""\udc00\ud800""#, "\"\u{7F}\"", "\"é日本語😀\"", "[]", "{}", "[[]]",
            "[1,2,3]", #"{"a":1,"a":2}"#, #"{"":0}"#, #"[{"a":[{}]},[],""]"#, #"{"\u0061":1}"#,
        ]
    )
    func accepts(text: String) {
        for spaced in [text, " \t\r\n" + text + "\n\n", "\u{FEFF}" + text] {
            let document = Document.make(spaced)
            #expect(document.fault == nil)
            #expect(document.minified == text)
        }
    }

    @Test(
        "what RFC 8259 forbids is a fault of a kind at a byte",
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("[", .unexpectedEnd, 1),
            ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3), ("{\"a\"", .unexpectedEnd, 4),
            ("{\"a\":", .unexpectedEnd, 5), ("\"abc", .unexpectedEnd, 4),
            ("\"a\\", .unexpectedEnd, 2), ("\"\\u12", .unexpectedEnd, 1),
            ("tru", .unexpectedEnd, 3),
            ("-", .unexpectedEnd, 1), ("1.", .unexpectedEnd, 2), ("1e+", .unexpectedEnd, 3),
            ("[1,]", .expectedValue, 3), ("[,1]", .expectedValue, 1), ("]", .expectedValue, 0),
            ("nulx", .badLiteral, 3), ("True", .expectedValue, 0), ("falsy", .badLiteral, 4),
            ("+1", .expectedValue, 0), (".5", .expectedValue, 0), ("-a", .badNumber, 1),
            ("1.a", .badNumber, 2), ("[1.e1]", .badNumber, 3), ("1ex", .badNumber, 2),
            ("01", .trailingBytes, 1), ("1 2", .trailingBytes, 2), ("{}}", .trailingBytes, 2),
            ("NaN", .expectedValue, 0), ("\"\\x\"", .badEscape, 1),
            ("\"\\u12g4\"", .badUnicodeEscape, 1), ("\"a\nb\"", .controlCharacter, 2),
            ("\"\u{0}\"", .controlCharacter, 1), ("[\u{0}]", .expectedValue, 1),
            ("{1:2}", .expectedKey, 1), ("{\"a\":1,}", .expectedKey, 7),
            ("{'a':1}", .expectedKey, 1),
            ("{\"a\" 1}", .expectedColon, 5), ("{\"a\"}", .expectedColon, 4),
            ("[1 2]", .expectedCommaOrBracket, 3), ("[1}", .expectedCommaOrBracket, 2),
            ("{\"a\":1 \"b\":2}", .expectedCommaOrBrace, 7),
            ("{\"a\":1]", .expectedCommaOrBrace, 6),
            ("[1//c\n]", .expectedCommaOrBracket, 2), ("\u{A0}1", .expectedValue, 0),
        ] as [(String, DocumentFault.Kind, Int)]
    )
    func rejects(text: String, kind: DocumentFault.Kind, offset: Int) {
        #expect(Document.make(text).fault == DocumentFault(kind, at: offset))
    }

    @Test(
        "bytes that are not UTF-8 are a fault where they are",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
            [0xE2, 0x28, 0xA1], [0xC3, 0x28], [0xF0, 0x9F, 0x98, 0x28],
        ] as [[UInt8]]
    )
    func rejectsBadUTF8(bytes: [UInt8]) {
        let text = DocumentBytes(Array("[\"ab".utf8) + bytes + Array("\"]".utf8))
        #expect(Document.parse(text).fault == DocumentFault(.badUTF8, at: 4))
        #expect(Document.parse(text).nodeCount == 1)
    }

    @Test("every scalar value of Unicode passes, every surrogate does not")
    func checksUTF8() {
        var all = "\""
        for value in UInt32(0x20)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), value != 0x22, value != 0x5C else { continue }
            all.unicodeScalars.append(scalar)
        }
        #expect(Document.make(all + "\"").fault == nil)
    }

    @Test("random texts come back as written", arguments: 0..<300)
    func keepsEverything(seed: Int) {
        let random = RandomJSON(seed: UInt64(seed))
        let document = Document.make(random.spaced)
        #expect(document.fault == nil)
        #expect(document.minified == random.minified)
    }

    @Test("every prefix is a tree of what is before the cut", arguments: 0..<20)
    func survivesCuts(seed: Int) {
        let bytes = Array(RandomJSON(seed: UInt64(seed), depth: 4).spaced.utf8)
        let whole = Document.parse(DocumentBytes(bytes))
        for length in 0..<bytes.count {
            let document = Document.parse(DocumentBytes(Array(bytes[..<length])))
            if let fault = document.fault { #expect(fault.kind == .unexpectedEnd) }
            #expect(document.nodeCount <= whole.nodeCount)
            for node in document.allNodes {
                #expect(document.kind(of: node).isContainer == whole.kind(of: node).isContainer)
                #expect(document.parent(of: node) == whole.parent(of: node))
                #expect(document.keyRange(of: node) == whole.keyRange(of: node))
                #expect(document.subtreeSize(of: node) <= whole.subtreeSize(of: node))
            }
        }
    }

    @Test("mutants never crash, and both scanners say the same", arguments: 0..<40)
    func survivesMutants(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let original = Array(RandomJSON(seed: UInt64(seed)).spaced.utf8)
        for _ in 0..<100 {
            var bytes = original
            for _ in 0..<3 {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[at] = .random(in: 0...255, using: &generator)
            }
            let text = DocumentBytes(bytes)
            let vector = Document(text)
            vector.parseAll(with: VectorScanner.self)
            let portable = Document(text)
            portable.parseAll(with: PortableScanner.self)
            #expect(vector.fault == portable.fault)
            #expect(vector.dump == portable.dump)
            for node in vector.allNodes {
                _ = (vector.key(of: node), vector.string(of: node), vector.path(of: node))
                #expect(vector.valueRange(of: node).upperBound <= bytes.count)
            }
        }
    }

    @Test("scanners stop at the same byte wherever a string ends")
    func scannersAgree() {
        for length in 0..<70 {
            for stopper in [0x22, 0x5C, 0x00, 0x1F, 0x80, 0xFF] as [UInt8] {
                let bytes = DocumentBytes(Array(repeating: 0x61, count: length) + [stopper, 0x22])
                for start in 0...length {
                    #expect(VectorScanner.next(bytes.base, start) == length)
                    #expect(PortableScanner.next(bytes.base, start) == length)
                }
            }
        }
    }

    @Test("a million levels need no stack", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func parsesDeepText(open: String, close: String) {
        let depth = 1_000_000
        let inner = open == "[" ? "" : "1"
        let whole = Document.make(
            String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
        )
        #expect(whole.fault == nil)
        #expect(whole.depth(of: NodeIndex(depth - 1)) == depth - 1)
        let cut = Document.make(String(repeating: open, count: depth))
        #expect(cut.fault?.kind == .unexpectedEnd)
        #expect(cut.nodeCount == depth)
        #expect(cut.dottedPath(of: NodeIndex(depth - 1), maximumLength: 20).hasPrefix("…"))
    }

    @Test("limits of the layout are faults")
    func guardsLimits() {
        let many = DocumentBytes.make("[" + String(repeating: "1,", count: 20_000) + "1]")
        let values = Document(many, limits: ParseLimits(nodes: 5000))
        values.parseAll(with: FastestScanner.self)
        #expect(values.fault?.kind == .tooManyValues)
        #expect(values.nodeCount == 5000)

        let text = Document(many, limits: ParseLimits(textLength: 100))
        #expect(text.fault?.kind == .textTooLong)
        #expect(text.nodeCount == 0)
    }

    @Test("a tree that would take more memory than its limit ends there, and says so")
    func limitsMemory() {
        let limit = TreeMemoryLimit(base: 1 << 20, perTextByte: 2)
        let brackets = DocumentBytes.make(String(repeating: "[", count: 500_000))
        let document = Document.parse(brackets, memory: limit)
        #expect(document.fault?.kind == .treeTooLarge)
        #expect(document.treeSize < limit.size(ofText: 500_000) + 4096 * 40)
        #expect(document.fault?.description.contains("512 MiB") == true)
        #expect(!document.resume(toEnd: true))
        #expect(Document.parse(brackets, memory: .unlimited).fault?.kind == .unexpectedEnd)
    }

    @Test("the limit counts over all lines, also when each of them breaks off early")
    func limitsMemoryOfLines() {
        let line = String(repeating: "[", count: 1000) + "\n"
        let lines = DocumentBytes.make(String(repeating: line, count: 500))
        let limit = TreeMemoryLimit(base: 1 << 20, perTextByte: 2)
        let document = Document.parse(lines, as: .sequence, memory: limit)
        #expect(document.limitFault?.kind == .treeTooLarge)
        #expect(document.treeSize < limit.size(ofText: lines.count) + 4096 * 40)
        let broken = Document(
            .make("[" + String(repeating: "[}", count: 200_000)),
            limits: ParseLimits(memory: limit)
        )
        broken.parseAll(with: FastestScanner.self)
        broken.resume(toEnd: true)
        broken.parseAll(with: FastestScanner.self)
        #expect(broken.limitFault?.kind == .treeTooLarge)
    }

    @Test("digits alone are far from the limit")
    func allowsDenseTexts() {
        let digits = "[" + String(repeating: "1,", count: 100_000) + "1]"
        let limit = TreeMemoryLimit(base: 1 << 16, perTextByte: 8)
        #expect(Document.parse(.make(digits), memory: limit).fault == nil)
        let objects = "[" + String(repeating: #"{"a":1},"#, count: 100_000) + "1]"
        #expect(Document.parse(.make(objects), memory: limit).fault == nil)
    }

    @Test("what lies behind thousands of closing brackets knows its place, asked once or twice")
    func findsPlacesBehindDepth() {
        let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
        let document = Document.make("[\(deep),1,2,{\"k\":\(deep),\"l\":3}]")
        for _ in 0..<2 {
            let one = NodeIndex(5001)
            #expect(document.parent(of: one) == .root)
            #expect(document.indexInParent(of: one) == 1)
            #expect(document.depth(of: one) == 1)
            #expect(document.indexInParent(of: NodeIndex(5002)) == 2)
            let last = NodeIndex(document.nodeCount - 1)
            #expect(document.parent(of: last) == NodeIndex(5003))
            #expect(document.indexInParent(of: last) == 1)
            #expect(document.key(of: last) == "l")
        }
    }

    @Test("a key of megabytes is cut in a path, and found again as written")
    func cutsLongKeys() {
        let long = String(repeating: #"k\""#, count: 100_000)
        let document = Document.make("{\"\(long)\" : {\"\(long)x\":12345}}")
        for _ in 0..<2 {
            #expect(document.keyRange(of: NodeIndex(1))?.count == long.utf8.count)
            #expect(document.keyRange(of: NodeIndex(2))?.count == long.utf8.count + 1)
        }
        #expect(document.dottedPath(of: NodeIndex(2)).utf8.count < 4096)
        #expect(document.path(of: NodeIndex(2), maximumLength: 1000) == nil)
        #expect(document.path(of: NodeIndex(2)).utf8.count > 400_000)
        let number = Document.make("[" + String(repeating: "7", count: 100_000) + "]")
        let cut = number.cutValue(of: NodeIndex(1), limit: 10)
        #expect(cut.text == "7777777777" && cut.isCut)
        #expect(Document.make("[-1.5e3]").cutValue(of: NodeIndex(1), limit: 10).text == "-1.5e3")
    }
}
