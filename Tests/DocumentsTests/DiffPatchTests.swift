import TestSupport
import Testing

@testable import Documents

@Suite struct DiffPatchTests {
    @Test("the patch of two documents makes one of the other", arguments: 0..<500)
    func roundTrips(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let model = DiffModel.random(4, &generator)
        let isRelated = seed % 5 > 0
        let other = isRelated ? model.edited(4, &generator) : .random(4, &generator)
        let left = Document.make(model.text)
        let right = Document.make(other.text)
        for numbers in [NumberComparison.text, .value] {
            let options = DiffOptions(numbers: numbers)
            let patch = DocumentDiff(between: left, and: right, options: options).patch()
            let result = try patch.apply(to: left)
            let byValue = numbers == .value
            #expect(result.canonical(byValue: byValue) == right.canonical(byValue: byValue))
            let written = Document.parse(DocumentBytes(patch.jsonBytes()))
            let read = try JSONPatch(parsing: written)
            #expect(read == patch)
        }
    }

    @Test("arrays of few values in any order are patched", arguments: 0..<200)
    func patchesArrays(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        func array() -> String {
            let count = Int.random(in: 0..<30, using: &generator)
            let kinds = 1 + seed % 20
            return "["
                + (0..<count).map { _ in "\(Int.random(in: 0..<kinds, using: &generator))" }
                .joined(separator: ",") + "]"
        }
        let left = Document.make(array())
        let right = Document.make(array())
        let patch = DocumentDiff(between: left, and: right).patch()
        #expect(try patch.apply(to: left).sourceText(of: .root) == right.sourceText(of: .root))
    }

    @Test(
        "patches are short and their paths are escaped",
        arguments: [
            (
                #"{"a/b":{"~":1}}"#, #"{"a/b":{"~":2}}"#,
                [#"{"op":"replace","path":"/a~1b/~0","value":2}"#]
            ),
            ("[1,2,3,4]", "[4,1,2,3]", [#"{"op":"move","from":"/3","path":"/0"}"#]),
            (
                "[1,[2],3]", "[[2,5],3]",
                [#"{"op":"remove","path":"/0"}"#, #"{"op":"add","path":"/0/1","value":5}"#]
            ),
            (
                #"{"x":{"a":1,"a":2}}"#, #"{"x":{"a":1,"a":3}}"#,
                [#"{"op":"replace","path":"/x","value":{"a":1,"a":3}}"#]
            ),
            (#"{}"#, #"{"\ud800\"":[1.10]}"#, [#"{"op":"add","path":"/\ud800\"","value":[1.10]}"#]),
            ("1", "2", [#"{"op":"replace","path":"","value":2}"#]),
            ("[1]", "[1]", []),
        ] as [(String, String, [String])]
    )
    func writesPatch(left: String, right: String, operations: [String]) throws {
        let document = Document.make(left)
        let patch = DocumentDiff(between: document, and: .make(right)).patch()
        let text = String(decoding: patch.jsonBytes(), as: UTF8.self)
        let body = operations.joined(separator: ",\n ")
        #expect(text == (operations.isEmpty ? "[]\n" : "[\n \(body)\n]\n"))
        #expect(try patch.apply(to: document).canonical() == Document.make(right).canonical())
    }

    @Test("all operations do what RFC 6902, appendix A, shows", arguments: rfcExamples)
    func applies(example: (document: String, patch: String, result: String)) throws {
        let patch = try JSONPatch(parsing: .make(example.patch))
        let result = try patch.apply(to: .make(example.document))
        #expect(result.canonical() == Document.make(example.result).canonical())
    }

    private static let rfcExamples: [(document: String, patch: String, result: String)] = [
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#,
            #"{"baz":"qux","foo":"bar"}"#
        ),
        (
            #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
            #"{"foo":["bar","qux","baz"]}"#
        ),
        (#"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
        (
            #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#,
            #"{"foo":["bar","baz"]}"#
        ),
        (
            #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
            #"{"baz":"boo","foo":"bar"}"#
        ),
        (
            #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
            #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
            #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
        ),
        (
            #"{"foo":["all","grass","cows","eat"]}"#,
            #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
            #"{"foo":["all","cows","eat","grass"]}"#
        ),
        (
            #"{"baz":"qux","foo":["a",2,"c"]}"#,
            #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2.0}]"#,
            #"{"baz":"qux","foo":["a",2,"c"]}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
            #"{"foo":"bar","child":{"grandchild":{}}}"#
        ),
        (
            #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
            #"{"foo":"bar","baz":"qux"}"#
        ),
        (#"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
        (
            #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
            #"{"foo":["bar",["abc","def"]]}"#
        ),
        (
            #"{"a":[1,2]}"#,
            #"[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/0","value":0},{"op":"copy","from":"/b","path":"/c"}]"#,
            #"{"a":[1,2],"b":[0,1,2],"c":[0,1,2]}"#
        ),
        (#"{"a":1}"#, #"[{"op":"add","path":"","value":[true]}]"#, "[true]"),
    ]

    @Test(
        "what cannot be applied says which operation and why",
        arguments: [
            (
                #"[{"op":"test","path":"/baz","value":"bar"}]"#, #"{"baz":"qux"}"#,
                JSONPatchError.Reason.testFailed(.make("/baz"))
            ),
            (
                #"[{"op":"test","path":"/~01","value":"10"}]"#, #"{"/":9,"~1":10}"#,
                .testFailed(.make("/~01"))
            ),
            (
                #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, #"{"foo":"bar"}"#,
                .noValue(.make("/baz/bat"))
            ),
            (
                #"[{"op":"add","path":"/foo/bat","value":1}]"#, #"{"foo":"bar"}"#,
                .noContainer(.make("/foo/bat"))
            ),
            (#"[{"op":"add","path":"/2","value":1}]"#, "[1]", .badIndex(.make("/2"))),
            (#"[{"op":"add","path":"/01","value":1}]"#, "[1,2]", .badIndex(.make("/01"))),
            (#"[{"op":"remove","path":"/1"}]"#, "[1]", .noValue(.make("/1"))),
            (#"[{"op":"remove","path":"/-"}]"#, "[1]", .noValue(.make("/-"))),
            (#"[{"op":"replace","path":"/a","value":1}]"#, "{}", .noValue(.make("/a"))),
            (
                #"[{"op":"move","from":"/a","path":"/a/b"}]"#, #"{"a":{}}"#,
                .insideItself(.make("/a"))
            ),
        ]
    )
    func refuses(patch: String, document: String, reason: JSONPatchError.Reason) throws {
        let operations = try JSONPatch(
            parsing: .make(
                #"[{"op":"test","path":"","value":"# + document + "}," + patch.dropFirst()
            )
        )
        #expect(throws: JSONPatchError(operation: 1, reason: reason)) {
            try operations.apply(to: .make(document))
        }
        #expect(JSONPatchError(operation: 1, reason: reason).description.hasPrefix("operation 2: "))
    }

    @Test(
        "what is no patch says why",
        arguments: [
            ("{}", nil, JSONPatchError.Reason.notAList), ("[1]", 0, .notAnObject),
            (#"[{"path":""}]"#, 0, .missing("op")), (#"[{"op":"remove"}]"#, 0, .missing("path")),
            (#"[{"op":"add","path":""}]"#, 0, .missing("value")),
            (#"[{"op":"move","path":""}]"#, 0, .missing("from")),
            (#"[{"op":"spam","path":""}]"#, 0, .unknownOperation("spam")),
            (#"[{"op":"remove","path":"a"}]"#, 0, .badPointer("a")),
            (#"[{"op":"remove","path":"/~2"}]"#, 0, .badPointer("/~2")),
        ] as [(String, Int?, JSONPatchError.Reason)]
    )
    func refusesToRead(text: String, operation: Int?, reason: JSONPatchError.Reason) {
        #expect(throws: JSONPatchError(operation: operation, reason: reason)) {
            try JSONPatch(parsing: .make(text))
        }
    }

    @Test("a broken patch is not read")
    func refusesBrokenPatch() {
        #expect(throws: JSONPatchError.self) { try JSONPatch(parsing: .make("[")) }
    }

    @Test("paths that would be longer than the document become one replacement")
    func boundsPaths() throws {
        func deep(_ value: Int) -> Document {
            let levels = 20_000
            return .make(
                String(repeating: "[\(value),", count: levels) + "0"
                    + String(repeating: "]", count: levels)
            )
        }
        let left = deep(1)
        let patch = DocumentDiff(between: left, and: deep(2)).patch()
        #expect(patch.operations.count == 1)
        #expect(try DocumentDiff(between: patch.apply(to: left), and: deep(2)).isEqual)
    }

    @Test("pointers are taken apart as RFC 6901 shows")
    func readsPointers() {
        let pointer = JSONPointer("/a~1b/m~0n/ //0")
        #expect(
            pointer?.tokens.map { String(decoding: $0, as: UTF8.self) } == [
                "a/b", "m~n", " ", "", "0",
            ]
        )
        #expect(JSONPointer("")?.tokens.isEmpty == true)
        #expect(JSONPointer("a") == nil)
        #expect(JSONPointer("/~") == nil)
    }
}

extension JSONPointer {
    static func make(_ text: String) -> JSONPointer { JSONPointer(text) ?? .root }
}
