import TestSupport
import Testing

@testable import Documents

@Suite struct DocumentDiffTests {
    private func lines(_ left: String, _ right: String, _ options: DiffOptions = DiffOptions())
        -> [String]
    {
        DocumentDiff(between: .make(left), and: .make(right), options: options)
            .lines().map(\.description)
    }

    @Test(
        "what differs is found and named",
        arguments: [
            (#"{"a":1,"b":2}"#, #"{ "b" : 2, "a" : 1 }"#, []),
            (#"{"\u0061":"\u00e9"}"#, #"{"a":"é"}"#, []),
            (#"{"a":1}"#, #"{"a":1.0}"#, []),
            (#"{"a":1}"#, #"{"a":2}"#, ["~ a  1 → 2"]),
            (#"{"a":1}"#, #"{"b":1}"#, ["- a  1", "+ b  1"].reversed()),
            (#"{"a":{"b":[1]}}"#, #"{"a":{"b":{}}}"#, ["~ a.b  [1] → {}"]),
            ("[1,2,3]", "[1,3]", ["- [1]  2"]),
            ("[1,3]", "[1,2,3]", ["+ [1]  2"]),
            ("[1,2,3]", "[1,5,3]", ["~ [1]  2 → 5"]),
            ("[1,2,3,4]", "[2,3,4,1]", ["↕ [0] → [3]"]),
            ("[[1],2]", "[[3],2]", ["~ [0][0]  1 → 3"]),
            (#"{"x":1,"x":2}"#, #"{"x":2,"x":1}"#, ["~ x  1 → 2", "~ x  2 → 1"]),
            (#"{"x":1,"x":2}"#, #"{"x":1}"#, ["- x  2"]),
            ("null", "false", ["~ $  null → false"]),
            (#"["\ud800"]"#, #"["\ud801"]"#, [#"~ [0]  "\ud800" → "\ud801""#]),
            (#"{"\ud800":1}"#, #"{"\uD800":1}"#, []),
            ("", "[1]", ["+ $  [1]"]), ("[1]", "", ["- $  [1]"]), ("", "", []),
            (
                #"[{"id":1,"a":1},{"id":2,"a":1}]"#, #"[{"id":2,"a":5}]"#,
                [#"- [0]  {"id":1,"a":1}"#, "~ [1].a  1 → 5"]
            ),
            (
                #"[{"id":1,"a":1,"b":1,"c":1}]"#, #"[{"id":9,"a":1,"b":1,"c":1}]"#,
                ["~ [0].id  1 → 9"]
            ),
            (
                #"[{"id":1,"a":1}]"#, #"[{"id":2,"a":3}]"#,
                [#"- [0]  {"id":1,"a":1}"#, #"+ [0]  {"id":2,"a":3}"#]
            ),
        ] as [(String, String, [String])]
    )
    func findsDifferences(left: String, right: String, expected: [String]) {
        #expect(lines(left, right) == expected)
    }

    @Test("no element moves to where it is, in any order of an array, and the patch stays right")
    func movesInPlace() throws {
        #expect(lines("[1,2,3]", "[3,2,1]") == ["↕ [0] → [2]", "↕ [2] → [0]"])
        #expect(lines("[1,2,3,4]", "[4,3,2,1]").count == 3)
        // Two blocks change places around an element that stays.
        #expect(
            lines("[1,2,3,4,5]", "[4,5,3,1,2]")
                == ["↕ [0] → [3]", "↕ [1] → [4]", "↕ [3] → [0]", "↕ [4] → [1]"]
        )
        var random = SeededGenerator(seed: 36)
        var orders: [[Int]] = []
        for count in 2...12 {
            let sorted = Array(0..<count)
            orders += [Array(sorted.reversed())]
            orders += (1..<count).map { Array(sorted[$0...] + sorted[..<$0]) }
            orders += (0..<40).map { _ in sorted.shuffled(using: &random) }
            // Elements that occur more than once, and arrays of different lengths.
            orders += (0..<40).map { _ in sorted.map { _ in Int.random(in: 0..<4, using: &random) }
            }
        }
        for order in orders {
            for start in [Array(0..<order.count), order.map { $0 % 3 }, Array(order.dropLast())] {
                let text = { (values: [Int]) in
                    "[" + values.map { "\($0)" }.joined(separator: ",") + "]"
                }
                let (left, right) = (Document.make(text(start)), Document.make(text(order)))
                let diff = DocumentDiff(between: left, and: right)
                for difference in diff.differences where difference.kind == .moved {
                    let (from, to) = (try #require(difference.left), try #require(difference.right))
                    #expect(
                        left.indexInParent(of: from) != right.indexInParent(of: to),
                        "\(start) \(order)"
                    )
                }
                #expect(try diff.patch().apply(to: left).sourceText(of: .root) == text(order))
            }
        }
    }

    @Test(
        "values that differ and look alike are spelled out",
        arguments: [
            (
                "{\"a\":\"caf\u{E9}\"}", "{\"a\":\"cafe\u{301}\"}",
                #"~ a  "caf\u00e9" → "cafe\u0301""#
            ),
            ("{\"a\":\"x\u{A0}y\"}", #"{"a":"x y"}"#, #"~ a  "x\u00a0y" → "x y""#),
            ("{\"a\":\"\u{212B}\"}", "{\"a\":\"\u{C5}\"}", #"~ a  "\u212b" → "\u00c5""#),
            (#"{"a":"é"}"#, #"{"a":"è"}"#, #"~ a  "é" → "è""#),
        ]
    )
    func lookAlikes(left: String, right: String, line: String) {
        #expect(lines(left, right) == [line])
    }

    @Test(
        "numbers are compared by value or by text as asked",
        arguments: [
            ("1", "1.0"), ("100", "1e2"), ("-0", "0"), ("1E400", "10e399"),
            ("123456789012345678901234567890", "123456789012345678901234567890.0"),
        ]
    )
    func comparesNumbers(left: String, right: String) {
        let documents = (Document.make("[\(left)]"), Document.make("[\(right)]"))
        #expect(DocumentDiff(between: documents.0, and: documents.1).isEqual)
        let byText = DiffOptions(numbers: .text)
        let diff = DocumentDiff(between: documents.0, and: documents.1, options: byText)
        #expect(diff.counts.changed == 1 && diff.counts.total == 1)
    }

    @Test("numbers that only a double takes for equal differ")
    func tellsLongNumbersApart() {
        #expect(lines("[9007199254740993]", "[9007199254740992]").count == 1)
        #expect(lines("[1e400]", "[1e401]").count == 1)
    }

    @Test("what is ignored makes no difference, nor a change of its container")
    func ignores() throws {
        let left = Document.make(#"{"at":1,"list":[{"at":[1,2],"v":1},{"v":2}],"old":0}"#)
        let right = Document.make(#"{"list":[{"v":1,"at":5},{"at":{},"v":2}],"new":0,"at":2}"#)
        func ignored(_ document: Document) -> NodeSet {
            NodeSet(
                document.allNodes.filter { ["at", "old", "new"].contains(document.key(of: $0)) }
            )
        }
        let options = DiffOptions(ignoredLeft: ignored(left), ignoredRight: ignored(right))
        let diff = DocumentDiff(between: left, and: right, options: options)
        #expect(diff.isEqual)
        #expect(diff.patch().operations.isEmpty)
        #expect(diff.mark(of: .root, in: .left) == .equal)
        #expect(diff.mark(of: NodeIndex(1), in: .left) == .ignored)
        let inner = try #require(left.allNodes.first { left.sourceText(of: $0) == "[1,2]" })
        #expect(diff.mark(of: NodeIndex(inner.rawValue + 1), in: .left) == .ignored)
    }

    @Test("ignored elements keep their places, and others are found around them")
    func ignoresElements() throws {
        let left = Document.make("[1,2,3,4]")
        let right = Document.make("[9,2,8,3,4]")
        let options = DiffOptions(
            ignoredLeft: NodeSet([NodeIndex(1)]),
            ignoredRight: NodeSet([NodeIndex(1)])
        )
        let diff = DocumentDiff(between: left, and: right, options: options)
        #expect(diff.lines().map(\.description) == ["+ [2]  8"])
        let patched = try diff.patch().apply(to: left)
        #expect(patched.sourceText(of: .root) == "[1,2,8,3,4]")
    }

    @Test("marks say what happened to each value, and containers that something in them did")
    func marksValues() {
        let left = Document.make(#"{"a":[1,0,{"b":2},3],"c":{"d":[4]},"e":5}"#)
        let right = Document.make(#"{"a":[3,1,0,{"b":9}],"e":5,"f":[6]}"#)
        let diff = DocumentDiff(between: left, and: right)
        let lefts = left.allNodes.map { diff.mark(of: $0, in: .left) }
        #expect(
            lefts == [
                .containsChanges, .containsChanges, .equal, .equal, .containsChanges, .changed,
                .moved, .removed, .removed, .removed, .equal,
            ]
        )
        let rights = right.allNodes.map { diff.mark(of: $0, in: .right) }
        #expect(
            rights == [
                .containsChanges, .containsChanges, .moved, .equal, .equal, .containsChanges,
                .changed, .equal, .added, .added,
            ]
        )
        #expect(diff.counts.added == 1 && diff.counts.removed == 1)
        #expect(diff.counts.changed == 1 && diff.counts.moved == 1)
        #expect(diff.counterpart(of: NodeIndex(5), in: .left) == NodeIndex(6))
        #expect(diff.counterpart(of: NodeIndex(6), in: .left) == nil)
        #expect(diff.mark(of: NodeIndex(99), in: .left) == .equal)
    }

    @Test("the next and the previous difference are found from any value of either side")
    func navigates() {
        let left = Document.make(#"{"a":1,"b":2,"c":3,"d":4}"#)
        let right = Document.make(#"{"d":5,"a":1,"b":3,"x":0,"c":3}"#)
        let diff = DocumentDiff(between: left, and: right)
        #expect(diff.lines().map(\.path) == ["b", "x", "d"])
        let after = left.allNodes.map { diff.indexOfDifference(after: $0, in: .left) }
        #expect(after == [0, 0, 1, 2, nil])
        let before = right.allNodes.map { diff.indexOfDifference(before: $0, in: .right) }
        #expect(before == [nil, 1, nil, nil, 0, 1])
    }

    @Test(
        "equal is what has the same canonical text, for random values and random edits",
        arguments: 0..<300
    )
    func agreesWithCanonicalText(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let model = DiffModel.random(4, &generator)
        let left = Document.make(model.text)
        let right = Document.make(model.edited(4, &generator).text)
        for numbers in [NumberComparison.text, .value] {
            let diff = DocumentDiff(
                between: left,
                and: right,
                options: DiffOptions(numbers: numbers)
            )
            let isEqual =
                left.canonical(byValue: numbers == .value)
                == right.canonical(byValue: numbers == .value)
            #expect(diff.isEqual == isEqual)
            expectConsistent(diff, byValue: numbers == .value)
        }
    }

    /// Equal values have equal counterparts, changed ones have others, and the rest has none.
    private func expectConsistent(_ diff: DocumentDiff, byValue: Bool) {
        for node in diff.left.allNodes {
            let mark = diff.mark(of: node, in: .left)
            guard let other = diff.counterpart(of: node, in: .left) else {
                #expect(mark == .removed || mark == .moved)
                continue
            }
            let text = diff.left.canonical(node, byValue: byValue)
            let isEqual = text == diff.right.canonical(other, byValue: byValue)
            #expect(isEqual == (mark == .equal))
            #expect(diff.counterpart(of: other, in: .right) == node)
            #expect(diff.mark(of: other, in: .right) == mark)
        }
        for difference in diff.differences where difference.kind == .moved {
            guard let left = difference.left, let right = difference.right else { continue }
            #expect(
                diff.left.canonical(left, byValue: byValue)
                    == diff.right.canonical(right, byValue: byValue)
            )
            #expect(
                diff.left.parent(of: left).flatMap { diff.counterpart(of: $0, in: .left) }
                    == diff.right.parent(of: right)
            )
        }
    }

    @Test("white space and escapes everywhere make no difference", arguments: 0..<30)
    func ignoresWriting(seed: Int) {
        let random = RandomJSON(seed: UInt64(seed), depth: 6)
        let diff = DocumentDiff(between: .make(random.minified), and: .make(random.spaced))
        #expect(diff.isEqual)
        #expect(diff.left.allNodes.allSatisfy { diff.mark(of: $0, in: .left) == .equal })
    }

    @Test("what is there of cut, broken and growing documents is compared")
    func comparesParts() {
        let whole = Document.make(#"{"a":[1,2,{"b":3}],"c":4}"#)
        let cut = DocumentDiff(between: whole, and: .make(#"{"a":[1,2,{"b":3"#))
        #expect(cut.isPartial)
        #expect(cut.lines().map(\.description) == ["- c  4"])
        #expect(!DocumentDiff(between: whole, and: whole).isPartial)
        let growing = Document(.make("[" + String(repeating: "[1,2],", count: 500) + "3]"))
        growing.parseStart(with: FastestScanner.self, window: 100)
        let diff = DocumentDiff(between: growing, and: growing)
        growing.parseAll(with: FastestScanner.self)
        #expect(diff.isPartial && diff.isEqual)
        let last = NodeIndex(growing.nodeCount - 1)
        #expect(diff.counterpart(of: last, in: .left) == nil)
        #expect(diff.counterpart(of: NodeIndex(5), in: .left) == NodeIndex(5))
    }

    @Test("a hundred thousand levels need no stack", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func comparesDeep(open: String, close: String) throws {
        let count = 100_000
        func deep(_ core: String) -> Document {
            .make(
                String(repeating: open, count: count) + core
                    + String(repeating: close, count: count)
            )
        }
        let left = deep("1")
        let diff = DocumentDiff(between: left, and: deep("2"))
        #expect(diff.counts.changed == 1)
        #expect(DocumentDiff(between: left, and: deep(" 1 ")).isEqual)
        #expect(diff.line(at: 0).path.hasPrefix("…"))
        let patched = try diff.patch().apply(to: left)
        #expect(patched.sourceText(of: NodeIndex(count)) == "2")
    }

    @Test("the asynchronous comparison finds the same, and ends when it is cancelled")
    func comparesInBackground() async throws {
        let left = Document.make("[1,2,3]")
        let right = Document.make("[3,1]")
        let diff = try await DocumentDiff.compare(left, with: right)
        #expect(diff.differences == DocumentDiff(between: left, and: right).differences)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await DocumentDiff.compare(left, with: right)
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
