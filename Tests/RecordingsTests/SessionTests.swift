import Apus
import FoundationEssentials
import GRDB
import Glibc
import HTTPTypes
import Recordings
import Testing

struct SessionTests {
    private let folder = SessionFolder()

    private func recorder(_ mask: CredentialMask = CredentialMask()) -> SessionRecorder {
        SessionRecorder(
            directory: folder.path,
            mask: mask,
            clock: { Date(timeIntervalSinceReferenceDate: 800_000_000) }
        )
    }

    private func reader(_ recorder: SessionRecorder) async throws -> SessionReader {
        try SessionReader(path: try #require(await recorder.path))
    }

    @Test("an exchange comes back as it was recorded")
    func roundTrip() async throws {
        let recorder = recorder()
        #expect(await recorder.path == nil)
        let record = ExchangeRecord.make(
            .make(method: .post, body: .bytes([1, 2])),
            fields: [.eTag: "\"a\""]
        )
        #expect(try await recorder.record(record) == 1)
        let reader = try await reader(recorder)
        let exchange = try #require(try await reader.exchanges().first)
        #expect(exchange.request.description == "POST https://api.example.com/users")
        #expect((exchange.status, exchange.size, exchange.source) == (200, 5, "server"))
        #expect(
            (exchange.target, exchange.workspace, exchange.environment) == (
                "users", "demo", "local"
            )
        )
        #expect(exchange.events == record.events)
        #expect(exchange.duration == .milliseconds(12))
        #expect(exchange.attempts == 2)
        #expect(exchange.started == record.started)

        let response = try #require(try await reader.result(of: 1)).get()
        let original = try record.result.get()
        #expect(response.source == .replay)
        #expect(response.head == original.head)
        #expect(response.body == original.body)
        #expect(response.received == original.received)
        #expect(response.metrics == original.metrics)
        #expect(response.request.head == record.request.head)
        #expect(response.request.body == record.request.body)
        #expect(try await reader.result(of: 2) == nil)
    }

    @Test("the user's languages do not tell requests apart, those that a target asks for do")
    func languages() {
        func key(_ language: String?, in standard: String?) -> CacheKey {
            SessionReader.key(
                for: .make(fields: language.map { [.acceptLanguage: $0] } ?? [:]),
                standard: standard.map { [.acceptLanguage: $0] } ?? [:]
            )
        }
        let plain = key(nil, in: nil)
        #expect(key("de", in: "de") == plain)
        #expect(key("en", in: "en") == plain)
        #expect(key("fr", in: "de") == key("fr", in: nil))
        #expect(key("fr", in: "de") != plain)
    }

    @Test("no secret is anywhere in the file")
    func secrets() async throws {
        let recorder = recorder(CredentialMask(secrets: ["s3cret/known"]))
        let request = PreparedRequest.make(
            "/s3cret/known?access_token=s3cretA&q=s3cret%2Fknown&page=2",
            method: .post,
            authority: "ada:s3cretB@api.example.com",
            fields: [
                .authorization: "Bearer s3cretC", .cookie: "id=s3cretD",
                .proxyAuthorization: "s3cretE", .xAPIKey: "s3cretF",
                .accept: "x; s3cret/known",
                .contentType: "application/x-www-form-urlencoded",
            ],
            body: .bytes(Array("user=ada&password=s3cretG".utf8))
        )
        try await recorder.record(
            .make(request, fields: [.setCookie: "s3cretH"], body: Array("a s3cret/known b".utf8))
        )
        try expectNoSecrets()
        let response = try #require(try await reader(recorder).result(of: 1)).get()
        #expect(response.request.head.path == "/••••••?access_token=••••••&q=••••••&page=2")
        #expect(response.body == .bytes(Array("a •••••• b".utf8)))
        #expect(response.request.body == .bytes(Array("user=ada&password=••••••".utf8)))
    }

    @Test("no secret of a redirect, of the wire or of an error is anywhere in the file")
    func secretsOnTheWay() async throws {
        let recorder = recorder()
        var request = PreparedRequest.make("/a?own=s3cret1")
        request.options.secretParameters = ["own"]
        request.options.secretTexts = ["s3cret2"]
        var response = try ExchangeRecord.make(request).result.get()
        response.metrics?.effectiveURL = "https://api.example.com/b?own=s3cret3"
        response.metrics?.redirects = [
            .init(
                status: 302,
                location: "/b?own=s3cret4&code=s3cret5",
                url: request.url,
                fields: [.location: "/b?own=s3cret6", .setCookie: "s3cret7"]
            )
        ]
        response.metrics?.trace = [
            WireTraceEntry(kind: .headerOut, text: "GET /a?own=s3cret8 HTTP/2"),
            WireTraceEntry(kind: .remark, text: "s3cret2"),
        ]
        var record = ExchangeRecord.make(request)
        record.result = .success(response)
        try await recorder.record(record)
        record.result = .failure(
            ApusError(.invalidRequest(.url("http://?token=s3cret9")), response: response)
        )
        try await recorder.record(record)
        try expectNoSecrets()
    }

    private func expectNoSecrets() throws {
        for name in PrivateFiles.names(in: folder.path) {
            let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
            #expect(bytes.firstRange(of: Data("s3cret".utf8)) == nil, "\(name)")
        }
    }

    @Test(
        "a file with any values in it is an error, never a trap",
        arguments: [
            "duration = 1e300", "duration = 9e999", "started = -1e20", "duration = 'x'",
            "key = x'00ff'", "events = 1", "events = '[1]'", "request = 5", "size = 'many'",
            "status = 'x', is_complete = 'y'", "error_code = 'z'", "response_body = x'ff'",
        ]
    )
    func damage(change: String) async throws {
        let recorder = recorder()
        try await recorder.record(.make())
        let path = try #require(await recorder.path)
        await recorder.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "UPDATE exchange SET \(change)") }
        try queue.close()
        let reader = try SessionReader(path: path)
        let list = try? await reader.exchanges()
        let result = try? await reader.result(of: 1)
        #expect(list == nil || result == nil || list?.count == 1)
        let isListed = change.contains("response_body") || change.contains("request")
        #expect((list == nil) == !isListed || change.contains("status"))
    }

    @Test("secrets are recorded only when asked for by name")
    func unmasked() async throws {
        let recorder = recorder(.nothing)
        try await recorder.record(.make(.make(fields: [.authorization: "Bearer a"])))
        let response = try #require(try await reader(recorder).result(of: 1)).get()
        #expect(response.request.head.headerFields[.authorization] == "Bearer a")
    }

    @Test(
        "what was recorded is on disk when record returns: a copy of the files, as a crash leaves them, has it all"
    )
    func durability() async throws {
        let recorder = recorder()
        for number in 1...20 {
            try await recorder.record(
                .make(.make("/\(number)"), body: [UInt8](repeating: UInt8(number), count: 100_000))
            )
            let copy = SessionFolder()
            try PrivateFiles.makeFolder(copy.path)
            // Not -shm: it is an index into the log that a crash may lose.
            for name in PrivateFiles.names(in: folder.path) where !name.hasSuffix("-shm") {
                try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
                    .write(to: URL(filePath: "\(copy.path)/\(name)"))
            }
            let name = try #require(SessionFile.names(in: copy.path).first)
            let reader = try SessionReader(path: "\(copy.path)/\(name)")
            #expect(try await reader.exchanges().count == number)
            #expect(
                try await reader.result(of: Int64(number))?.get().body
                    == .bytes([UInt8](repeating: UInt8(number), count: 100_000))
            )
        }
    }

    @Test("equal bodies are kept once, and large ones come back as a file")
    func bodies() async throws {
        let recorder = recorder()
        let body = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for _ in 0..<5 { try await recorder.record(.make(body: body)) }
        let path = try #require(await recorder.path)
        let reader = try await reader(recorder)
        await recorder.close()
        #expect(try Data(contentsOf: URL(filePath: path)).count < 4_000_000)
        let response = try #require(try await reader.result(of: 5, for: .make(memoryLimit: 1000)))
            .get()
        guard case .file(let file) = response.body else {
            Issue.record("not a file")
            return
        }
        #expect(file.count == body.count)
        #expect(try file.load() == body)
    }

    @Test("files are their owner's only, and each session has its own")
    func files() async throws {
        for _ in 0..<2 {
            let recorder = recorder()
            try await recorder.record(.make())
            await recorder.close()
        }
        #expect(
            SessionFile.names(in: folder.path) == [
                "20260509T061320Z.apus-session", "20260509T061320Z-2.apus-session",
            ]
        )
        for name in PrivateFiles.names(in: folder.path) {
            var status = stat()
            stat("\(folder.path)/\(name)", &status)
            #expect(status.st_mode & 0o777 == 0o600)
        }
        var status = stat()
        stat(folder.path, &status)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test("a file that is no session is an error with its path")
    func foreignFile() throws {
        try PrivateFiles.makeFolder(folder.path)
        let path = "\(folder.path)/x.apus-session"
        try Data("not a session, but long enough to be looked at".utf8).write(
            to: URL(filePath: path)
        )
        let error = #expect(throws: RecordingError.self) { try SessionReader(path: path) }
        #expect(error?.stage == .open)
        #expect(error?.path == path)
    }

    @Test("a replay gives the recorded answers in order, then the last again, and failures too")
    func replay() async throws {
        let recorder = recorder()
        let request = PreparedRequest.make(fields: [.authorization: "Bearer a"])
        for status in [200, 500] { try await recorder.record(.make(request, status: status)) }
        try await recorder.record(.make(.make("/other"), status: 404))
        var failed = ExchangeRecord.make(.make("/down"))
        failed.result = .failure(ApusError(.connect(host: "api", port: 443, detail: "refused")))
        try await recorder.record(failed)

        let transport = ReplayTransport(try await reader(recorder))
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await transport.send(.make(), progress: nil).status) }
        #expect(statuses == [200, 500, 500])
        let other = try await transport.send(.make("/other"), progress: nil)
        #expect((other.status, other.source) == (404, .replay))
        let failure = await #expect(throws: ApusError.self) {
            try await transport.send(.make("/down"), progress: nil)
        }
        #expect(
            failure?.reason
                == .transport(
                    code: 2201,
                    detail:
                        "recorded: \(ApusError.Reason.connect(host: "api", port: 443, detail: "refused"))"
                )
        )
        await #expect(throws: ApusError.self) {
            try await transport.send(.make("/unknown"), progress: nil)
        }
    }

    /// A session of one exchange in which one thing was changed.
    private func changed(_ change: String) async throws -> SessionReader {
        let recorder = recorder()
        try await recorder.record(.make(.make(method: .post, body: .bytes([1, 2]))))
        let path = try #require(await recorder.path)
        await recorder.close()
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: change) }
        try queue.close()
        return try SessionReader(path: path)
    }

    @Test(
        "no value in any column of a stranger's session traps",
        arguments: [
            "key", "started", "duration", "attempts", "method", "url", "request", "request_body",
            "status", "response", "response_body", "size", "is_complete", "source", "error_code",
            "error_text", "events", "target", "workspace", "environment",
        ]
    )
    func strangeValues(column: String) async throws {
        for value in [
            "NULL", "-1", "9223372036854775807", "1e308", "9e999", "'text'", "x''", "x'00FFFF'",
        ] {
            // What may not be NULL stays as it is.
            let reader = try await changed("UPDATE OR IGNORE exchange SET \(column) = \(value)")
            for exchange in (try? await reader.exchanges()) ?? [] {
                _ = exchange.duration + exchange.duration
            }
            _ = try? await reader.result(of: 1)
        }
    }

    @Test("a body that is not what its row says is an error, and takes no memory on its word")
    func strangeBodies() async throws {
        for change in [
            "UPDATE exchange SET size = 4", "UPDATE exchange SET size = 9223372036854775807",
            "UPDATE piece SET bytes = zeroblob(10000000)", "DELETE FROM piece",
        ] {
            let reader = try await changed(change)
            await #expect(throws: RecordingError.self, "\(change)") {
                _ = try await reader.result(of: 1, for: .make())
            }
        }
    }

    @Test("a file with a column that is computed is no session")
    func computed() async throws {
        await #expect(throws: RecordingError.self) {
            try await changed("ALTER TABLE piece ADD COLUMN more AS (zeroblob(1000000000))")
        }
    }

    @Test("a view in the place of a table is no session")
    func views() async throws {
        await #expect(throws: RecordingError.self) {
            try await changed(
                """
                DROP TABLE piece;
                CREATE VIEW piece AS WITH RECURSIVE n(number) AS (
                    SELECT 1 UNION ALL SELECT number + 1 FROM n
                ) SELECT 'x' AS digest, number, x'00' AS bytes FROM n
                """
            )
        }
    }
}
