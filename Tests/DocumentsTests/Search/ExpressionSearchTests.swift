import Dispatch
import Glibc
import Testing

@testable import Documents

@Suite struct ExpressionSearchTests {
    private func found(
        _ expression: String,
        in text: String,
        _ scope: SearchScope = .everything,
        sliceLength: Int = SliceScanner.length
    ) throws -> [String] {
        let document = Document.make(text)
        let pattern = try SearchPattern(expression: expression, case: .sensitive, in: scope)
        return DocumentSearch.make(pattern, in: document, sliceLength: sliceLength).allHits.map {
            document.bytes.string(in: $0)
        }
    }

    @Test("begin and end are those of a key or value")
    func anchors() throws {
        let text = #"{"id": "id", "ids": 12, "x": [1, "12", "a id"]}"#
        #expect(try found("^id$", in: text, .keys) == ["id"])
        #expect(try found("^id", in: text) == ["id", "id", "id"])
        #expect(try found("^1", in: text, .values) == ["1", "1", "1"])
        #expect(try found("^\\d+$", in: text) == ["12", "1", "12"])
        #expect(try found("id$", in: text, .values) == ["id", "id"])
    }

    @Test("escapes are matched as what they stand for, and found where they stand")
    func escapes() throws {
        #expect(try found("é", in: #"["caf\u00e9!"]"#) == [#"\u00e9"#])
        #expect(try found("a.b", in: #"["xa\nbx"]"#) == [#"a\nb"#])
        #expect(try found("^\"", in: #"["\"q\""]"#) == [#"\""#])
        #expect(try found("\\\\n", in: #"["\\n","\n"]"#) == [#"\\n"#])
        #expect(try found("\\x{1F600}+", in: #"["\ud83d\ude00😀"]"#) == [#"\ud83d\ude00😀"#])
    }

    @Test("empty matches don't count, and all others do")
    func emptyMatches() throws {
        #expect(try found("x*", in: #"["axxbéx", "é"]"#) == ["xx", "x"])
        #expect(try found("$", in: #"["a", ""]"#).isEmpty)
    }

    @Test("slices change nothing", arguments: 0..<30)
    func slices(seed: UInt64) throws {
        let text = RandomJSON(seed: seed, depth: 5).spaced
        for pattern in ["^.", "[a-z]+$", "é|\\d\\d", "\\W"] {
            for scope in SearchScope.allCases {
                let whole = try found(pattern, in: text, scope)
                #expect(try found(pattern, in: text, scope, sliceLength: 64) == whole)
                #expect(whole.allSatisfy { !$0.isEmpty })
            }
        }
    }

    @Test("matches in a long string are all found", arguments: ["", #"\u00e9"#])
    func longStrings(escape: String) throws {
        let unit = "needle" + escape + String(repeating: "é.", count: 50)
        let text = "[\"\(String(repeating: unit, count: 4000))\", \"needle\"]"
        let lengths = [1024, SliceScanner.length]
        for length in lengths {
            #expect(try found("needle", in: text, sliceLength: length).count == 4001)
            #expect(try found("^needle", in: text, sliceLength: length).count == 2)
            #expect(try found("\\.needle", in: text, sliceLength: length).count == 3999)
            #expect(try found("needle$", in: text, sliceLength: length).count == 1)
        }
    }

    @Test("other texts are searched line by line")
    func lines() async throws {
        let bytes = DocumentBytes.make("ab\r\ncab\n\nab")
        let start = DocumentSearch(try SearchPattern(expression: "^ab"), in: bytes)
        while start.searchSlice() {}
        #expect(start.allHits == [0..<2, 9..<11])
        let end = DocumentSearch(try SearchPattern(expression: "ab$"), in: bytes)
        while end.searchSlice() {}
        #expect(end.allHits == [0..<2, 5..<7, 9..<11])
    }

    @Test("a pattern that takes too long in one value is searched in the others")
    func tooComplex() throws {
        let text = "[\"\(String(repeating: "a", count: 200))bc\",\"xyz\"]"
        let pattern = try SearchPattern(expression: "^(a|aa|aaa)+\\1b$|z")
        let search = DocumentSearch.make(pattern, in: .make(text))
        #expect(search.progress.hitCount == 1)
        #expect(search.progress.error?.reason == .tooComplex)
    }

    @Test("a search that is cancelled in a long value goes on there later")
    func cancels() async throws {
        let text = "[\"\(String(repeating: "ab", count: 20_000)) c\",\"abc\"]"
        let pattern = try SearchPattern(expression: "(?:a|b)+c")
        let search = DocumentSearch(pattern, in: Document.make(text))
        let task = Task { await search.run() }
        // From a thread of its own: among other tests a task may come too late.
        DispatchQueue.global().async {
            while !search.withState({ $0.isBusy || $0.isFinished }) { sched_yield() }
            task.cancel()
        }
        await task.value
        #expect(!search.progress.isFinished)
        #expect(search.progress.searchedBytes == 0)
        await search.run()
        #expect(search.progress.hitCount == 1)
    }

    @Test("a pattern that takes too long everywhere is given up after a few attempts")
    func givesUp() async throws {
        let value = "\"" + String(repeating: "a", count: 40) + "b\""
        let text = "[" + String(repeating: value + ",", count: 20_000) + value + "]"
        let pattern = try SearchPattern(expression: "(a+)+$")
        let search = DocumentSearch(pattern, in: Document.make(text))
        // Nothing of it runs on the thread that asks.
        #expect(search.progress.searchedBytes == 0)
        await search.run()
        #expect(search.progress.isFinished)
        #expect(search.progress.error?.reason == .tooComplex)
        #expect(search.withState { $0.next.givenUp } == ExpressionScan.mostGivenUp)
    }
}
