import Documents
import TestSupport
import Testing

@Suite("apus send: hosts, proxies and codings")
struct SendBlameTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func shell(_ command: String) throws -> PipedProgram {
        try PipedProgram.shell(command, files: files)
    }

    @Test(
        "an international host is asked for by its ASCII name, wherever it is given",
        arguments: [
            "$1 send http://bücher.invalid/a", "$1 send 'BÜCHER.invalid/a'",
            "$1 send bücher。invalid/a", "$1 send http://b%C3%BCcher.invalid/a",
            "echo '{\"url\": \"http://bücher.invalid/a\"}' | $1 pipe",
            "printf 'targets: { A: GET http://bücher.invalid/a }' >w.apus.yaml; $1 send A -w w.apus.yaml",
            "printf 'defaults: { baseURL: http://bücher.invalid }\\ntargets: { A: GET /a }' >w.apus.yaml; $1 send A -w w.apus.yaml",
        ]
    )
    func hosts(command: String) throws {
        let proxy = try RawServer(RawServer.ok("ok"))
        let sent = try shell("export http_proxy=http://\(proxy.authority); \(command)")
        #expect(sent.status == .exited(0), "\(sent.errors)")
        #expect(proxy.received.map(\.line) == ["GET http://xn--bcher-kva.invalid/a HTTP/1.1"])
        #expect(proxy.received.first?.value(of: "Host") == "xn--bcher-kva.invalid")
    }

    @Test(
        "a host that cannot be is refused in words, before anything is sent",
        arguments: [
            ("$1 send http://a／b.invalid/", "“/” cannot be part of a host"),
            (
                "$1 send http://\(String(repeating: "ü", count: 60)).invalid/",
                "longer than 63 bytes"
            ),
            ("$1 send http://ü..invalid/", "empty label"),
            ("$1 proxy http://ü..invalid", "empty label"),
            ("$1 replay x --base-url http://ü..invalid", "empty label"),
            (
                "printf 'defaults: { baseURL: http://ü..invalid }\\ntargets: { A: GET /a }' >w.apus.yaml; $1 send A -w w.apus.yaml",
                "empty label"
            ),
        ]
    )
    func refused(command: String, words: String) throws {
        let sent = try shell(command)
        #expect(sent.status == .exited(2))
        #expect(sent.errors.contains(words), "\(sent.errors)")
    }

    @Test(
        "a proxy of the environment that is not there is blamed by its name and its variable's",
        arguments: ["http_proxy", "all_proxy", "ALL_PROXY"],
        ["http://", "socks5h://", "http://ada:lovelace@", ""]
    )
    func proxyDown(variable: String, scheme: String) throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let place = "127.0.0.1:\(closed.number)"
        let start = "export \(variable)=\(scheme)\(place);"
        let sent = try shell("\(start) $1 send http://example.invalid/")
        #expect(sent.status == .exited(20))
        #expect(
            sent.errors.contains(
                "Could not connect to the proxy \(place) (\(variable)): connection refused."
            ),
            "\(sent.errors)"
        )
        #expect(sent.errors.contains("unset \(variable)") && !sent.errors.contains("lovelace"))
        let json = try JSON(
            parsing: shell("\(start) $1 send http://example.invalid/ --json").output
        )
        #expect(json["error", "reason"].int == 2202 && json["error", "code"].int == 20)
        #expect(json["error", "message"].string?.contains(place) == true)
        // What goes without the proxy is not the proxy's fault.
        let other = try ClosedPort()
        defer { other.letGo() }
        for server in [place, "127.0.0.1:\(other.number)"] {
            let direct = try shell("\(start) no_proxy=127.0.0.1 $1 send http://\(server)/")
            #expect(direct.errors.contains("Could not connect to \(server):"), "\(direct.errors)")
        }
    }

    @Test("a proxy without an address is blamed too", arguments: ["http", "socks5", "socks5h"])
    func proxyLost(scheme: String) throws {
        let sent = try shell(
            "http_proxy=\(scheme)://nobody.invalid:3128 $1 send http://example.invalid/"
        )
        #expect(sent.status == .exited(20))
        #expect(
            sent.errors.contains("Could not resolve the proxy nobody.invalid:3128 (http_proxy)"),
            "\(sent.errors)"
        )
    }

    @Test(
        "a body of a false coding is printed as it came, with a warning, and --decode none needs none"
    )
    func codings() throws {
        let body = "{\"a\":1}"
        for coding in ["UTF-8", "gzip", "aws-chunked"] {
            let server = try RawServer(
                RawServer.ok(body, fields: "Content-Encoding: \(coding)\r\n")
            )
            let url = "http://\(server.authority)/"
            let sent = try shell("$1 send \(url) -o kept")
            #expect(sent.status == .exited(0))
            #expect(sent.errors.contains("apus: the body is as it was received: "))
            #expect(try files.read("kept") == body)
            let piped = try shell("$1 send \(url) --decode none")
            #expect(piped.output == body && piped.errors.isEmpty)
            let json = try JSON(parsing: shell("$1 send \(url) --json").output)
            #expect(json["body"].string == body && json["undecoded"].string?.isEmpty == false)
            let lines = try shell("echo '{\"url\":\"\(url)\"}' | $1 pipe --decode auto").output
            let line = try JSON(parsing: lines)
            #expect(line["body"].string == body && line["undecoded"].string?.isEmpty == false)
            #expect(server.received[1].value(of: "Accept-Encoding") == nil)
            #expect(server.received[0].value(of: "Accept-Encoding") != nil)
            // The history has it too.
            let list = try JSON(parsing: shell("$1 sessions show --json").output)
            let number = try #require(list["exchanges"][0]["number"].int)
            let shown = try shell("$1 sessions show --json --exchange \(number)")
            #expect(try JSON(parsing: shown.output)["body"].string == body, "\(shown.errors)")
        }
    }
}
