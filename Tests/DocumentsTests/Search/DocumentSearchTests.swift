import Synchronization
import Testing

@testable import Documents

@Suite struct DocumentSearchTests {
    private static let text =
        #"{"name":"one","list":[{"name":"tw\u006f"},{"name":"three name"}],"last":"name"}"#

    private static func search(_ needle: String, in text: String = text) -> DocumentSearch {
        DocumentSearch(SearchPattern(text: needle), in: Document.make(text))
    }

    // MARK: - Hits

    @Test("next and previous go from hit to hit and around")
    func nextAndPrevious() {
        let search = Self.search("name")
        var at = -1
        var numbers: [Int] = []
        for _ in 0..<6 {
            guard let hit = search.next(after: at) else {
                Issue.record("no hit")
                return
            }
            #expect(hit.isWrapped == (hit.number <= numbers.last ?? 0))
            numbers.append(hit.number)
            at = hit.range.lowerBound
        }
        #expect(numbers == [1, 2, 3, 4, 5, 1])
        let last = search.previous(before: at)
        #expect(last?.number == 5)
        #expect(last?.isWrapped == true)
        #expect(search.previous(before: .max)?.isWrapped == false)
        #expect(search.next(after: .max)?.number == 1)
        #expect(search.previous(before: last?.range.lowerBound ?? 0)?.number == 4)
    }

    @Test("rows with hits follow one another")
    func nodes() {
        let search = Self.search("name")
        let document = search.document ?? .make()
        var node = NodeIndex.root
        var found: [String] = []
        while let hit = search.next(after: node), !hit.isWrapped, let next = search.node(of: hit) {
            node = next
            found.append(document.dottedPath(of: node))
        }
        #expect(found == ["name", "list[0].name", "list[1].name", "last"])
        #expect(search.next(after: node)?.isWrapped == true)
        let before = search.previous(before: node).flatMap { search.node(of: $0) }
        #expect(before.map { document.dottedPath(of: $0) } == "list[1].name")
    }

    @Test("a hit belongs to the last value that begins before it", arguments: 0..<20)
    func nodeOfOffset(seed: UInt64) {
        let document = Document.make(RandomJSON(seed: seed, depth: 4).spaced)
        for offset in 0..<document.bytes.count {
            let expected = document.allNodes.last { document.start(of: $0) <= offset }
            #expect(document.lastNode(from: offset) == expected)
        }
    }

    @Test("hits of which only the count was kept are found again", arguments: [0, 1, 7, 1000])
    func bounded(bound: Int) {
        let text = "[\"" + String(repeating: #"ab\u0061ab.c"#, count: 200) + "\"]"
        let document = Document.make(text)
        let pattern = SearchPattern(text: "ab")
        let all = DocumentSearch.make(pattern, in: document, sliceLength: 64).allHits
        let search = DocumentSearch.make(pattern, in: document, sliceLength: 64, keptHits: bound)
        #expect(search.allHits == all)
        #expect(search.progress.hitCount == all.count)
        var backwards: [Range<Int>] = []
        var at = Int.max
        while let hit = search.previous(before: at), !hit.isWrapped {
            #expect(hit.number == all.count - backwards.count)
            backwards.append(hit.range)
            at = hit.range.lowerBound
        }
        #expect(backwards.reversed() == all)
        for start in stride(from: 0, to: text.utf8.count, by: 13) {
            let range = start..<start + 40
            #expect(search.hits(in: range) == all.filter { $0.overlaps(range) })
        }
    }

    // MARK: - Parts of a document

    @Test("what the parser does not reach is searched too")
    func brokenDocument() {
        let search = Self.search("name", in: #"{"name": tru, "x": "name \u006eame"#)
        #expect(search.document?.fault != nil)
        #expect(search.progress.hitCount == 3)
        #expect(search.progress.isFinished)
    }

    @Test("every prefix of a text is searched", arguments: SearchScope.allCases)
    func prefixes(scope: SearchScope) throws {
        let bytes = Array(#"{"n\u0061me" : "a\\\"\ud83d\ude00 name", "x":[name]}"#.utf8)
        for end in 0...bytes.count {
            let document = Document.parse(DocumentBytes(Array(bytes[..<end])))
            let text = SearchPattern(text: "name", in: scope)
            #expect(DocumentSearch.make(text, in: document, sliceLength: 64).progress.isFinished)
            let expression = try SearchPattern(expression: "[a-z]+", in: scope)
            #expect(DocumentSearch.make(expression, in: document).progress.isFinished)
        }
    }

    @Test("a line feed ends a string that has no end")
    func brokenString() {
        let pattern = SearchPattern(text: "b", in: .keys)
        let document = Document.make("{\"a: 1}\n{\"b\": \"b\"}\n")
        #expect(DocumentSearch.make(pattern, in: document).allHits == [10..<11])
    }

    @Test("bytes that come later are searched when they are there", arguments: SearchScope.allCases)
    func growing(scope: SearchScope) async throws {
        let text = "[" + String(repeating: #"{"name":"n\u0061me name"},"#, count: 40_000) + "0]"
        let document = Document.make(text)
        let patterns = [
            SearchPattern(text: "name", in: scope),
            try SearchPattern(expression: "na.e", in: scope),
        ]
        for pattern in patterns {
            let whole = DocumentSearch.make(pattern, in: document, sliceLength: 4096)
            let loaded = Mutex(0)
            let search = DocumentSearch(
                pattern,
                in: document.bytes,
                document: document,
                sliceLength: 4096,
                extent: {
                    let count = loaded.withLock { $0 }
                    return .init(count: count, isWhole: count == document.bytes.count)
                }
            )
            #expect(search.progress.hitCount == 0)
            while !search.progress.isFinished {
                loaded.withLock { $0 = min($0 + 77_777, document.bytes.count) }
                await search.run()
            }
            #expect(search.progress == whole.progress)
            #expect(
                search.hits(in: 0..<document.bytes.count)
                    == whole.hits(in: 0..<document.bytes.count)
            )
        }
    }

    @Test("a cancelled search goes on later")
    func cancelled() async {
        let text = "[" + String(repeating: "\"name\",", count: 200_000) + "0]"
        let search = Self.search("name", in: text)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await search.run()
        }
        await task.value
        #expect(!search.progress.isFinished)
        #expect(search.progress.hitCount > 0)
        let reports = Mutex(0)
        await search.run { _ in reports.withLock { $0 += 1 } }
        #expect(search.progress.isFinished)
        #expect(search.progress.hitCount == 200_000)
        #expect(reports.withLock { $0 } > 0)
    }

    @Test("hits may be asked for while the search runs")
    func concurrent() async {
        let text = "[" + String(repeating: "\"name\",", count: 200_000) + "0]"
        let search = Self.search("name", in: text)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await search.run() }
            group.addTask { await search.run() }
            group.addTask {
                var at = 0
                while let hit = search.next(after: at), !hit.isWrapped {
                    at = hit.range.lowerBound + 7000
                }
            }
        }
        #expect(search.progress.hitCount == 200_000)
    }
}
