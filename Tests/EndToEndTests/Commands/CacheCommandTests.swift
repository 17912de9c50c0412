import Documents
import TestSupport
import Testing

@Suite("apus cache")
struct CacheCommandTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            [RawServer.ok(request.path, fields: "Cache-Control: max-age=100\r\nX-A: 1\r\n")]
        }
        for path in ["one", "two", "three"] {
            _ = try apus("send", url(path), "--cache", "default")
        }
    }

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try .run(arguments, files: files)
    }

    private func json(_ arguments: String...) throws -> JSON {
        try JSON(parsing: try PipedProgram.run(arguments + ["--json"], files: files).output)
    }

    private func url(_ path: String) -> String { "http://\(server.authority)/\(path)" }

    @Test("list shows every entry, last used first")
    func list() throws {
        let list = try json("cache", "list")
        #expect(list["version"].int == 1)
        let urls = list["entries"].arrayValue.compactMap { $0["url"].string }
        #expect(Set(urls) == Set(["one", "two", "three"].map(url)))
        for entry in list["entries"].arrayValue {
            #expect(entry["status"].int == 200)
            #expect(entry["storage"].string == "disk")
            #expect(entry["key"].string?.count == 64)
        }
        let lines = try apus("cache").output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains("  200  ") && $0.contains("GET http://") })
    }

    @Test("what a proxy of the environment answered is not given as the server's, nor the reverse")
    func environmentProxy() throws {
        let proxy = try RawServer { _ in
            [RawServer.ok("proxy", fields: "Cache-Control: max-age=100\r\n")]
        }
        let (through, past) = ("http_proxy=http://\(proxy.authority)", "no_proxy=127.0.0.1")
        for mode in ["default", "http"] {
            let path = "environment-\(mode)"
            for (variables, body) in [
                (through, "proxy"), ("", "/\(path)"), ("\(through) \(past)", "/\(path)"),
                (through, "proxy"),
            ] {
                let script = """
                    env -u no_proxy -u NO_PROXY \(variables) "$1" send \(url(path)) \
                        --cache \(mode) --source cacheIfPossible
                    """
                #expect(try PipedProgram.shell(script, files: files).output == body)
            }
        }
        #expect(proxy.received.count == 2)
    }

    @Test("show gives an entry by the first digits of its key: recipe, fields, body")
    func show() throws {
        let entry = try #require(
            try json("cache", "list")["entries"].array?.first { $0["url"].string == url("two") }
        )
        let key = try #require(entry["key"].string)
        let shown = try json("cache", "show", String(key.prefix(12)))
        #expect(shown["body"].string == "/two")
        #expect(shown["headers"].array?.contains(["X-A", "1"]) == true)
        #expect(shown["recipe"].array?.contains(JSON("url \(url("two"))")) == true)
        #expect(try apus("cache", "show", key, "--body").output == "/two")
        let text = try apus("cache", "show", key).output
        #expect(text.contains("\nstorage  disk\n") && text.contains("X-A: 1\n"))
        _ = try apus("send", url("two"), "--cache", "default")
        #expect(try apus("cache", "show", key).output.contains("\nused     once, last "))
        #expect(try apus("cache", "show", "0000000000").status == .exited(24))
    }

    @Test("show and clear take the whole key that list prints, also of a variant")
    func wholeKey() throws {
        _ = try apus("cache", "clear", "--all")
        let server = try RawServer(
            RawServer.ok("v", fields: "Cache-Control: max-age=100\r\nVary: Accept-Language\r\n")
        )
        for language in ["de", "en"] {
            let field = "Accept-Language: \(language)"
            _ = try apus("send", "http://\(server.authority)/", "--cache", "http", "-H", field)
        }
        let keys = try json("cache", "list")["entries"].arrayValue.compactMap { $0["key"].string }
        try #require(keys.count == 2)
        for key in keys {
            #expect(key.contains("-"))
            #expect(try json("cache", "show", key)["key"].string == key)
        }
        // Both begin alike: what is printed of them tells them apart.
        let many = try apus("cache", "show", String(keys[0].prefix(12)))
        #expect(many.status == .exited(2))
        let names = many.errors.split(separator: "\n").dropFirst().compactMap {
            $0.split(separator: " ").first
        }
        try #require(names.count == 2)
        for name in names {
            #expect(try apus("cache", "show", String(name)).status == .exited(0))
        }
        #expect(try apus("cache", "clear", keys[0]).output == "1 entry removed\n")
        #expect(try json("cache", "list")["entries", 0, "key"].string == keys[1])
    }

    @Test("a cache whose file is damaged is set aside, and the command says so")
    func setAside() throws {
        let list = try PipedProgram.shell(
            #"mkdir c; >c/responses.lock; echo no database >c/responses.sqlite; exec "$1" cache list --cache-folder c"#,
            files: files
        )
        #expect(list.status == .exited(0))
        let start = "apus: The cache was damaged. It was moved to responses.sqlite.corrupt-"
        #expect(list.errors.hasPrefix(start))
    }

    @Test(
        "a cache that cannot be read is an error, and one that is not there yet is empty",
        arguments: [
            ["list"], ["show", "http://x"], ["explain", "http://x"], ["clear", "--all"], ["verify"],
        ]
    )
    func unreadable(_ command: [String]) throws {
        try files.write("a file", to: "file")
        let none = try PipedProgram.run(
            ["cache"] + command + ["--cache-folder", "nowhere/yet"],
            files: files
        )
        #expect(none.status == .exited(command[0] == "show" ? 24 : 0), "\(none)")
        #expect(!files.contents(of: files.home).contains("nowhere"))
        let noFolder = try PipedProgram.run(
            ["cache"] + command + ["--cache-folder", "file"],
            files: files
        )
        #expect(noFolder.status == .exited(2), "\(noFolder)")
        #expect(noFolder.errors.contains("file/responses.sqlite"))
        let words = command.joined(separator: " ")
        // Root may read everything, and so lays that down for a moment.
        let forbidden = try PipedProgram.shell(
            """
            chmod 711 .; chmod 0 cache/apus
            [ "$(id -u)" = 0 ] && nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
            exec $nobody "$1" cache \(words) --cache-folder cache/apus
            """,
            files: files
        )
        #expect(forbidden.status == .exited(2), "\(forbidden)")
        #expect(forbidden.errors.contains("cache/apus"))
        _ = try PipedProgram.shell("chmod 700 cache/apus", files: files)
    }

    @Test("verify finds a body that is not what was written, removes it, and ends with 1")
    func verify() throws {
        let sound = try apus("cache", "verify")
        #expect(sound.output.hasPrefix("3 entries checked, "))
        #expect(sound.output.hasSuffix(": no damage\n"))
        #expect(sound.status == .exited(0))
        let body = String(repeating: "x", count: 1 << 20)
        let server = try RawServer(RawServer.ok(body))
        _ = try apus("send", "http://\(server.authority)/", "--cache", "default")
        let path = try #require(
            files.contents(of: files.cache + "/apus/bodies").first { $0.count > 40 }
        )
        try files.write("y" + body.dropFirst(), to: "cache/apus/bodies/" + path)
        let damaged = try json("cache", "verify")
        #expect(damaged["version"].int == 1)
        #expect(damaged["checked"].int == 4)
        #expect(damaged["damaged"].int == 1)
        #expect(damaged["damagedKeys", 0].string?.count == 64)
        #expect(try apus("cache", "list").output.split(separator: "\n").count == 3)
        #expect(try apus("cache", "verify").status == .exited(0))
    }

    @Test("verify ends with 1 when it found damage")
    func verifyStatus() throws {
        let server = try RawServer(RawServer.ok(String(repeating: "x", count: 1 << 20)))
        _ = try apus("send", "http://\(server.authority)/", "--cache", "default")
        _ = try PipedProgram.shell("rm -r cache/apus/bodies/??", files: files)
        let found = try apus("cache", "verify")
        #expect(found.status == .exited(1))
        #expect(found.output.contains("1 damaged and removed\ndamaged  "))
    }

    @Test("list and show take a URL, and * in it")
    func byURL() throws {
        #expect(try json("cache", "list", "--url", "http://*/t*")["entries"].count == 2)
        #expect(try apus("cache", "--url", url("four")).output.isEmpty)
        #expect(try apus("cache", "show", url("two"), "--body").output == "/two")
        #expect(try apus("cache", "show", "*/one", "--body").output == "/one")
        let many = try apus("cache", "show", "*")
        #expect(many.status == .exited(2))
        #expect(many.errors.contains("3 entries match *:\n"))
        #expect(many.errors.contains("GET \(url("three"))"))
        let none = try apus("cache", "show", url("four"))
        #expect(none.status == .exited(24))
        #expect(none.errors == "apus: the cache has no entry for \(url("four"))\n")
    }

    @Test("explain names what another policy keeps of the request")
    func explainOthers() throws {
        let shown = try json("cache", "explain", url("two"))
        #expect(shown["decision", "rule"].string == "nothingStored")
        #expect(shown["others"].count == 1)
        let key = try #require(shown["others", 0, "key"].string)
        #expect(
            try apus("cache", "explain", url("two")).output
                .contains("cached under another key, by another policy: \(key.prefix(12)), ")
        )
        #expect(try json("cache", "explain", url("four"))["others"].count == 0)
        #expect(
            try json("cache", "explain", url("two"), "--cache", "default")["others"].array == nil
        )
    }

    @Test("clear removes by URL, by key, and everything")
    func clear() throws {
        #expect(try apus("cache", "clear").status == .exited(2))
        #expect(try apus("cache", "clear", "--expired").output == "0 entries removed\n")
        #expect(try apus("cache", "clear", "http://*/t*").output == "2 entries removed\n")
        let left = try json("cache", "list")["entries"]
        #expect(left.count == 1)
        #expect(left[0, "url"].string == url("one"))
        let key = try #require(left[0, "key"].string)
        #expect(try json("cache", "clear", String(key.prefix(8)))["removed"].int == 1)
        _ = try apus("send", url("one"), "--cache", "default")
        #expect(try apus("cache", "clear", "--all").output == "1 entry removed\n")
        #expect(try apus("cache", "list").output.isEmpty)
    }

    @Test("clear and verify say so where the disk takes no write, and what stays is still there")
    func noRoom() throws {
        let server = try RawServer(RawServer.ok(String(repeating: "~", count: 60_000)))
        for path in ["a", "b", "c"] {
            _ = try apus("send", "http://\(server.authority)/\(path)", "--cache", "default")
        }
        // 40 KiB, less than what a removal overwrites.
        let limit = #"ulimit -f 80; exec "$1" cache "#
        for selection in ["--all", "http://\(server.authority)/a"] {
            let cleared = try PipedProgram.shell("\(limit) clear '\(selection)'", files: files)
            #expect(cleared.status == .exited(2), "\(cleared)")
            #expect(cleared.output.isEmpty && cleared.errors.contains("responses.sqlite"))
        }
        #expect(try json("cache", "list")["entries"].count == 6)
        _ = try PipedProgram.shell(
            "LC_ALL=C sed -i s/~~~~~~~~/!!!!!!!!/g cache/apus/responses.sqlite",
            files: files
        )
        let found = try PipedProgram.shell("\(limit) verify", files: files)
        #expect(found.status == .exited(1), "\(found)")
        #expect(found.output.contains(": 3 damaged, could not be removed\n"), "\(found)")
    }

    @Test("explain says what would happen, sends nothing and counts as no use")
    func explain() throws {
        let before = server.received.count
        let hit = try json("cache", "explain", url("one"), "--cache", "default")
        #expect(hit["outcome"].string == "hit")
        #expect(hit["entry", "hits"].int == 0)
        let miss = try json("cache", "explain", url("four"), "--cache", "default")
        #expect(miss["outcome"].string == "miss")
        #expect(miss["reason"].string == "nothing cached yet")
        #expect(server.received.count == before)
    }

    @Test("explain tells the HTTP cache's decision, with its rule, section and numbers")
    func explainHTTP() throws {
        let fetch = try json("cache", "explain", url("h"))
        #expect(fetch["outcome"].string == "mustFetch")
        #expect(fetch["decision", "rule"].string == "nothingStored")
        _ = try apus("send", url("h"), "--cache", "http")
        let fresh = try json("cache", "explain", url("h"))
        #expect(fresh["outcome"].string == "fresh")
        #expect(fresh["decision", "section"].string == "RFC 9111, 4.2")
        let asked = try apus("cache", "explain", url("h"), "-H", "Cache-Control: no-cache")
        #expect(asked.output.hasPrefix("GET \(url("h"))\n"))
        #expect(asked.output.contains("(RFC 9111, 5.2.1.4)"))
        #expect(asked.status == .exited(0))
    }

    @Test("a cache folder that may not be written to is named, with what to do")
    func closedFolder() throws {
        // Root may write anywhere, so that another user has to try.
        let script = """
            mkdir closed && chmod 0500 closed
            if [ "$(id -u)" = 0 ]; then
                chown 12345 closed && chmod 0711 . && cp "$1" apus && chmod 0755 apus
                touch closed/responses.lock
                touch closed/responses.sqlite && chown 12345 closed/responses.*
                exec setpriv --reuid=12345 --clear-groups ./apus cache verify --cache-folder closed
            fi
            touch closed/responses.lock closed/responses.sqlite
            exec "$1" cache verify --cache-folder closed
            """
        let run = try PipedProgram.shell(script, files: files)
        #expect(run.errors.contains("closed cannot be used: permission denied. "))
        #expect(run.errors.contains("(`chmod u+rw`, a folder `u+rwx`)"))
        #expect(run.status == .exited(2))
    }

    @Test(
        "a long cached response that is damaged is an error once it is read, and is removed",
        arguments: ["", "-o response", "--json"]
    )
    func damagedFile(options: String) throws {
        let body = String(repeating: "x", count: 9 << 20)
        let server = try RawServer(RawServer.ok(body))
        let url = "http://\(server.authority)/"
        let options = options.split(separator: " ").map(String.init)
        let send = ["send", url, "--cache", "default"] + options
        #expect(try PipedProgram.run(send, files: files).status == .exited(0))
        let again = try PipedProgram.run(send, files: files)
        #expect(again.status == .exited(0), "\(again.errors)")
        #expect(server.received.count == 1)
        let path = try #require(
            files.contents(of: files.cache + "/apus/bodies").first { $0.count > 40 }
        )
        try files.write("answer", to: "answer")
        try files.write(body.dropLast() + "y", to: "cache/apus/bodies/" + path)
        let damaged = try PipedProgram.run(send, files: files)
        #expect(damaged.status == .exited(2))
        #expect(damaged.errors.contains("damaged on disk"))
        #expect(damaged.errors.contains("has been removed from the cache: send the request again"))
        // Only a whole response takes the place of a file.
        #expect(try files.read("answer") == "answer")
        #expect(server.received.count == 1)
        #expect(try json("cache", "list")["entries"].array?.count == 3)
        let new = try PipedProgram.run(send, files: files)
        #expect(new.status == .exited(0))
        #expect(server.received.count == 2)
        #expect(try PipedProgram.run(send, files: files).status == .exited(0))
        #expect(server.received.count == 2)
    }

    @Test(
        "show of a body whose file is damaged says so and removes it, whatever is printed",
        arguments: [["--body"], ["--json"], []]
    )
    func showsDamagedFile(_ options: [String]) throws {
        let server = try RawServer(RawServer.ok(String(repeating: "x", count: 1 << 20)))
        let url = "http://\(server.authority)/"
        _ = try apus("send", url, "--cache", "default")
        let path = try #require(
            files.contents(of: files.cache + "/apus/bodies").first { $0.count > 40 }
        )
        try files.write("", to: "cache/apus/bodies/" + path)
        let show = ["cache", "show", url] + options
        let damaged = try PipedProgram.run(show, files: files)
        #expect(damaged.status == .exited(2))
        #expect(damaged.output.isEmpty)
        #expect(damaged.errors.contains("is damaged on disk: it has been removed"))
        #expect(try PipedProgram.run(show, files: files).status == .exited(24))
    }

    @Test("a folder with another use is no cache: it is named, and stays as it is")
    func project() throws {
        _ = try PipedProgram.shell("mkdir -p project/bodies && chmod 755 project", files: files)
        for name in ["project/bodies/earth.json", "project/responses.csv"] {
            try files.write("mine", to: name)
        }
        let all = files.contents(of: files.home + "/project")
        for command in [["cache", "list"], ["cache", "clear", "--all"], ["pipe"]] {
            let run = try PipedProgram.run(command + ["--cache-folder", "project"], files: files)
            #expect(run.status == .exited(2), "\(run)")
            #expect(run.errors.contains("project cannot be used: "), "\(run.errors)")
            #expect(run.errors.contains("choose a new or empty folder"))
        }
        #expect(files.contents(of: files.home + "/project") == all)
        #expect(try files.mode(of: "project") == 0o755)
    }

    @Test("show --body of a long response that is damaged says so and removes it")
    func showsDamage() throws {
        let body = String(repeating: "x", count: 9 << 20)
        let server = try RawServer(RawServer.ok(body))
        let url = "http://\(server.authority)/"
        _ = try apus("send", url, "--cache", "default")
        #expect(try apus("cache", "show", url, "--body").status == .exited(0))
        let path = try #require(
            files.contents(of: files.cache + "/apus/bodies").first { $0.count > 40 }
        )
        try files.write(body.dropLast() + "y", to: "cache/apus/bodies/" + path)
        let damaged = try apus("cache", "show", url, "--body")
        #expect(damaged.status == .exited(2))
        #expect(damaged.errors.contains("has been removed from the cache"))
        #expect(try apus("cache", "show", url).status == .exited(24))
    }
}
