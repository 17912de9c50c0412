import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import TestSupport
import Testing

@Suite("what is recorded keeps its secrets, and bears damage")
struct SecretsAndDamageTests {
    private let files = PrivateFiles()

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try PipedProgram.run(arguments, files: files)
    }

    @Test("a secret that only another target uses is masked, whoever sends")
    func othersSecret() throws {
        let server = try RawServer { _ in [RawServer.ok("debug: s3cret-one")] }
        try files.write("s3cret-one\n", to: "key.txt")
        try files.write(
            """
            environments: { l: { baseURL: "http://\(server.authority)" } }
            variables: { s: { file: key.txt } }
            targets:
              A: { request: GET /a, headers: { X-H: "{{ s }}" } }
              B: GET /b
            batches: { x: { targets: [B] } }
            chains: { c: { steps: [ { step: a, target: B } ] } }
            """,
            to: "w.apus.yaml"
        )
        for (command, name) in [("send", "B"), ("batch", "x"), ("chain", "c")] {
            let sent = try apus(command, name, "-w", "w.apus.yaml", "--session", command)
            #expect(sent.status == .exited(0), "\(sent.errors)")
            let kept = try apus("sessions", "export", command).output
            #expect(kept.contains("debug: ••1") && !kept.contains("s3cret"))
        }
        try files.write(
            #"{"id":1,"target":"B"}"# + "\n"
                + #"{"id":2,"url":"http://\#(server.authority)/c"}"# + "\n",
            to: "lines"
        )
        let piped = try PipedProgram.shell(
            #""$1" pipe -w w.apus.yaml --session pipe <lines"#,
            files: files
        )
        #expect(piped.status == .exited(0), "\(piped.errors)")
        let kept = try apus("sessions", "export", "pipe").output
        #expect(kept.contains("/c") && kept.contains("debug: ••1") && !kept.contains("s3cret"))
        _ = try apus("replay", "pipe", "-w", "w.apus.yaml")
        let shown = try apus("sessions", "show", "--json").output
        #expect(try JSON(parsing: shown)["exchanges"].arrayValue.count == 7)
        let folder = files.home + "/data/apus"
        for name in files.contents(of: folder) {
            let bytes = try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
            #expect(bytes?.firstRange(of: Data("s3cret".utf8)) == nil, "\(name)")
        }
    }

    @Test("the proxy's line has no more of a path than the history")
    func proxyLine() async throws {
        let server = try RawServer { _ in
            let body = #"{"password": "in-the-path"}"#
            return [RawServer.ok(body, fields: "Content-Type: application/json\r\n")]
        }
        let proxying = try PipedConversation(
            ["proxy", "http://\(server.authority)", "--session", "page"],
            files: files
        )
        let url = try #require(proxying.nextLine())
        let head = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: String(url.dropFirst("http://".count)),
            path: "/p/in-the-path"
        )
        _ = try await CurlTransport().send(PreparedRequest(head: head), progress: nil)
        proxying.signal(SIGINT)
        #expect(proxying.wait() == .exited(130))
        let line = try files.read("stderr")
        #expect(line.contains("GET /p/••") && !line.contains("in-the-path"))
    }

    @Test("one damaged body costs that body only, and an export is for its user alone")
    func damagedBody() throws {
        let server = try RawServer { request in
            [RawServer.ok(String(repeating: String(request.path.suffix(1)), count: 300_000))]
        }
        for number in 0..<3 {
            let url = "http://\(server.authority)/\(number)"
            #expect(try apus("send", url, "--session", "s").status == .exited(0))
        }
        let folder = files.home + "/data/apus/history.sqlite-bodies"
        let damaged = try #require(
            files.contents(of: folder).first { name in
                (try? files.bytes("data/apus/history.sqlite-bodies/\(name)").first) == 0x31
            }
        )
        let descriptor = open("\(folder)/\(damaged)", O_WRONLY)
        #expect(pwrite(descriptor, "Z", 1, 5) == 1)
        close(descriptor)
        let exported = try apus("sessions", "export", "s", "-o", "s.har")
        #expect(exported.status == .exited(0))
        #expect(exported.errors.contains("exchange 2: the response's body is damaged and left out"))
        #expect(try files.mode(of: "s.har") == 0o600)
        #expect(try apus("sessions", "export", "s", "-o", "folder").status == .exited(0))
        #expect(try files.mode(of: "folder") == 0o700)
        #expect(try files.mode(of: "folder/session.txt") == 0o600)
        let shown = try apus("sessions", "show", "--exchange", "2")
        #expect(shown.status == .exited(0) && shown.errors.contains("exchange 2: "))
        let replayed = try apus("replay", "s", "--no-history", "--json")
        #expect(replayed.output.split(separator: "\n").count >= 3)
        #expect(replayed.output.contains("the response's body is damaged"))
    }

    @Test("with too few threads to be had, a command ends with an error and does not hang")
    func threads() throws {
        // How much the program needs to be loaded, and for its threads, depends on how it was built.
        let script = """
            limit=60000
            while [ $limit -lt 400000 ]; do
                (ulimit -v $limit; timeout 60 "$1" send http://127.0.0.1:1/ 2>>said; echo $?)
                limit=$((limit + 10000))
            done
            """
        let run = try PipedProgram.shell(script, files: files)
        let codes = Set(run.output.split(separator: "\n"))
        #expect(!codes.contains("124"), "\(run.output)")
        #expect(codes.contains("2") && codes.contains("20"), "\(run.output)")
        #expect(try files.read("said").contains("the system starts no more threads"))
    }
}
