import Apus
import Testing
import Workspaces

@Suite("A request from text")
struct RequestTextTests {
    private typealias Row = TargetDraft.Row

    @Test("a URL is a GET, its query in rows where that changes no byte")
    func url() throws {
        let plain = try RequestText("https://h.test/users/7?page=2&q=a%20b#x")
        #expect(plain.draft.method == "GET" && plain.draft.url == "https://h.test/users/7")
        #expect(plain.draft.query == [Row("page", "2"), Row("q", "a b")])
        #expect(plain.name == "users 7" && plain.warnings.isEmpty)
        #expect(try RequestText("h.test:8080/x?a+b").draft.url == "http://h.test:8080/x?a+b")
        #expect(try RequestText("localhost/{{ id }}").draft.url == "http://localhost/{{ id }}")
    }

    @Test(
        "curl's ways to say a body",
        arguments: [
            ("-d a=1 -d 'b=x y'", "POST", TargetDraft.Body.text("a=1&b=x y")),
            ("-d a=1 -d b=x+y", "POST", .form([Row("a", "1"), Row("b", "x y")])),
            ("--data-urlencode 'b=x y'", "POST", .form([Row("b", "x y")])),
            ("--json '{\"a\":1}'", "POST", .json("{\"a\":1}")),
            ("-XPUT -H 'Content-Type: application/json' -d '{}'", "PUT", .json("{}")),
            ("--data-raw @x", "POST", .text("@x")),
            ("--data-binary @/tmp/x", "POST", .file("/tmp/x")),
            ("-T x.bin", "PUT", .file("x.bin")),
            ("-I", "HEAD", .none),
            ("-G -d a=1", "GET", .none),
            (#"-H 'Content-Type: text/plain' -d $'a\tb\u00e9\x21'"#, "POST", .text("a\tbé!")),
        ]
    )
    func bodies(options: String, method: String, body: TargetDraft.Body) throws {
        let draft = try RequestText("curl \(options) https://h.test/").draft
        #expect(draft.method == method)
        #expect(draft.body == body)
    }

    @Test(
        "what would be sent in another way than curl sends it is refused",
        arguments: [
            "curl --ntlm -u a:b http://h.test", "curl --anyauth -u a:b http://h.test",
            "curl '#a://b'", "curl http://", "GET http:// HTTP/1.1",
            "curl -H $'A\nB: c' http://h.test", "curl -H 'A B: c' http://h.test",
            "curl -X 'GET http://evil.test/?' http://h.test", "curl -X '' http://h.test",
            "curl -d @a.json -d x=1 http://h.test", "curl -d x=1 -d @a.json http://h.test",
            "curl -d @a.json --data-raw x=1 http://h.test", "curl -F a=1 -d x=1 http://h.test",
            "POST http://h.test/ HTTP/1.1\nTransfer-Encoding: chunked\n\n5\nhello\n0\n",
        ]
    )
    func refused(text: String) {
        #expect(throws: RequestTextError.self) { try RequestText(text) }
    }

    @Test(
        "what a request takes with it of this machine, and options that are left out, are told",
        arguments: [
            ("curl -d @/etc/passwd http://h.test", "it sends the file /etc/passwd"),
            ("curl -T a.bin http://h.test", "it sends the file a.bin"),
            (
                "curl -H 'A: {{ token }}' -d '{{user}}' http://h.test",
                "it uses this workspace's `token`, `user`"
            ),
            (
                "curl --noproxy '*' -x p:1 http://h.test",
                "--noproxy is ignored: the proxy is used for all hosts"
            ),
            ("curl -k --no-insecure http://h.test", "--no-insecure is ignored"),
        ]
    )
    func told(text: String, warning: String) throws {
        #expect(try RequestText(text).warnings.contains(warning))
    }

    @Test("a form in parts, as curl reads it")
    func parts() throws {
        let text = #"""
            curl -F 'n"a=1' -F $'b=x\r\n--b\r\n' -F 'c="a;b\"";type=text/plain' -F 'd= a;b' \
              -F 'pic=@"my; cat.png";filename=c.png;type=image/png; charset=x' -F doc=@a.txt \
              --form-string '@e=@f;type=g' -F 'g=\@h' -H 'Content-Type: multipart/form-data' http://h.test
            """#
        let read = try RequestText(text)
        let rows = [
            Row("n\"a", "1"), Row("b", "x\r\n--b"), Row("c", "a;b\""), Row("d", "a"),
            Row("pic", "@my; cat.png;type=image/png; charset=x"), Row("doc", "@a.txt"),
            Row("@e", "\\@f;type=g"), Row("g", "\\\\@h"),
        ]
        #expect(read.draft.body == .multipart(rows), "\(read.draft.body)")
        #expect(read.draft.method == "POST")
        #expect(
            read.warnings == [
                "-F c: “type=text/plain” is ignored", "-F d: “b” is ignored",
                "-F pic: “filename=c.png” is ignored", "it sends the file my; cat.png",
                "it sends the file a.txt",
            ]
        )
        #expect(rows[0].part == .text("1"))
        #expect(rows[5].part == .file(path: "a.txt", type: nil))
        #expect(rows[6].part == .text("@f;type=g") && rows[7].part == .text("\\@h"))
    }

    @Test("a caret and a quote inside another shell's quotes are text")
    func caretsInQuotes() throws {
        let read = try RequestText(#"curl 'https://h.test/a' -H 'X-Note: say ^"this"'"#)
        #expect(read.draft.url == "https://h.test/a")
        #expect(read.draft.headers.map(\.value) == [#"say ^"this""#])
    }

    @Test("a command as browsers copy it for Windows")
    func windows() throws {
        let command = #"""
            curl ^"https://h.test/a^%^20b?x=1^&y=^%^C3^%^A9^" ^
              -H ^"accept: */*^" ^
              -H ^"x-quote: ^\^"q^\^" c:\dir\\^" ^
              --data-raw ^"^{^\^"a^\^":^\^"1^

            2^\^"^}^" --compressed | more
            """#
        let read = try RequestText(command)
        #expect(read.draft.url == "https://h.test/a%20b")
        #expect(read.draft.query == [Row("x", "1"), Row("y", "é")])
        #expect(
            read.draft.headers.prefix(2) == [
                Row("accept", "*/*"), Row("x-quote", #""q" c:\dir\"#),
            ]
        )
        #expect(read.draft.body == .text("{\"a\":\"1\n2\"}"))
        #expect(read.warnings == ["the text after the curl command is ignored"])
        #expect(throws: RequestTextError.self) { try RequestText("curl ^\"http://h.test") }
    }

    @Test(
        "options become what is sent, as curl does it",
        arguments: [
            ("curl -T a/b.txt http://h.test/dir/", "PUT http://h.test/dir/b.txt"),
            ("curl -T a.txt http://h.test/dir", "PUT http://h.test/dir"),
            ("% curl --url-query 'a=b c' http://h.test", "GET http://h.test ?a=b c"),
            ("curl http://h.test/1 --next http://h.test/2", "GET http://h.test/1"),
            (
                "curl --cert 'a\\:b.pem:pw' --key k.pem http://h.test",
                #"GET http://h.test clientCertificate={ file: "a:b.pem", key: "k.pem", password: "pw" }"#
            ),
            ("curl --socks5-hostname p:9 http://h.test", "GET http://h.test proxy=socks5h://p:9"),
            (
                "curl --unix-socket /run/d.sock http://d/v1",
                "GET http://d/v1 unixSocket=/run/d.sock"
            ),
        ]
    )
    func asCurl(text: String, sent: String) throws {
        let draft = try RequestText(text).draft
        let query = draft.query.map { " ?\($0.name)=\($0.value ?? "")" }
        let options = draft.options.filter { $0.name != "redirects" }
            .map { " \($0.name)=\($0.value ?? "")" }
        #expect("\(draft.method) \(draft.url)" + (query + options).joined() == sent)
    }

    @Test("a digest's user and password become those of the request")
    func digest() throws {
        let draft = try RequestText("curl --digest -u ada:x:y http://h.test").draft
        #expect(draft.authorization == .digest(user: "ada", password: "x:y"))
    }

    @Test("a file of JSON is sent as JSON, and a scheme alone is no URL")
    func jsonFile() throws {
        let draft = try RequestText("curl --json @a.json http://h.test").draft
        #expect(draft.body == .file("a.json"))
        #expect(
            draft.headers == [
                Row("Content-Type", "application/json"), Row("Accept", "application/json"),
            ]
        )
        #expect(throws: RequestTextError.self) { try RequestText("http://") }
    }

    @Test("the password of a certificate is told of as a credential, a name in braces is not")
    func certificatePassword() throws {
        let warning = "it contains a credential"
        for (text, isTold) in [("pw", true), ("{{ pw }}", false)] {
            let read = try RequestText("curl -E a.pem --pass '\(text)' --key k http://h.test")
            #expect(read.warnings.contains { $0.hasPrefix(warning) } == isTold)
        }
    }

    @Test("redirects are followed where curl would")
    func redirects() throws {
        let stays = try RequestText("curl http://h.test").draft.options
        #expect(stays == [Row("redirects", "0")])
        #expect(try RequestText("curl -L http://h.test").draft.options.isEmpty)
    }

    @Test("a command as browsers copy it, over many lines")
    func browser() throws {
        let command = #"""
            curl 'https://h.test/api?x=1' \
              -X 'POST' \
              -H 'accept: */*' \
              -H "X-Quote: it's \"q\"" \
              -H 'Authorization: Bearer abc.def' \
              -b 'sid=1; t=2' \
              -sSLk --compressed \
              --data-raw '{"a":"{{ not a name"}' | jq .
            """#
        let read = try RequestText(command)
        #expect(read.draft.method == "POST" && read.draft.url == "https://h.test/api")
        #expect(read.draft.query == [Row("x", "1")])
        #expect(
            read.draft.headers == [
                Row("accept", "*/*"), Row("X-Quote", "it's \"q\""),
                Row("Content-Type", "application/x-www-form-urlencoded"),
                Row("Cookie", "sid=1; t=2"),
            ] || read.draft.headers.contains(Row("Cookie", "sid=1; t=2"))
        )
        #expect(read.draft.authorization == .bearer("abc.def"))
        #expect(read.draft.options == [Row("verifyTLS", "false")])
        #expect(read.draft.body == .text(#"{"a":"\{{ not a name"}"#))
        #expect(read.warnings.count == 2)
    }

    @Test(
        "other options become fields, credentials and options",
        arguments: [
            ("-u ada:x:y", TargetDraft.Authorization.basic(user: "ada", password: "x:y")),
            ("--oauth2-bearer t", .bearer("t")),
        ]
    )
    func credentials(option: String, authorization: TargetDraft.Authorization) throws {
        let read = try RequestText("curl \(option) -L -A me -e r -m 5 -x p:1 -o f h.test")
        #expect(read.draft.authorization == authorization)
        #expect(read.draft.headers == [Row("User-Agent", "me"), Row("Referer", "r")])
        #expect(read.draft.options == [Row("timeout", "5 s"), Row("proxy", "http://p:1")])
        #expect(read.warnings.contains { $0.hasPrefix("-o is ignored") })
        #expect(read.warnings.contains { $0.contains("credential") })
    }

    @Test(
        "what is not understood is named",
        arguments: [
            ("curl --frobnicate h.test", "curl's option --frobnicate is not supported"),
            ("curl 'h.test", "the curl command has an unclosed quote"),
            ("curl -H", "curl's option -H needs a value"),
            ("curl -s", "the curl command has no URL"),
            ("hello there", "this is neither a curl command, nor a URL, nor an HTTP request"),
            ("", "there is no text to read a request from"),
            (
                "GET /x HTTP/1.1",
                "the HTTP request has no `Host` field: write the whole URL instead"
            ),
        ]
    )
    func faults(text: String, words: String) {
        do {
            _ = try RequestText(text)
            Issue.record("no fault")
        } catch {
            #expect(error.description == words)
        }
    }

    @Test("HTTP as it goes over the wire")
    func raw() throws {
        let text =
            "POST /users?x=1 HTTP/1.1\r\nHost: h.test\r\nContent-Type: application/json\r\n"
            + "Content-Length: 9\r\nX-A: 1\r\n\r\n{\"a\": 1}\r\n"
        let read = try RequestText(text)
        #expect(read.draft.method == "POST" && read.draft.url == "https://h.test/users")
        #expect(read.draft.headers == [Row("X-A", "1")])
        #expect(read.draft.body == .json("{\"a\": 1}"))
        #expect(try RequestText("GET /\nHost: localhost:1\n").draft.url == "http://localhost:1/")
    }

    @Test("a request is told from a file's name")
    func probable() {
        for text in ["curl h.test", "https://h.test", "GET https://h.test/ HTTP/1.1"] {
            #expect(RequestText.isProbable(text))
        }
        for text in ["a.apus.yaml", "folder", "curl.yaml", "GET"] {
            #expect(!RequestText.isProbable(text))
        }
    }
}
