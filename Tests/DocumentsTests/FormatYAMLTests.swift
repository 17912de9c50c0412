import Testing

@testable import Documents

@Suite struct FormatYAMLTests {
    @Test(
        "scalars follow the core schema, and numbers that JSON does not know stay text",
        arguments: [
            ("1", "1"), ("-1.50", "-1.50"), ("1e3", "1e3"), ("0x1F", "31"), ("0o17", "15"),
            ("0xFFFFFFFFFFFFFFFF", "18446744073709551615"), ("!!int 0xfF", "255"),
            ("0x10000000000000000", #""0x10000000000000000""#), ("0o8", #""0o8""#),
            ("0x", #""0x""#), ("0x-1", #""0x-1""#), ("-0x1", #""-0x1""#), ("0X1F", #""0X1F""#),
            ("!!float 0x1F", #""0x1F""#), ("'0x1F'", #""0x1F""#), ("0b1", #""0b1""#),
            ("+1", #""+1""#), ("007", #""007""#), (".5", #"".5""#), (".inf", #"".inf""#),
            ("1.", #""1.""#), ("~", "null"), ("null", "null"), ("Null", "null"), ("", "null"),
            ("True", "true"), ("FALSE", "false"), ("yes", #""yes""#), ("no", #""no""#),
            ("\"1\"", #""1""#), ("'true'", #""true""#), ("2001-01-01", #""2001-01-01""#),
            ("!!str 1", #""1""#), ("!!int \"1\"", "1"), ("!!binary aGk=", #"{"!!binary":"aGk="}"#),
            ("!Ref x", #"{"!Ref":"x"}"#), ("!Sub {a: 1}", #"{"!Sub":{"a":1}}"#), ("! 1", #""1""#),
            ("|\n a\n b\n", #""a\nb\n""#), (">\n a\n b", #""a b""#), ("é", #""é""#),
        ]
    )
    func resolvesScalars(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .yaml)
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test(
        "containers, aliases, keys and documents",
        arguments: [
            ("a: 1\nb: [x, {c: d}]\n", #"{"a":1,"b":["x",{"c":"d"}]}"#),
            ("- 1\n- - 2\n", "[1,[2]]"), ("a: 1\na: 2", #"{"a":1,"a":2}"#),
            ("a: &x {k: v}\nb: *x\n", #"{"a":{"k":"v"},"b":{"k":"v"}}"#),
            ("a: &x 1\nb:\n  <<: *x", #"{"a":1,"b":{"<<":1}}"#),
            ("&k key: 1\nb: *k", #"{"key":1,"b":"key"}"#),
            ("a: &k key\n*k : 1", #"{"a":"key","key":1}"#),
            ("? [1, b]\n: 2\n", #"{"[1,\"b\"]":2}"#), ("1: a\ntrue: b", #"{"1":"a","true":"b"}"#),
            ("? {a: 1}\n: b\nc: d", #"{"{\"a\":1}":"b","c":"d"}"#),
            ("a: !T &x [1]\nb: *x", #"{"a":{"!T":[1]},"b":[1]}"#),
            ("a\n---\nb\n---\n- c", #"["a","b",["c"]]"#), ("--- a\n...\n", #""a""#),
            ("# only a comment\n", "null"), ("\u{FEFF}a: 1", #"{"a":1}"#),
        ]
    )
    func readsContainers(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .yaml)
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test(
        "a fault has its place, and what was before it is shown",
        arguments: [
            ("a: [1, 2\nb: c", #"{"a":[1,"2 b"]}"#, 2), ("é: [*no]", #"{"é":["*no"]}"#, 1),
            ("a: b\nc: \"x", #"{"a":"b"}"#, 2),
        ]
    )
    func reportsFaults(text: String, json: String, line: Int) {
        let opened = FormattedDocument.make(text, as: .yaml)
        #expect(opened.json.hasPrefix(json.dropLast(2)))
        #expect(opened.faults.count == 1)
        #expect(opened.faults.first?.position.line == line)
    }

    @Test("aliases of aliases end at the limit, with everything before it")
    func boundsAliases() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
        for level in 1..<30 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(aliases)]\n"
        }
        let transcript = ConvertedText(.make(text), as: .yaml, limit: 100_000)
        #expect(transcript.faults.first?.kind == .tooLarge)
        #expect(transcript.json.count <= 100_000)
        #expect(Document.parse(transcript.json).nodeCount > 10_000)
    }

    @Test("an anchor cannot hold itself, and keys of keys of keys end")
    func boundsSelves() {
        let itself = FormattedDocument.make("&a [1, *a]", as: .yaml)
        #expect(itself.faults.first?.kind == .unknownAlias("a"))
        let keys = String(repeating: "{? ", count: 200) + "a" + String(repeating: "}", count: 200)
        let nested = ConvertedText(.make(keys), as: .yaml, limit: 10_000)
        #expect(nested.faults.first?.kind == .tooLarge)
        #expect(Document.parse(nested.json).fault?.kind == .unexpectedEnd)
    }

    @Test("keys of keys of keys cost no more than their bytes, however they nest")
    func boundsKeysOfKeys() {
        // Each level doubles the backslashes of those in it.
        let opened = FormattedDocument.make(String(repeating: "? ", count: 900) + "a", as: .yaml)
        #expect(opened.faults.contains { $0.kind == .tooLarge })
        #expect(opened.document.fault == nil)
        #expect(opened.document.bytes.count < 100_000)
    }

    @Test("100,000 levels are a fault at a place, not a crash", arguments: ["[", "{a: ", "- "])
    func boundsDepth(opener: String) {
        let opened = FormattedDocument.make(String(repeating: opener, count: 100_000), as: .yaml)
        #expect(opened.faults.count == 1)
        #expect(opened.document.nodeCount < 10_000)
    }

    @Test("values know their places, also behind characters of several bytes")
    func knowsPlaces() {
        let text = "é: 日本\nb:\n  - x\n  - &a y\nc: *a"
        let opened = FormattedDocument.make(text, as: .yaml)
        let positions = opened.document.allNodes.map { opened.position(of: $0) }
        let expected = [(1, 1), (1, 4), (3, 3), (3, 5), (4, 5), (5, 4)]
        #expect(positions == expected.map { TextPosition(line: $0.0, column: $0.1) })
    }

    @Test("very many anchors beside very many keys of keys are read in one go")
    func readsAnchorsBesideKeys() {
        var text = ""
        for number in 0..<20_000 { text += "k\(number): &a\(number) x\n? [y]\n: *a\(number)\n" }
        let opened = FormattedDocument.make(text, as: .yaml)
        #expect(opened.faults == [])
        #expect(opened.json.hasPrefix(#"{"k0":"x","[\"y\"]":"x","k1":"x""#))
    }

    @Test(
        "anchors of keys and inside them have their values",
        arguments: [
            ("o: &o 1\n? [&i 2]\n: x\np: *o\nq: *i\n", #"{"o":1,"[2]":"x","p":1,"q":2}"#),
            (
                "? &k [1, &v {a: b}]\n: *k\nc: *v\n",
                #"{"[1,{\"a\":\"b\"}]":[1,{"a":"b"}],"c":{"a":"b"}}"#
            ),
            ("? &k {&n a: 1}\n: *n\n", #"{"{\"a\":1}":"a"}"#),
            ("? !T &k [1]\n: *k\n", #"{"{\"!T\":[1]}":[1]}"#),
            ("? ? [&i 2]\n  : &j 3\n: [*i, *j]\n", #"{"{\"[2]\":3}":[2,3]}"#),
            ("? [&i 2]\n: &i 3\nq: *i\n", #"{"[2]":3,"q":3}"#),
            ("? [&i 2]\n: x\n? *i\n: y\n", #"{"[2]":"x","2":"y"}"#),
        ]
    )
    func keepsAnchorsOfKeys(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .yaml)
        #expect(opened.faults == [])
        #expect(opened.json == json)
    }

    @Test("what the anchors of keys hold is limited, however often they hold it")
    func boundsAnchorsOfKeys() {
        let long = "a: &a [" + String(repeating: "x, ", count: 4000) + "]\n"
        let keys = (0..<3000).map { "? [&k\($0) [*a]]\n: \($0)\n" }.joined()
        let opened = FormattedDocument.make(long + keys + "z: *k2999\n", as: .yaml)
        // 16 kB a key, which the limit of the text allows, and no more.
        #expect(opened.document.bytes.count < 200 << 20)
        let longer =
            "a: &a [" + String(repeating: "x, ", count: 40_000) + "]\n? [&k [*a]]\n: 1\nz: *k\n"
        let dropped = FormattedDocument.make(longer, as: .yaml)
        #expect(dropped.faults.map(\.kind) == [.tooLarge, .unknownAlias("k")])
    }

    @Test("what is read piece by piece is the same, wherever a piece ends")
    func pieces() throws {
        for shift in 0..<4 {
            let text = String(repeating: "-", count: shift) + String(repeating: "€", count: 10_000)
            let opened = FormattedDocument.make("a: \(text)\n", as: .yaml)
            #expect(opened.json == "{\"a\":\"\(text)\"}")
            #expect(opened.faults == [])
            guard case .mapping(let members)? = try YAMLValue.parse("a: \(text)")?.content else {
                Issue.record("no mapping")
                return
            }
            #expect(members.first?.value.text == text)
        }
    }

    @Test("a tree of values is given up as well when its text is made to be slow")
    func slowValues() {
        let text = (0..<300_000).map { "%TAG !a\($0)! x\n" }.joined() + "---\na: 1\n"
        let fault = #expect(throws: YAMLError.self) {
            try YAMLValue.parse(text, timeLimit: .milliseconds(100))
        }
        #expect(fault?.kind == .tookTooLong)
    }

    @Test("a value ends where it is written to the end")
    func ends() throws {
        let text = "a: &x 'b'\nc: [*x, d]\ne: |\n  f\n\ng: h"
        guard case .mapping(let members)? = try YAMLValue.parse(text)?.content else {
            Issue.record("no mapping")
            return
        }
        let ends = members.map { [$0.value.end.line, $0.value.end.column] }
        #expect(ends == [[1, 10], [2, 11], [6, 1], [6, 5]])
        guard case .sequence(let values) = members[1].value.content else { return }
        #expect(values.first?.end.line == 1 && values.first?.alias?.end.column == 7)
    }

    @Test("a tag that `%TAG` makes long is not kept for each value that has it")
    func longTags() {
        let prefix = String(repeating: "x", count: 1 << 20)
        let values = String(repeating: "- !a!b c\n", count: 100_000)
        let fault = #expect(throws: YAMLError.self) {
            try YAMLValue.parse("%TAG !a! \(prefix)\n---\n\(values)")
        }
        #expect(fault?.problem == "found a tag of more than 256 bytes")
    }
}
