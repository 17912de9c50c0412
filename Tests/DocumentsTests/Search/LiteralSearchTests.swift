import TestSupport
import Testing

@testable import Documents

@Suite struct LiteralSearchTests {
    /// What is found in a text, as it stands there.
    private func found(
        _ needle: String,
        in text: String,
        _ scope: SearchScope = .everything,
        _ letterCase: SearchCase = .sensitive
    ) -> [String] {
        let document = Document.make(text)
        let pattern = SearchPattern(text: needle, case: letterCase, in: scope)
        return DocumentSearch.make(pattern, in: document).allHits.map {
            document.bytes.string(in: $0)
        }
    }

    @Test(
        "escapes are found as what they stand for",
        arguments: [
            ("é", #"["\u00e9","é","\u00E9"]"#, [#"\u00e9"#, "é", #"\u00E9"#]),
            ("a\nb", #"["a\nb"]"#, [#"a\nb"#]),
            ("\"hi\"", #"["say \"hi\""]"#, [#"\"hi\""#]),
            ("a/b", #"["a\/b","a/b"]"#, [#"a\/b"#, "a/b"]),
            ("😀!", #"["\ud83d\ude00!"]"#, [#"\ud83d\ude00!"#]),
            ("ABC", #"["\u0041B\u0043"]"#, [#"\u0041B\u0043"#]),
            ("\\", #"["\\","\u005c","\""]"#, [#"\\"#, #"\u005c"#]),
            ("\u{FFFD}", #"["\ud83d","x"]"#, [#"\ud83d"#]),
        ] as [(String, String, [String])]
    )
    func escapes(needle: String, text: String, expected: [String]) {
        #expect(found(needle, in: text) == expected)
    }

    @Test(
        "the letters of an escape are no text",
        arguments: [
            ("n", #"["\n"]"#), ("u00e9", #"["\u00e9"]"#), ("e9", #"["\u00e9"]"#),
            (#"\n"#, #"["\n"]"#), ("\\", #"["\n\"\/"]"#), ("nx", #"["\nx"]"#),
            ("d", #"["\ud83d\ude00"]"#), ("n", #"["\\\n"]"#),
        ]
    )
    func noText(needle: String, text: String) {
        #expect(found(needle, in: text).isEmpty)
    }

    @Test("a letter behind an escaped backslash is text")
    func escapedBackslash() {
        #expect(found("n", in: #"["\\n"]"#) == ["n"])
        #expect(found(#"\n"#, in: #"["\\n"]"#) == [#"\\n"#])
    }

    @Test("everything is the text across its tokens")
    func acrossTokens() {
        #expect(found(#""id": 7"#, in: #"{"id": 7, "x": [{"id": 70}]}"#).count == 2)
        #expect(found(#"7,"é":"#, in: #"{"a":7,"\u00e9":1}"#) == [#"7,"\u00e9":"#])
    }

    @Test(
        "keys and values are told apart",
        arguments: [
            (SearchScope.keys, "id", 2), (.values, "id", 1), (.everything, "id", 3),
            (.keys, "\"id\"", 1), (.values, "7", 2), (.values, "7,", 0), (.keys, "d\" :", 0),
            (.values, "null", 1), (.keys, "é", 1), (.values, "é", 0), (.values, "\"", 5),
            (.keys, "\"", 10),
        ]
    )
    func scopes(scope: SearchScope, needle: String, count: Int) {
        let text = #"{"id" : 7, "a": "idx", "idx": null, "\u00e9": "7\"", "z":[1]}"#
        let model = SearchModel(text).hits(of: needle, in: scope, of: .make(text))
        #expect(model.count == count)
        #expect(found(needle, in: text, scope).count == model.count)
    }

    @Test(
        "capital letters don't count when asked so",
        arguments: [
            ("Abc", "abc ABC aBc abd", 3), ("É", "é É", 2), ("straße", "STRAẞE strasse", 1),
            ("ωx", "ΩX \u{2126}x ωX", 3), ("привет", "ПРИВЕТ Привет", 2), ("@[", "`{ @[", 1),
            ("ſé", "sé SÉ ſé", 3), ("İ", "i I İ", 1),
        ]
    )
    func cases(needle: String, text: String, count: Int) {
        #expect(found(needle, in: "[\"\(text)\"]", .everything, .insensitive).count == count)
    }

    @Test("smart case is sensitive when there is a capital letter")
    func smartCase() {
        #expect(found("abc", in: #"["ABC","abc"]"#, .everything, .smart).count == 2)
        #expect(found("Abc", in: #"["ABC","abc","Abc"]"#, .everything, .smart).count == 1)
    }

    @Test("hits don't overlap, and the first counts")
    func overlaps() {
        #expect(found("aa", in: #"["aaaaa"]"#).count == 2)
        #expect(found("aa", in: #"["a\u0061a\u0061a"]"#) == [#"a\u0061"#, #"a\u0061"#])
    }

    @Test("an empty text is found nowhere, and the search is over at once")
    func empty() {
        let search = DocumentSearch.make(SearchPattern(text: ""), in: .make("[1,2]"))
        #expect(search.progress.isFinished)
        #expect(search.progress.hitCount == 0)
        #expect(search.next(after: 0) == nil)
        #expect(DocumentSearch.make(SearchPattern(text: "a"), in: .make("")).progress.isFinished)
    }

    @Test("agrees with a naive search over decoded texts", arguments: 0..<60)
    func agreesWithModel(seed: UInt64) {
        let json = RandomJSON(seed: seed, depth: 4)
        var generator = SeededGenerator(seed: seed)
        for text in [json.minified, json.spaced] {
            let document = Document.make(text)
            let model = SearchModel(text)
            for _ in 0..<12 {
                let needle = Self.needle(from: model, using: &generator)
                for scope in SearchScope.allCases {
                    for isSensitive in [true, false] {
                        let pattern = SearchPattern(
                            text: needle,
                            case: isSensitive ? .sensitive : .insensitive,
                            in: scope
                        )
                        let expected = model.hits(
                            of: needle,
                            in: scope,
                            of: document,
                            isSensitive: isSensitive
                        )
                        for length in [64, 128, SliceScanner.length] {
                            let search = DocumentSearch.make(
                                pattern,
                                in: document,
                                sliceLength: length
                            )
                            #expect(search.allHits == expected, "\(needle) in \(text), \(scope)")
                        }
                    }
                }
            }
        }
    }

    /// A part of the decoded text, or a common character.
    static func needle(from model: SearchModel, using generator: inout SeededGenerator) -> String {
        let units = model.decoded(0..<model.bytes.count)
        guard units.count > 1, Int.random(in: 0..<5, using: &generator) > 0 else {
            return ["\"", "a", "\\", "é", "1", "e", " "].randomElement(using: &generator) ?? "a"
        }
        let start = Int.random(in: 0..<units.count, using: &generator)
        let count = Int.random(in: 1...min(20, units.count - start), using: &generator)
        var text = ""
        for unit in units[start..<start + count] { text.unicodeScalars.append(unit.scalar) }
        return text
    }
}
