import Apus
import FoundationEssentials
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import Recordings

@Suite("searching a history")
struct HistorySearchTests {
    private let bench = HistoryBench()

    private func filled() async throws -> History {
        let history = bench.history()
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let records: [ExchangeRecord] = [
            .make(.make("/a"), status: 200, body: Array(#"{"name":"Ada Lovelace"}"#.utf8)),
            .make(
                .make("/b?q=needle", method: .post, body: .bytes(Array("asked Grace".utf8))),
                status: 503,
                fields: [.server: "Teapot/1.0"],
                started: now.addingTimeInterval(-2 * 86_400)
            ),
            .make(
                .make("/c", authority: "other.example"),
                status: 404,
                started: now.addingTimeInterval(-600)
            ),
            .failed("/d", .nameLookup(host: "api", detail: "no such name")),
            .make(
                .make("/e"),
                body: Array("100% of naïve ÉCOLE".utf8),
                origin: .init(target: "schools", environment: "staging")
            ),
        ]
        try await history.keep(records)
        return history
    }

    @Test("an index that is stopped keeps what it has, and goes on from there")
    func stopping() async throws {
        let history = try await filled()
        try await history.takeInAll()
        let pool = try history.database()
        let index = try SearchIndex(path: "\(bench.path)-other", salt: [1])
        // It asks for each of five when it reads it, and when it adds it.
        var asked = 0
        let hasMore = try index.advance(pool, history.bodies) {
            asked += 1
            return asked <= 7
        }
        #expect(hasMore)
        #expect(try index.last() == 2)
        while try index.advance(pool, history.bodies, while: { true }) {}
        #expect(try index.last() == 5)
        for (text, id) in [("lovelace", Int64(1)), ("needle", 2), ("no such name", 4)] {
            let filter = try HistoryFilter("\"\(text)\"")
            var found = try #require(try index.candidates(filter))
            #expect(try found.next(before: .max) == [id])
        }
        await history.close()
    }

    @Test(
        "terms find what they name, all of them together",
        arguments: [
            ("", ["/e", "/d", "https://other.example/c", "/b?q=needle", "/a"]),
            ("status:5xx", ["/b?q=needle"]), ("status:404", ["https://other.example/c"]),
            ("status:400-499 status:503", ["https://other.example/c", "/b?q=needle"]),
            ("status:error", ["/d"]), ("method:post", ["/b?q=needle"]),
            ("host:OTHER", ["https://other.example/c"]), ("target:school", ["/e"]),
            ("env:staging", ["/e"]),
            ("workspace:demo", ["/d", "https://other.example/c", "/b?q=needle", "/a"]),
            ("url:q=n", ["/b?q=needle"]), ("url:%", []),
            ("source:server status:200", ["/e", "/a"]),
            ("source:cache", []), ("before:1d", ["/b?q=needle"]),
            ("after:1d before:5m", ["https://other.example/c"]),
            ("after:today method:get status:404", ["https://other.example/c"]),
            ("lovelace", ["/a"]), ("\"ada lovelace\"", ["/a"]), ("needle", ["/b?q=needle"]),
            ("teapot", ["/b?q=needle"]), ("grace asked", ["/b?q=needle"]),
            ("body:grace", ["/b?q=needle"]), ("body:teapot", []), ("\"no such name\"", ["/d"]),
            ("école", ["/e"]), ("100%", ["/e"]), ("404", ["https://other.example/c"]),
            ("POST grace", ["/b?q=needle"]), ("ce", ["/b?q=needle", "/a"]),
            ("lovelace status:404", []), ("https://other", ["https://other.example/c"]),
        ]
    )
    func terms(filter: String, expected: [String]) async throws {
        let history = try await filled()
        let found = try await history.paths(filter)
        #expect(found.sorted() == expected.sorted(), "\(filter)")
        await history.close()
    }

    @Test(
        "of several terms for a text all must match, of several for a value one, indexed or not",
        arguments: [
            ("url:/b url:needle", [2]), ("url:/b url:/c", []), ("url:/b url:/b?q", [2]),
            ("host:other host:example", [3]), ("host:other host:api", []),
            ("target:scho target:ools", [5]), ("target:users target:schools", []),
            ("env:stag env:ging", [5]), ("env:local env:staging", []),
            ("workspace:dem workspace:emo method:post", [2]), ("workspace:demo workspace:mode", []),
            ("body:ada body:lovelace", [1]), ("body:ada body:grace", []),
            ("method:post method:delete", [2]), ("status:404 status:503", [3, 2]),
            ("source:cache source:server status:404", [3]),
            ("after:1d after:3d method:post", []), ("before:1d before:1m", [2]),
        ] as [(String, [Int64])]
    )
    func severalTerms(terms: String, expected: [Int64]) async throws {
        let history = try await filled()
        let filter = try HistoryFilter(
            terms,
            now: Date(timeIntervalSinceReferenceDate: 800_000_000)
        )
        let indexed = try await history.exchanges(matching: filter)
        #expect(indexed.map(\.id) == expected, "\(terms)")
        let scanned = try await history.database().read { [bodies = history.bodies] db in
            try HistorySearch(filter: filter, bodies: bodies, db: db)
                .page(before: nil, limit: 100, index: nil)
        }
        #expect(scanned.map(\.id) == expected, "\(terms)")
        await history.close()
    }

    @Test("a name of a session is exact, and of several one is enough")
    func sessionNames() async throws {
        let history = bench.history()
        for name in ["demo", "Demo", "other"] {
            let session = try await history.beginSession(named: name)
            try await history.keep([.make(.make("/\(name)"))], in: session)
        }
        #expect(try await history.paths("session:Demo") == ["/Demo"])
        #expect(try await history.paths("session:demo session:other") == ["/other", "/demo"])
        await history.close()
    }

    @Test("what a plugin made of a failure is found by its source")
    func syntheticSource() async throws {
        let history = bench.history()
        var made = ExchangeRecord.make(.make("/made"))
        made.result = made.result.map { response in
            var response = response
            response.source = .synthetic(ApusError(.nameLookup(host: "api", detail: "none")))
            return response
        }
        try await history.keep([.make(), made])
        #expect(try await history.paths("source:synthetic") == ["/made"])
        await history.close()
    }

    @Test(
        "what is no term is an error that says what is known",
        arguments: [
            "status:abc", "status:", "status:9xx5", "after:someday", "before:2026-13-01",
            "after:25:00", "source:moon", "is:new", "method:",
        ]
    )
    func faults(text: String) {
        let error = #expect(throws: HistoryFilterError.self) { try HistoryFilter(text) }
        #expect(error?.term == text)
    }

    @Test(
        "a word that is nearly the name of a term is told, and any other is a text",
        arguments: [
            ("stauts:5xx", "status:5xx"), ("methd:get", "method:get"), ("Statsu:404", "status:404"),
            ("environment:local", "env:local"), ("code:500", "status:500"), ("notes:a", "note:a"),
            ("urn:isbn:1", nil), ("http://h/", nil), ("10:30", nil), ("\"stauts:5xx\"", nil),
            ("id:5", nil), ("x-trace:7", nil), ("colour:red", nil),
        ] as [(String, String?)]
    )
    func nearNames(text: String, meant: String?) throws {
        guard let meant else {
            #expect(try HistoryFilter(text).words == [text.replacing("\"", with: "")])
            return
        }
        let error = #expect(throws: HistoryFilterError.self) { try HistoryFilter(text) }
        #expect(error?.detail.contains("did you mean \(meant)?") == true)
    }

    @Test("times are those of a calendar, a clock, or so long ago")
    func times() throws {
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)  // 2026-05-09 06:13:20
        let utc = try #require(TimeZone(secondsFromGMT: 0))
        func after(_ text: String) throws -> Double? {
            try HistoryFilter("after:\(text)", now: now, timeZone: utc).after.map {
                now.timeIntervalSince($0)
            }
        }
        let morning: Double = 6 * 3600 + 13 * 60 + 20
        #expect(try after("today") == morning)
        #expect(try after("yesterday") == morning + 86_400)
        #expect(try after("2026-05-08") == morning + 86_400)
        #expect(try after("2026-05-08T06:13") == 86_400 + 20)
        #expect(try after("05:13") == 3620)
        #expect(try after("90s") == 90)
        #expect(try after("2h") == 7200)
        #expect(try after("1w") == 604_800)
    }

    @Test("what was recorded a moment ago is found, before it is indexed and after")
    func fresh() async throws {
        let history = bench.history()
        for number in 0..<30 {
            try await history.keep([.make(.make("/\(number)"), body: Array("word\(number)!".utf8))])
            #expect(try await history.paths("word\(number)!") == ["/\(number)"])
        }
        await history.close()
        // Another process finds it, too, and goes on with the index.
        let again = bench.history()
        #expect(try await again.paths("word17!") == ["/17"])
        await again.close()
    }

    @Test("an index that is lost, damaged or another's is made again")
    func lostIndex() async throws {
        let history = try await filled()
        #expect(try await history.paths("lovelace") == ["/a"])
        await history.close()
        for content in ["", "no index, but long enough to be looked at as a database"] {
            for name in bench.files where name.contains("-search") {
                try FileManager.default.removeItem(atPath: "\(bench.folder.path)/apus/\(name)")
            }
            try PrivateFiles.replace(bench.path + "-search", with: Array(content.utf8))
            let again = bench.history()
            #expect(try await again.paths("lovelace") == ["/a"])
            await again.close()
        }
    }

    @Test("pages of a search follow one another, over what is indexed and what is not")
    func pages() async throws {
        let history = bench.history()
        try await history.keep((0..<300).map { .make(.make("/\($0)"), body: Array("same".utf8)) })
        _ = try await history.paths("same", limit: 1)
        var end: Int64?
        var seen: [Int64] = []
        while true {
            let page = try await history.exchanges(
                matching: try HistoryFilter("same method:get"),
                before: end,
                limit: 70
            )
            guard let last = page.last else { break }
            seen += page.map(\.id)
            end = last.id
        }
        #expect(seen == Array((1...300).reversed()))
        await history.close()
    }

    @Test("a time is found over what is indexed and what is not, wherever imports put it")
    func timeRanges() async throws {
        let history = bench.history()
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        // Each part of the index has some thousands of numbers: few of them are given here.
        func keep(_ paths: String, from number: Int64) async throws {
            var configuration = Configuration()
            configuration.busyTimeout = .seconds(5)
            let file = try DatabaseQueue(path: bench.path, configuration: configuration)
            try await file.write { try $0.execute(sql: "UPDATE total SET last = \(number)") }
            try await history.keep(
                paths.map { path in
                    .make(
                        .make("/\(path)"),
                        status: path == "d" || path == "e" ? 404 : 200,
                        started: now.addingTimeInterval(path.isUppercase ? -9 * 86_400 : -3600)
                    )
                }
            )
        }
        #expect(try await history.paths("before:1w").isEmpty)
        for (part, paths) in ["AB", "cD", "ef", "dGh", "", "I", "K"].enumerated() {
            try await keep(paths, from: Int64(part) << 14)
        }
        #expect(try await history.paths("/b") == ["/B"])
        try await keep("Lmn", from: 7 << 14)
        for _ in 0..<2 {
            #expect(try await history.paths("before:1w") == "LKIGDBA".map { "/\($0)" })
            #expect(try await history.paths("after:1w") == "nmhdfec".map { "/\($0)" })
            #expect(
                try await history.paths("after:10d before:8d status:200", limit: 2) == ["/L", "/K"]
            )
            #expect(try await history.paths("after:1d status:404") == ["/d", "/e"])
            #expect(
                try await history.paths("before:1w", before: 5 << 14, limit: 2) == ["/G", "/D"]
            )
            #expect(try await history.paths("before:1w example url:/g") == ["/G"])
            #expect(try await history.paths("after:1w before:2h").isEmpty)
            // Now the index knows all.
            #expect(try await history.paths("/m get") == ["/m"])
        }
        await history.close()
    }

    @Test(
        "words of a note are found, whether its exchange is indexed or not, and only while it is there"
    )
    func wordsOfNotes() async throws {
        let history = bench.history()
        try await history.keep((0..<300).map { .make(.make("/\($0)"), body: Array("same".utf8)) })
        #expect(try await history.paths("same", limit: 1) == ["/299"])
        for id in [1, 150, 300] as [Int64] { try await history.note("a zebra, the same", on: id) }
        #expect(try await history.paths("zebra") == ["/299", "/149", "/0"])
        #expect(try await history.paths("zebra same get") == ["/299", "/149", "/0"])
        #expect(try await history.paths("note:zebra note:same", limit: 2) == ["/299", "/149"])
        #expect(try await history.paths("note:zebra note:horse").isEmpty)
        try await history.mark(150, true)
        #expect(try await history.paths("is:marked is:noted") == ["/149"])
        #expect(try await history.paths("body:zebra").isEmpty)
        try await history.note(nil, on: 150)
        #expect(try await history.paths("zebra") == ["/299", "/0"])
        await history.close()
    }

    @Test(
        "characters in a row are found, however many and in whatever letters",
        arguments: [
            ("0000", ["/c", "/b", "/a"]), ("00000", ["/c", "/b"]), ("0000000000000", ["/c"]),
            ("00000000000000", []), ("x00000y", ["/b"]), ("aaaa", ["/c"]), ("AAAA", ["/c"]),
            ("SSSS", ["/b"]), ("kkkkkk", ["/a"]), ("------", ["/a"]), ("-------", []),
            ("éééé", ["/c"]),
        ]
    )
    func runs(filter: String, expected: [String]) async throws {
        let history = bench.history()
        let texts = ["0000 kKkkKk ------", "x00000Y SssS", "0000000000000 aAaA éÉéé"]
        try await history.keep(
            zip(["/a", "/b", "/c"], texts).map { .make(.make($0), body: Array($1.utf8)) }
        )
        #expect(try await history.paths(filter) == expected)
        await history.close()
    }
}
