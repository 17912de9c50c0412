import Apus
import FoundationEssentials
import Glibc
import Recordings
import Synchronization
import TestSupport
import Testing

@Suite("what commands record")
struct RecordingCommandTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            [RawServer.ok(#"{"path": "\#(request.path)", "token": "s3cret", "id": 41}"#)]
        }
        try files.write(
            """
            name: Shop
            environments:
              local: { baseURL: "http://\(server.authority)" }
              other: { baseURL: "http://\(server.authority)/other" }
            targets:
              Users:
                Show: "GET /users/{{ user }}"
                Add: { request: POST /users, json: { password: s3cret, name: Ada } }
            variables: { user: 7 }
            batches:
              Warm: [{ target: Users/Show, repeat: 3, set: { user: "{{ index }}" } }]
            chains:
              Sign up:
                - { step: create, target: Users/Add, capture: { id: $.id } }
                - { step: show, target: Users/Show, set: { user: "{{ id }}" } }
            """,
            to: "shop.apus.yaml"
        )
    }

    private var base: String { "http://\(server.authority)" }
    private var path: String { files.home + "/data/apus/history.sqlite" }

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try .run(arguments, files: files)
    }

    /// The exchanges in the order in which they were recorded.
    private func recorded() async throws -> [RecordedExchange] {
        try await History(reading: path).exchanges().reversed()
    }

    @Test("a URL is recorded as it was sent and answered, its secrets masked")
    func url() async throws {
        let sent = try apus(
            "send",
            "\(base)/a?access_token=s3cret",
            "--json-body",
            #"{"password": "s3cret"}"#
        )
        #expect(sent.status == .exited(0) && sent.errors.isEmpty)
        #expect(sent.output.contains("s3cret"))
        let history = History(reading: path)
        let whole = try #require(try await history.exchange(1))
        #expect(whole.exchange.request.description == "POST \(base)/a?access_token=••••••")
        #expect(whole.request.body == .bytes(Array(#"{"password": "••••••"}"#.utf8)))
        let body = #"{"path": "/a?access_token=s3cret", "token": "••••••", "id": 41}"#
        #expect(
            whole.response?.body == .bytes(Array(body.replacing("n=s3cret", with: "n=••••••").utf8))
        )
        #expect(whole.exchange.origin == ExchangeOrigin())
        #expect(whole.exchange.source == "server" && whole.exchange.duration > .zero)
        #expect(try files.mode(of: "data/apus/history.sqlite") == 0o600)
        await history.close()
    }

    @Test(
        "a target is recorded with its name, workspace and environment; nothing is with --no-history"
    )
    func target() async throws {
        _ = try apus("send", "Users/Show", "-e", "other")
        for command in [["send", "Show"], ["batch", "Warm"], ["chain", "Sign up"]] {
            _ = try PipedProgram.run(command + ["--no-history"], files: files)
        }
        let exchange = try #require(try await recorded().first)
        let origin = ExchangeOrigin(target: "Users/Show", workspace: "Shop", environment: "other")
        #expect(exchange.origin == origin && exchange.session == nil)
        #expect(try await recorded().count == 1)
    }

    @Test("what failed is recorded, too, with the number of its error")
    func failure() async throws {
        #expect(try apus("send", "http://127.0.0.1:1/x").status == .exited(20))
        let exchange = try #require(try await recorded().first)
        #expect(exchange.request.description == "GET http://127.0.0.1:1/x")
        #expect(exchange.status == nil && exchange.errorCode != nil)
    }

    @Test("an exchange began when it was sent, however long its response takes to be printed")
    func start() async throws {
        let asked = Mutex(Date.distantPast)
        let body = [UInt8](repeating: 0x61, count: 1 << 20)
        let server = try RawServer { _ in
            asked.withLock { $0 = Date() }
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), .bytes(body),
            ]
        }
        // More than a pipe holds; it is read when the clock shows another second.
        let later = "now=$(date +%s); while [ $(date +%s) = $now ]; do :; done; wc -c"
        let script = #""$1" send "# + server.authority + " | { \(later); }"
        let printed = try PipedProgram.shell(script, files: files)
        #expect(printed.output.contains("1048576"))
        #expect(try #require(try await recorded().first).started <= asked.withLock(\.self))
    }

    @Test("a response that went to a file is recorded whole")
    func file() async throws {
        let body = [UInt8](repeating: 0x61, count: 9 << 20)
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), .bytes(body)]
        }
        #expect(try apus("send", server.authority, "-o", "kept").status == .exited(0))
        let history = History(reading: path)
        #expect(try await history.exchange(1)?.response?.body.count == body.count)
    }

    @Test("a session has what is sent into it by any command, one after another")
    func session() async throws {
        try files.write(#"{"target": "Users/Show"}"# + "\n", to: "lines")
        _ = try apus("send", base, "--session", "bug 7")
        _ = try apus("batch", "Warm", "--session", "bug 7")
        _ = try apus("chain", "Sign up", "--session", "bug 7")
        let pipe = #""$1" pipe -w . < lines; "$1" pipe -w . --session "bug 7" < lines"#
        _ = try PipedProgram.shell(pipe, files: files)
        let history = History(reading: path)
        let sessions = try await history.sessions()
        #expect(sessions.map(\.name) == ["bug 7"] && sessions.map(\.count) == [7])
        #expect(sessions.allSatisfy { $0.ended != nil })
        #expect(try await recorded().last?.origin.target == "Users/Show")
        #expect(try await recorded().count == 7)
    }

    @Test("a batch and a chain are runs, whose exchanges say their place and step")
    func runs() async throws {
        _ = try apus("batch", "Warm")
        _ = try apus("chain", "Sign up", "--json")
        let history = History(reading: path)
        let runs = try await history.runs()
        #expect(runs.map(\.name) == ["Sign up", "Warm"] && runs.map(\.kind) == [.chain, .batch])
        #expect(runs.map(\.total) == [2, 3] && runs.map(\.count) == [2, 3])
        #expect(runs.allSatisfy { $0.ended != nil && $0.environment == "local" })
        let exchanges = try await recorded()
        let batch = exchanges.prefix(3).sorted { $0.origin.place ?? 0 < $1.origin.place ?? 0 }
        #expect(batch.map(\.origin.place) == [0, 1, 2])
        #expect(batch.map(\.request.url) == (1...3).map { "\(base)/users/\($0)" })
        let chain = exchanges.suffix(2)
        #expect(chain.map(\.origin.step) == ["create", "show"])
        #expect(chain.map(\.origin.target) == ["Users/Add", "Users/Show"])
        #expect(chain.last?.request.url == "\(base)/users/41")
        let created = try await history.exchange(chain.first?.id ?? 0)
        #expect(created?.request.body == .bytes(Array(#"{"password":"••••••","name":"Ada"}"#.utf8)))
    }

    @Test(
        "where nothing can be recorded the work is done all the same, and a line says so",
        arguments: [["send", "Show"], ["batch", "Warm"], ["chain", "Sign up"]]
    )
    func unwritable(command: [String]) throws {
        try files.write("", to: "data")
        let quiet = try PipedProgram.run(command + ["--no-history"], files: files)
        let sent = try PipedProgram.run(command, files: files)
        #expect(sent.status == .exited(0))
        #expect(!sent.output.isEmpty)
        let lines = sent.errors.split(separator: "\n").filter { $0.hasPrefix("apus: ") }
        #expect(lines.count == 1 && lines.first?.hasPrefix("apus: Nothing is recorded: ") == true)
        #expect(!quiet.errors.contains("recorded"))
        let session = try PipedProgram.run(command + ["--session", "s"], files: files)
        #expect(session.status == .exited(2))
        #expect(session.errors.split(separator: "\n").count { $0.contains("recorded") } == 1)
    }

    @Test("what went wrong with the work counts more than the session that is not recorded")
    func unwritableFailure() throws {
        try files.write("", to: "data")
        let sent = try apus("send", "http://127.0.0.1:1/", "--session", "s")
        #expect(sent.status == .exited(20))
        #expect(try apus("send", base, "--session", "s", "--no-history").status == .exited(2))
    }

    @Test("a damaged history is set aside with a word, and a new one begun")
    func damaged() async throws {
        _ = try apus("send", base)
        // What was sent lies in the log beside it, and would repair it.
        _ = try apus("sessions")
        try files.write(
            String(repeating: "no database", count: 1000),
            to: "data/apus/history.sqlite"
        )
        let sent = try apus("send", base)
        #expect(sent.status == .exited(0))
        #expect(sent.errors.contains("was moved to \(path).damaged-"))
        #expect(try await recorded().count == 1)
    }

    @Test("times are those of the user's own zone")
    func localTimes() throws {
        _ = try apus("send", "\(base)/a")
        // As POSIX writes a zone that is ahead of UTC.
        let shown = try PipedProgram.shell(
            "TZ=XST-5:30 $1 sessions show --exchange 1",
            files: files
        )
        #expect(shown.output.contains(/sent .*\+05:?30/), "\(shown.output)")
    }

    @Test("the folder of the history is its user's alone")
    func folder() async throws {
        let folder = "\(files.home)/data/apus"
        _ = try apus("send", base)
        chmod(folder, 0o777)
        #expect(try apus("send", base).errors.isEmpty)
        #expect(try files.mode(of: "data/apus") == 0o700)
        #expect(try await recorded().count == 2)
        // Only root can make one that is another's.
        guard geteuid() == 0 else { return }
        chown(folder, 12_345, 12_345)
        let sent = try apus("send", base)
        #expect(sent.errors.contains("\(folder) belongs to another user (12345)"))
        chown(folder, 0, 0)
        #expect(try await recorded().count == 2)
    }

    @Test("an interrupted program has recorded what it sent", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) async throws {
        let held = HeldRequests()
        let server = try RawServer { _ in
            held.hold()
            return [.close]
        }
        defer { held.release(1) }
        let sending = try PipedConversation(
            ["send", "http://\(server.authority)/slow", "--session", "s"],
            files: files
        )
        held.waitFor(1)
        sending.signal(signal)
        #expect(sending.wait() == .exited(130))
        let exchange = try #require(try await recorded().first)
        #expect(exchange.request.url.hasSuffix("/slow") && exchange.status == nil)
    }

    @Test("a full disk ends the recording with a word, and not the work")
    func fullDisk() throws {
        let large = try RawServer { _ in
            [RawServer.ok(String((0..<200_000).map { _ in "abcdefgh".randomElement() ?? "a" }))]
        }
        try files.write(
            """
            environments: { local: { baseURL: "http://\(large.authority)" } }
            targets: { Big: GET /big }
            batches: { All: { mode: all, targets: [{ target: Big, repeat: 12 }] } }
            """,
            to: "big.yaml"
        )
        // The signal would end it; without it writing fails.
        let limit = "trap '' XFSZ; ulimit -f 600; "
        let work = #"exec "$1" batch All -w big.yaml"#
        for (more, status) in [("", EndStatus.exited(0)), (" --session s", .exited(2))] {
            let run = try PipedProgram.shell(limit + work + more, files: files)
            #expect(run.status == status, "\(run.errors)")
            #expect(run.output.split(separator: "\n").count == 12, "\(run.output)")
            #expect(run.errors.contains("apus: Nothing is recorded: cannot write the history"))
            let told = run.errors.split(separator: "\n").filter { $0.hasPrefix("apus: ") }
            #expect(told.count == 1, "\(run.errors)")
        }
        #expect(large.received.count == 24)
    }

    @Test("each attempt that --retry makes is recorded")
    func retry() async throws {
        let first = HeldRequests()
        let server = try RawServer { _ in
            first.count() < 3
                ? [.send("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok("ok")]
        }
        _ = try apus("send", "http://\(server.authority)/a", "--retry", "3")
        #expect(try await recorded().map(\.status) == [503, 503, 200])
    }
}
