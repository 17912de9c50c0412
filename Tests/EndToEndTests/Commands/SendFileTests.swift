import TestSupport
import Testing

@Suite("files of apus send")
struct SendFileTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func send(_ arguments: String...) throws -> PipedProgram {
        try .run(["send"] + arguments, files: files)
    }

    private func shell(_ script: String, _ server: RawServer) throws -> PipedProgram {
        try .shell(
            script.replacing("URL", with: "http://\(server.authority)/"),
            files: files
        )
    }

    private var drafts: [String] {
        files.contents(of: files.home).filter { $0.contains(".apus-") }
    }

    // MARK: -o

    @Test("-o leaves the file as it was when the transfer, or the writing, fails")
    func failure() throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        try files.write("old", to: "kept")
        #expect(try send(closed.base, "-o", "kept").status == .exited(20))
        #expect(try files.read("kept") == "old")
        let cut = try RawServer(.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close)
        #expect(try shell(#"exec "$1" send URL -o kept"#, cut).status == .exited(20))
        #expect(try files.read("kept") == "old")
        // All of its frame came, but no more of its gzip than the header.
        let coded = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 10\r\n\r\n"),
            .bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        )
        #expect(try shell(#"exec "$1" send URL -o kept"#, coded).status == .exited(20))
        #expect(try files.read("kept") == "old")
        let large = try RawServer(RawServer.ok(String(repeating: "x", count: 100_000)))
        // The limit of a file's size stands for a disk that is full.
        let limited = try shell(
            #"trap '' XFSZ; ulimit -f 8; exec "$1" send URL -o kept"#,
            large
        )
        #expect(limited.status == .exited(2))
        #expect(limited.errors.contains("kept"))
        #expect(try files.read("kept") == "old")
        #expect(drafts.isEmpty)
    }

    @Test("-o leaves the file as it was when the response is not accepted")
    func refused() throws {
        let server = try RawServer(
            .send("HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nerror")
        )
        let workspace = """
            environments: { local: { baseURL: "http://\(server.authority)" } }
            targets: { T: { request: GET /, validate: success } }
            """
        try files.write(workspace, to: "own.yaml")
        try files.write("old", to: "kept")
        #expect(
            try send("http://\(server.authority)/", "-o", "kept", "--fail").status == .exited(1)
        )
        #expect(try files.read("kept") == "old")
        #expect(try send("T", "-w", "own.yaml", "-o", "kept").status == .exited(1))
        #expect(try files.read("kept") == "old")
        // Nobody has said that it is none.
        #expect(try send("http://\(server.authority)/", "-o", "kept").status == .exited(0))
        #expect(try files.read("kept") == "error")
    }

    @Test("a 504 of the cache itself replaces no file, and says that it is none of the server")
    func gatewayTimeout() throws {
        let server = try RawServer { request in
            request.value(of: "If-None-Match") == nil
                ? [RawServer.ok("new", fields: "Cache-Control: no-cache\r\nETag: \"1\"\r\n")]
                : [.close]
        }
        let url = "http://\(server.authority)/"
        #expect(try send(url, "--cache", "http", "-o", "kept").status == .exited(0))
        let cut = try send(url, "--cache", "http", "--gateway-timeout", "-o", "kept")
        #expect(cut.status == .exited(1))
        #expect(cut.errors.contains("apus: the response is a 504 from the cache: "))
        #expect(try files.read("kept") == "new")
    }

    @Test("-o keeps a file's mode and the link to it, and follows no link to nothing")
    func links() throws {
        let server = try RawServer(RawServer.ok("new"))
        let linked = try shell(
            #"echo old >file; chmod 640 file; ln -s file link; exec "$1" send URL -o link"#,
            server
        )
        #expect(linked.status == .exited(0))
        #expect(try files.read("file") == "new")
        #expect(try files.mode(of: "file") == 0o640)
        #expect(try shell("readlink link", server).output == "file\n")
        let named = try shell(#"ln file other; exec "$1" send URL -o other"#, server)
        #expect(named.status == .exited(0))
        #expect(try shell("[ file -ef other ]", server).status == .exited(0))
        let nowhere = try shell(#"ln -s nothing dangling; exec "$1" send URL -o dangling"#, server)
        #expect(nowhere.status == .exited(2))
        #expect(nowhere.errors == "apus: dangling: this is a broken link\n")
        let fresh = try shell(#"umask 027; exec "$1" send URL -o fresh"#, server)
        #expect(fresh.status == .exited(0))
        #expect(try files.mode(of: "fresh") == 0o640)
        #expect(drafts.isEmpty)
    }

    @Test("-o writes a pipe and a device straight")
    func devices() throws {
        let server = try RawServer(RawServer.ok("new"))
        let piped = try shell(
            #"mkfifo fifo; cat fifo >read & "$1" send URL -o fifo; s=$?; wait; exit $s"#,
            server
        )
        #expect(piped.status == .exited(0))
        #expect(try files.read("read") == "new")
        #expect(try shell(#"exec "$1" send URL -o /dev/null"#, server).status == .exited(0))
        #expect(try shell(#""$1" send URL -o /dev/stdout | cat"#, server).output == "new")
        let full = try shell(#"exec "$1" send URL -o /dev/full"#, server)
        #expect(full.status == .exited(2))
        #expect(full.errors == "apus: /dev/full cannot be written: No space left on device\n")
    }

    // MARK: -d and -F

    @Test("a file of any size is sent from where it is")
    func largeFile() throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        // More than any memory holds; it takes no room on the disk.
        _ = try PipedProgram.shell("truncate -s 1T huge", files: files)
        for option in ["-d=@huge", "--json-body=@huge", "-F=f=@huge"] {
            let parts = option.split(separator: "=", maxSplits: 1).map(String.init)
            #expect(try send(closed.base, parts[0], parts[1]).status == .exited(20))
        }
        let joined = try send(closed.base, "-d", "a=1", "-d", "@huge")
        #expect(joined.status == .exited(2))
        #expect(joined.errors.contains("64 MiB"))
    }

    @Test("a device without end is refused with the limit", arguments: ["-d=@", "-F=f=@"])
    func device(_ option: String) throws {
        let server = try RawServer(RawServer.ok("ok"))
        let parts = (option + "/dev/zero").split(separator: "=", maxSplits: 1).map(String.init)
        let sent = try send("http://\(server.authority)/", parts[0], parts[1])
        #expect(sent.status == .exited(2))
        let part = option.hasPrefix("-F") ? "-F f=…: " : ""
        #expect(sent.errors.hasPrefix("apus: \(part)/dev/zero: it is larger than 64 MiB"))
        #expect(server.received.isEmpty)
    }

    @Test("what comes from a pipe is sent whole, and leaves no file behind")
    func pipes() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let long = try shell(#"head -c 3000000 /dev/zero | "$1" send URL -d -"#, server)
        #expect(long.status == .exited(0))
        #expect(server.received.last?.body.count == 3_000_000)
        #expect(!files.contents(of: files.cache).contains { $0.hasSuffix("/1") })
        _ = try shell(#"mkfifo f; echo abc >f & exec "$1" send URL -F f=@f"#, server)
        let form = String(decoding: try #require(server.received.last?.body), as: UTF8.self)
        #expect(form.contains(#"filename="f""#) && form.contains("\r\n\r\nabc\n\r\n"))
    }

    @Test("standard input is sent from where it stands")
    func standardInput() throws {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try shell(#"echo first >two; echo rest >>two; exec "$1" send URL -d - <two"#, server)
        #expect(server.received.last?.body == Array("first\nrest\n".utf8))
        _ = try shell(#"{ read line; exec "$1" send URL -d -; } <two"#, server)
        #expect(server.received.last?.body == Array("rest\n".utf8))
    }

    @Test(
        "a document without end is refused with the limit",
        arguments: ["query $ /dev/zero", "format /dev/zero", "diff /dev/zero /dev/null"]
    )
    func document(_ command: String) throws {
        let run = try PipedProgram.run(command.split(separator: " ").map(String.init), files: files)
        #expect(run.status == .exited(2))
        #expect(run.errors.hasPrefix("apus: /dev/zero: it is larger than the limit of 64 MiB"))
    }
}
