import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import Recordings
import SQLite
import TestSupport
import Testing

@Suite("a history on disk")
struct HistoryTests {
    private let bench = HistoryBench()

    @Test("an exchange comes back as it was recorded")
    func roundTrip() async throws {
        let history = bench.history()
        var origin = ExchangeOrigin(target: "users", workspace: "demo", environment: "local")
        origin.variables = ["page": "2"]
        let record = ExchangeRecord.make(
            .make(
                method: .post,
                fields: [.accept: "a: b", .contentType: "text/plain"],
                body: .bytes(Array("ask".utf8))
            ),
            fields: [.eTag: "\"a\""],
            origin: origin
        )
        try await history.keep([record])
        #expect(history.recordedCount == 1)
        let listed = try #require(try await history.exchanges().first)
        #expect(listed.request.description == "POST https://api.example.com/users")
        #expect((listed.status, listed.size, listed.source) == (200, 5, "server"))
        #expect(listed.origin.target == "users" && listed.origin.environment == "local")
        #expect((listed.duration, listed.attempts) == (.milliseconds(12), 2))
        #expect(listed.phases == (try record.result.get()).metrics?.phases)
        #expect(listed.started == record.started)

        let whole = try #require(try await history.exchange(listed.id))
        let response = try whole.result.get()
        let original = try record.result.get()
        #expect(response.source == .replay && response.isComplete)
        #expect(response.head == original.head)
        #expect(response.body == original.body)
        #expect(response.received == original.received)
        #expect(response.metrics == original.metrics)
        #expect(whole.request.head == record.request.head)
        #expect(whole.request.body == record.request.body)
        #expect(whole.events == record.events)
        #expect(whole.variables == ["page": "2"])
        #expect(try await history.exchange(2) == nil)
        await history.close()
    }

    @Test("what TLS refused, and that a server was not verified, is kept")
    func tls() async throws {
        let history = bench.history()
        var refused = ExchangeRecord.make(.make("/refused"))
        var error = ApusError(.tls(.otherHost, host: "h", detail: ""), request: nil)
        error.refusedConnection = .init(
            tls: .init(version: "TLSv1.3", isVerified: false, fault: .otherHost),
            certificates: [.init(fields: [.init(name: "Subject", value: "CN = other")])]
        )
        refused.result = .failure(error)
        var unverified = ExchangeRecord.make(.make("/unverified"))
        var response = try unverified.result.get()
        response.metrics?.tls = .init(isVerified: false, fault: .selfSignedCertificate)
        unverified.result = .success(response)
        try await history.keep([refused, unverified, ExchangeRecord.make(.make("/plain"))])
        let listed = try await history.exchanges()
        #expect(listed.map(\.isUnverified) == [false, true, false])
        #expect(listed[1].phases == response.metrics?.phases)
        let last = try #require(listed.last)
        let first = try #require(try await history.exchange(last.id))
        guard case .failure(let read) = first.result else {
            Issue.record("\(first.result)")
            return
        }
        #expect(read.refusedConnection == error.refusedConnection)
        let second = try #require(try await history.exchange(listed[1].id))
        #expect(try second.result.get().metrics?.tls?.fault == .selfSignedCertificate)
        await history.close()
    }

    @Test("the size is that of the body as it came, however long its masks are")
    func size() async throws {
        let history = bench.history()
        var record = ExchangeRecord.make(.make("/token"))
        var response = try record.result.get()
        let body = #"{"access_token": "0123456789abcdef0123456789abcdef"}"#
        response.head.headerFields[.contentType] = "application/json"
        response.body = .bytes(Array(body.utf8))
        record.result = .success(response)
        try await history.keep([record])
        let listed = try #require(try await history.exchanges().first)
        #expect(listed.size == body.utf8.count)
        let kept = try #require(try await history.exchange(listed.id)?.response)
        #expect(kept.body.count != body.utf8.count, "the secret is masked")
        await history.close()
    }

    @Test("a failure is kept with its number, its words, and what had come of a response")
    func failure() async throws {
        let history = bench.history()
        let reason = ApusError.Reason.connectionLost(received: 3, expected: 9, detail: "closed")
        var record = ExchangeRecord.make(.make("/cut"))
        var part = try record.result.get()
        part.isComplete = false
        record.result = .failure(ApusError(reason, response: part))
        try await history.keep([record])
        let listed = try #require(try await history.exchanges().first)
        #expect((listed.status, listed.errorCode) == (200, 2401))
        let whole = try #require(try await history.exchange(listed.id))
        #expect(whole.response?.isComplete == false)
        #expect(whole.errorText == ApusError(reason).errorDescription)
        await history.close()
    }

    @Test("what is flushed is on disk: a copy of the files, as a crash leaves them, has it all")
    func durability() async throws {
        let history = bench.history()
        let large = [UInt8](repeating: 7, count: 400_000)
        for number in 1...10 {
            try await history.keep([
                .make(.make("/\(number)"), body: large + [UInt8(number)])
            ])
            let copy = HistoryBench()
            // Not -shm, an index into the log that a crash may lose, nor the index, which is made anew.
            for name in bench.files where !name.hasSuffix("-shm") && !name.contains("-search") {
                let data = try Data(contentsOf: URL(filePath: "\(bench.folder.path)/apus/\(name)"))
                try PrivateFiles.replace("\(copy.folder.path)/apus/\(name)", with: Array(data))
            }
            let again = copy.history()
            #expect(try await again.exchanges().count == number)
            let body = try await again.exchange(Int64(number))?.response?.body
            #expect(body == .bytes(large + [UInt8(number)]))
            await again.close()
        }
        await history.close()
    }

    @Test("compacting takes what is beyond the limits, unused files and empty room from the disk")
    func compaction() async throws {
        let history = bench.history()
        let large = (0..<4).map { [UInt8](repeating: $0, count: 300_000) }
        try await history.keep(large.map { .make(body: $0) })
        let session = try await history.session(named: "kept")
        try await history.keep([.make()], in: session)
        await history.close()
        let orphan = "\(bench.path)-bodies/aa/\(String(repeating: "a", count: 64))"
        try PrivateFiles.makeFolder("\(bench.path)-bodies/aa")
        try PrivateFiles.replace(orphan, with: large[0])

        let small = bench.history(limits: History.Limits(exchanges: 1))
        let before = try await small.usage()
        #expect(before.exchanges == 5)
        let compaction = try await small.compact()
        #expect(compaction.removed == 3)
        #expect(compaction.freed >= 1_200_000)
        let after = try await small.usage()
        #expect(after.exchanges == 2 && before.size - after.size == compaction.freed)
        #expect(!bench.files.contains { $0.contains("aaaa") })
        #expect(try await small.exchange(4)?.response?.body == .bytes(large[3]))
        let again = try await small.compact()
        #expect(again.removed == 0 && again.freed == 0)
        await small.close()
    }

    @Test("deleting and noting say whether there was anything, and errors have their words")
    func saying() async throws {
        let history = bench.history()
        let reason = ApusError.Reason.connect(host: "api", port: 443, detail: "refused")
        try await history.keep([.make(), .failed("/down", reason)])
        let texts = try await history.errorTexts(of: try await history.exchanges())
        #expect(texts == [2: try #require(ApusError(reason).errorDescription)])
        #expect(try await history.note("x", on: 1))
        #expect(try await !history.note("x", on: 9))
        #expect(try await history.delete([1, 1, 9]) == 1)
        #expect(try await history.usage().exchanges == 1)
        await history.close()
    }

    @Test("two write at once, and each reads what the other wrote")
    func twoWriters() async throws {
        let (one, other) = (bench.history(), bench.history())
        async let first: Void = one.keep((0..<50).map { .make(.make("/a\($0)")) })
        async let second: Void = other.keep((0..<50).map { .make(.make("/b\($0)")) })
        _ = try await (first, second)
        #expect(try await one.exchanges(limit: 1000).count == 100)
        #expect(try await other.exchanges(limit: 1000).count == 100)
        #expect(Set(try await one.exchanges(limit: 1000).map(\.id)) == Set(1...100))
        await one.close()
        await other.close()
    }

    @Test("pages follow one another without a gap")
    func pages() async throws {
        let history = bench.history()
        try await history.keep((0..<25).map { .make(.make("/\($0)")) })
        var end: Int64?
        var seen: [Int64] = []
        while true {
            let page = try await history.exchanges(before: end, limit: 10)
            guard let last = page.last else { break }
            seen += page.map(\.id)
            end = last.id
        }
        #expect(seen == Array((1...25).reversed()))
        await history.close()
    }

    // MARK: bodies and limits

    private var bodyFiles: [String] {
        bench.files.filter { $0.contains("-bodies/") && $0.split(separator: "/").count == 3 }
    }

    @Test("equal bodies are kept once, and large ones are files beside it")
    func bodies() async throws {
        let history = bench.history()
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try await history.keep((0..<5).map { _ in .make(body: body) })
        #expect(bodyFiles.count == 1)
        #expect(try await history.exchange(5)?.response?.body == .bytes(body))
        try await history.delete([1, 2, 3, 4])
        #expect(try await history.exchange(5)?.response?.body == .bytes(body))
        try await history.delete([5])
        #expect(bodyFiles.isEmpty)
        await history.close()
    }

    @Test("a body whose file is gone or damaged is passed by, and hides nothing else")
    func unreadable() async throws {
        let history = bench.history()
        let text = Array(String(repeating: "many words ", count: 40_000).utf8)
        let sent = PreparedRequest.make("/sent", method: .post, body: .bytes(text))
        try await history.keep([.make(sent), .make(.make("/got"), body: text + [0x21])])
        try await history.keep([.make(.make("/small"), body: Array("words".utf8))])
        _ = try await history.exchanges()
        await history.close()
        for (place, name) in bodyFiles.enumerated() {
            let file = "\(bench.folder.path)/apus/\(name)"
            if place == 0 { unlink(file) } else { truncate(file, 9) }
        }
        let again = bench.history()
        #expect(try await again.paths("words") == ["/small"])
        #expect(try await again.paths("body:words") == ["/small"])
        let replay = ReplayTransport(again, matching: .path)
        let answer = try await replay.send(.make("/small"), progress: nil)
        #expect(answer.body == .bytes(Array("words".utf8)))
        let wholes = [1, 2].map { id in Task { try await again.exchange(id) } }
        var sizes: [Int] = []
        for whole in wholes {
            guard let whole = try? await whole.value else { continue }
            sizes += [whole.unkeptSize ?? whole.unkeptRequestSize ?? 0]
        }
        #expect(sizes.count == 1 && sizes[0] >= text.count)
        await again.close()
    }

    @Test("a body above the limit leaves its head, digest and size")
    func unkept() async throws {
        let history = bench.history(limits: .init(bodySize: 1000))
        try await history.keep([.make(body: [UInt8](repeating: 1, count: 1001))])
        let whole = try #require(try await history.exchange(1))
        #expect((whole.exchange.size, whole.unkeptSize) == (1001, 1001))
        #expect(whole.response?.status == 200 && whole.response?.isComplete == false)
        #expect(whole.unkeptDigest == ContentDigest.hex(of: [UInt8](repeating: 1, count: 1001)))
        await history.close()
    }

    @Test("what is no file, and may have no end, is not read", arguments: ["/dev/null", "a pipe"])
    func noFile(kind: String) async throws {
        let history = bench.history()
        let path = kind == "a pipe" ? "\(bench.folder.path)/pipe" : kind
        if kind == "a pipe" { mkfifo(path, 0o600) }
        var record = ExchangeRecord.make(.make(method: .post, body: .file(path: path)))
        record.result = .failure(ApusError(.file(path: path, errno: ESPIPE)))
        try await history.keep([record])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.request.body == .none && whole.request.head.method == .post)
        #expect(whole.exchange.errorCode != nil)
        await history.close()
    }

    @Test("a file above the limit is read for its digest, and is not in the way of what is small")
    func unkeptFile() async throws {
        let history = bench.history(limits: .init(bodySize: 1000))
        let bytes = [UInt8](repeating: 7, count: 10 << 20)
        let file = try bench.folder.write(String(decoding: bytes, as: UTF8.self), to: "body")
        var record = ExchangeRecord.make(.make(method: .post, body: .file(path: file)))
        var response = try record.result.get()
        response.body = .file(BodyFile(path: file, count: bytes.count, ownership: .borrowed))
        record.result = .success(response)
        await history.record(record)
        await history.record(.make())
        await history.close()
        let exchanges = try await history.exchanges()
        #expect(exchanges.count == 2)
        let large = try #require(exchanges.first { $0.size == bytes.count })
        let whole = try #require(try await history.exchange(large.id))
        #expect(whole.unkeptDigest == ContentDigest.hex(of: bytes))
        #expect(whole.unkeptRequestDigest == whole.unkeptDigest)
        await history.close()
        try bench.expectNone(of: String(repeating: "\u{7}", count: 100))
    }

    @Test(
        "the oldest go first, by number, bytes and age, and sessions stay",
        .timeLimit(.minutes(5))
    )
    func limits() async throws {
        let history = bench.history(
            limits: .init(exchanges: 100, bytes: 1_000_000, age: .seconds(3600))
        )
        let session = try await history.beginSession(named: "kept")
        try await history.keep([.make(.make("/kept"))], in: session)
        for number in 0..<300 { await history.record(.make(.make("/\(number)"))) }
        try await history.flush()
        while try await history.exchanges(limit: 1000).count > 101 {
            try await history.keep([.make(.make("/more"))])
        }
        #expect(try await history.paths("", limit: 1000).contains("/kept"))
        #expect(try await !history.paths("", limit: 1000).contains("/0"))
        // Three quarters of the limit each.
        for number in 0..<2 {
            let body = [UInt8](repeating: UInt8(number), count: 750_000)
            try await history.keep([.make(.make("/large\(number)"), body: body)])
        }
        while try await history.paths("url:large0").count > 0 {
            try await history.keep([.make(.make("/more"))])
        }
        #expect(try await history.paths("url:large").contains("/large1"))
        bench.time.value += 7200
        var paths: Set<String>
        repeat {
            try await history.keep([.make(.make("/late"), started: bench.time.value)])
            paths = Set(try await history.paths("", limit: 1000))
        } while paths != ["/kept", "/late"]
        await history.close()
    }

    @Test(
        "sessions above the limit of bytes take nothing from what is in none",
        .timeLimit(.minutes(5))
    )
    func largeSession() async throws {
        let history = bench.history(limits: .init(bytes: 1_000_000))
        let session = try await history.beginSession(named: "large")
        let bodies = (0..<3).map { [UInt8](repeating: $0, count: 750_000) }
        try await history.keep([.make(.make("/s0"), body: bodies[0])], in: session)
        try await history.keep([.make(.make("/s1"), body: bodies[1])], in: session)
        try await history.keep([.make(.make("/sent"))])
        #expect(try await history.paths("") == ["/sent", "/s1", "/s0"])
        // Its own bytes are what counts, also where a session has the same.
        try await history.keep([.make(.make("/large"), body: bodies[0])])
        #expect(try await history.paths("").first == "/large")
        try await history.keep([.make(.make("/larger"), body: bodies[2])])
        // Between two transactions of the background a reader sees what will be removed next.
        while try await history.paths("") != ["/larger", "/s1", "/s0"] { await Task.yield() }
        await history.close()
    }

    @Test("files are their owner's only")
    func modes() async throws {
        let history = bench.history()
        try await history.keep([.make(body: [UInt8](repeating: 1, count: 300_000))])
        _ = try await history.paths("hello")
        for name in bench.files {
            var status = stat()
            stat("\(bench.folder.path)/apus/\(name)", &status)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        var status = stat()
        stat(bench.folder.path + "/apus", &status)
        #expect(status.st_mode & 0o777 == 0o700)
        await history.close()
    }

    // MARK: sessions and runs

    @Test("a session has what is recorded in it, is gone on with, and is deleted whole")
    func sessions() async throws {
        let history = bench.history()
        let id = try await history.session(named: "checkout-bug")
        try await history.keep([.make(.make("/a")), .make(.make("/b"))], in: id)
        try await history.keep([.make(.make("/none"))])
        try await history.end(id)
        #expect(try await history.session(named: "checkout-bug") == id)
        let session = try #require(try await history.sessions().first)
        #expect((session.name, session.count) == ("checkout-bug", 2))
        #expect(session.ended != nil)
        #expect(try await history.paths("session:checkout-bug") == ["/b", "/a"])
        try await history.delete(id)
        #expect(try await history.sessions().isEmpty)
        #expect(try await history.paths("") == ["/none"])
        await history.close()
    }

    @Test("a batch counts what belongs to it")
    func runs() async throws {
        let history = bench.history()
        let run = try await history.beginRun(.batch, named: "Load", environment: "e", total: 3)
        for (place, status) in [200, 404, 500].enumerated() {
            await history.record(
                .make(.make("/\(place)"), status: status, origin: .init(run: run, place: place))
            )
        }
        try await history.end(run)
        let found = try #require(try await history.runs().first)
        #expect((found.kind, found.name, found.total) == (.batch, "Load", 3))
        #expect((found.count, found.failedCount, found.size) == (3, 2, 15))
        #expect(found.ended != nil)
        var filter = HistoryFilter()
        filter.run = run
        #expect(try await history.exchanges(matching: filter).map(\.origin.place) == [2, 1, 0])
        await history.close()
    }

    @Test("a run whose responses are checked counts what is not as expected, whatever the statuses")
    func outcomes() async throws {
        let history = bench.history()
        for (status, failed) in [(200, 1), (404, 0)] {
            let run = try await history.beginRun(.batch, named: "\(status)")
            await history.record(.make(status: status, origin: .init(run: run)))
            try await history.end(run, failedCount: failed)
        }
        #expect(try await history.runs().map(\.failedCount).sorted() == [0, 1])
        #expect(try await history.runs().first { $0.name == "200" }?.failedCount == 1)
        await history.close()
    }

    @Test("exchanges follow a target, a group and an environment to their new names")
    func renames() async throws {
        let history = bench.history()
        func target(_ name: String, _ workspace: String = "Shop") -> ExchangeOrigin {
            ExchangeOrigin(target: name, workspace: workspace, environment: "local")
        }
        for name in ["Üser/Show", "Üser/Show all", "Üsers/Show", "Üser"] {
            await history.record(.make(origin: target(name)))
        }
        await history.record(.make(origin: target("Üser/Show", "Other")))
        try await history.rename(target: "Üser", to: "People/Of", in: "Shop")
        try await history.rename(target: "People/Of/Show", to: "People/Of/One", in: "Shop")
        try await history.rename(environment: "local", to: "here", in: "Shop")
        let origins = try await history.exchanges().map(\.origin)
        #expect(
            origins.map(\.target).reversed() == [
                "People/Of/One", "People/Of/Show all", "Üsers/Show", "People/Of", "Üser/Show",
            ]
        )
        #expect(origins.map(\.environment).reversed() == ["here", "here", "here", "here", "local"])
        await history.close()
    }

    @Test("a run that nobody ended goes with its session, or after a day without exchanges")
    func unendedRuns() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        let run = try await history.beginRun(.batch, named: "in", in: session)
        try await history.keep([.make(origin: .init(run: run))], in: session)
        try await history.delete(session)
        #expect(try await history.runs().isEmpty)
        let killed = try await history.beginRun(.batch, named: "killed")
        try await history.keep([.make(origin: .init(run: killed))])
        let id = try await history.exchanges().map(\.id)
        try await history.delete(id)
        #expect(try await history.runs().map(\.name) == ["killed"])
        bench.time.value += 86_401
        try await history.delete([])
        #expect(try await history.runs().isEmpty)
        await history.close()
    }

    @Test("marks and notes are kept, and found")
    func marks() async throws {
        let history = bench.history()
        try await history.keep([.make(.make("/a")), .make(.make("/b"))])
        try await history.mark(1, true)
        try await history.note("the odd one", on: 2)
        #expect(try await history.paths("is:marked") == ["/a"])
        #expect(try await history.paths("is:noted") == ["/b"])
        #expect(try await history.paths("note:ODD") == ["/b"])
        try await history.mark(1, false)
        try await history.note(nil, on: 2)
        #expect(try await history.paths("is:marked").isEmpty)
        #expect(try await history.paths("is:noted").isEmpty)
        await history.close()
    }

    // MARK: trouble

    @Test("a damaged file is set aside, and says so")
    func damaged() async throws {
        try PrivateFiles.replace(bench.path, with: Array("no database, but long enough".utf8))
        let notices = Mutexed<[History.Notice]>([])
        let history = bench.history { notices.value.append($0) }
        try await history.keep([.make()])
        #expect(try await history.exchanges().count == 1)
        guard case .setAside(_, let to, _) = notices.value.first else {
            Issue.record("\(notices.value)")
            return
        }
        #expect(FileManager.default.fileExists(atPath: to))
        await history.close()
    }

    @Test("where nothing can be written recording ends and says so, and nobody waits")
    func unwritable() async throws {
        try PrivateFiles.replace(bench.folder.path + "/apus", with: Array("a file".utf8))
        let notices = Mutexed<[History.Notice]>([])
        let history = bench.history { notices.value.append($0) }
        await history.record(.make())
        await #expect(throws: RecordingError.self) { try await history.flush() }
        await history.record(.make())
        #expect((history.recordedCount, history.lostCount) == (0, 2))
        #expect(history.failure?.stage == .open)
        #expect(notices.value.count == 1)
        await history.close()
    }

    @Test(
        "no value in any column of a stranger's history traps",
        arguments: [
            ("exchange", "started"), ("exchange", "duration"), ("exchange", "attempts"),
            ("exchange", "method"), ("exchange", "url"), ("exchange", "status"),
            ("exchange", "error"), ("exchange", "size"), ("exchange", "phases"),
            ("exchange", "session"), ("exchange", "marked"), ("exchange", "note"),
            ("detail", "request"), ("detail", "request_body"), ("detail", "response"),
            ("detail", "response_body"), ("detail", "is_complete"), ("detail", "facts"),
            ("body", "size"), ("body", "place"), ("body", "bytes"), ("body", "digest"),
            ("run", "kind"), ("run", "started"), ("session", "started"), ("session", "ended"),
            ("inbox", "count"), ("inbox", "rows"),
        ]
    )
    func strangeValues(table: String, column: String) async throws {
        for value in [
            "NULL", "-1", "1", "9223372036854775807", "1e308", "9e999", "'text'", "x''",
            "x'00FFFF'", "'../../../../etc/passwd'",
        ] {
            let bench = HistoryBench()
            let own = bench.history()
            _ = try await own.beginRun(.chain, named: "r")
            let session = try await own.beginSession(named: "s")
            try await own.keep(
                [.make(.make(method: .post, body: .bytes([1]))), .make()],
                in: session
            )
            await own.close(takingIn: table != "inbox")
            // What may not be NULL stays as it is.
            try bench.change("UPDATE OR IGNORE \(table) SET \(column) = \(value)")
            let history = History(reading: bench.path)
            for exchange in (try? await history.exchanges()) ?? [] {
                _ = exchange.duration + exchange.duration
            }
            _ = try? await history.paths("hello")
            _ = try? await history.exchange(1)
            _ = try? await history.sessions()
            _ = try? await history.runs()
            await history.close()
        }
    }

    @Test(
        "a file with other tables is no history",
        arguments: [
            "ALTER TABLE detail ADD COLUMN more AS (zeroblob(1000000000))",
            "CREATE TRIGGER t AFTER INSERT ON body BEGIN DELETE FROM exchange; END",
            """
            DROP TABLE body; CREATE VIEW body AS WITH RECURSIVE n(id) AS (
                SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT id, 'x' AS digest FROM n
            """,
            "PRAGMA user_version = 99",
        ]
    )
    func foreign(change: String) async throws {
        let own = bench.history()
        try await own.keep([.make()])
        await own.close()
        try bench.change(change)
        let history = History(reading: bench.path)
        let error = await #expect(throws: RecordingError.self) { try await history.exchanges() }
        #expect(error?.stage == .open && error?.path == bench.path)
    }
}

extension HistoryBench {
    /// The texts of a query's first column.
    func read(_ sql: String, in suffix: String = "") throws -> [String] {
        try DatabaseQueue(path: path + suffix).read { try String.fetchAll($0, sql: sql) }
    }

    /// Changes the file, or the one beside it, which must be closed.
    func change(_ sql: String, in suffix: String = "") throws {
        let queue = try DatabaseQueue(path: path + suffix)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }
}
