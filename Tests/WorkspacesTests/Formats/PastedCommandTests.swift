import Apus
import Testing

@testable import Workspaces

@Suite("A pasted command, with what is copied along with it")
struct PastedCommandTests {
    private typealias Row = TargetDraft.Row

    private static func sent(_ text: String) throws -> String {
        let draft = try RequestText(text, variables: []).draft
        let fields = draft.headers.map { " \($0.name): \($0.value ?? "-")" }
        let body =
            switch draft.body {
            case .text(let text), .json(let text): " | \(text)"
            case .form(let rows):
                " | " + rows.map { "\($0.name)=\($0.value ?? "")" }.joined(separator: "&")
            case .file(let path): " | @\(path)"
            default: ""
            }
        return "\(draft.method) \(draft.url)" + fields.joined() + body
    }

    @Test(
        "comments, prompts, other commands and assignments stand before it",
        arguments: [
            "# how to do it\ncurl http://h.test/a", "# curl http://h.test/a",
            "\n\n# one\n# curl it:\n\ncurl http://h.test/a", "$ curl http://h.test/a",
            "me@box:~/dir$ curl http://h.test/a", "[me@box dir]# curl http://h.test/a",
            "➜  dir curl http://h.test/a", "❯ curl http://h.test/a", "% curl http://h.test/a",
            "PS C:\\Users\\me> curl.exe http://h.test/a", "C:\\Users\\me>curl http://h.test/a",
            "sudo curl http://h.test/a", "sudo -u www -E curl http://h.test/a",
            "/usr/bin/curl http://h.test/a", "\\curl http://h.test/a", "time curl http://h.test/a",
            "\"C:\\Program Files\\curl\\curl.exe\" http://h.test/a",
            "TOKEN=abc X=\"a b\" curl http://h.test/a", "env A=1 curl http://h.test/a",
            "export A=1\ncurl http://h.test/a", "cd /tmp && curl http://h.test/a",
            "```bash\ncurl http://h.test/a\n```", "CURL.EXE http://h.test/a",
            "$ export A=1\n$ curl http://h.test/a", "curl ' http://h.test/a '",
        ]
    )
    func before(text: String) throws {
        #expect(RequestText.isProbable(text))
        #expect(try Self.sent(text) == "GET http://h.test/a")
    }

    @Test(
        "what a command before a bar writes is the body",
        arguments: [
            (#"echo '{"a":1}' | curl -d @- http://h.test"#, #"{"a":1}"#),
            ("echo -n 'a b' | curl --data-binary @- http://h.test", "a b"),
            ("echo a | curl --data-binary @- http://h.test", "a\n"),
            ("printf '%s' 'x%y' | curl -d @- http://h.test", "x%y"),
        ]
    )
    func input(text: String, body: String) throws {
        #expect(try RequestText(text).draft.body == .text(body))
    }

    @Test("a file before a bar is sent, and of another command nothing is known")
    func otherInput() throws {
        #expect(
            try RequestText("cat a.json | curl -d @- http://h.test").draft.body == .file("a.json")
        )
        #expect(throws: RequestTextError.self) {
            try RequestText("jq . a.json | curl -d @- http://h.test")
        }
        let read = try RequestText("jq . a.json | curl http://h.test")
        #expect(read.warnings == ["the text before the curl command is ignored"])
    }

    @Test("a proxy that is assigned is used, another variable is told by its name alone")
    func assigned() throws {
        let read = try RequestText("https_proxy=p:8 SECRET=s3cret curl https://h.test")
        #expect(read.draft.options.contains(Row("proxy", "http://p:8")))
        #expect(read.warnings.contains("the variable SECRET before curl is not set"))
        #expect(!read.warnings.joined().contains("s3cret"))
        #expect(
            !(try RequestText("https_proxy=p:8 curl http://h.test")).draft.options
                .contains { $0.name == "proxy" }
        )
    }

    @Test(
        "an option on the next line belongs to it although a backslash is missing",
        arguments: [
            "curl http://h.test/a\n  -X POST\n  -H 'A: 1'",
            "curl http://h.test/a \\ \n -X POST -H 'A: 1'",
            "curl http://h.test/a\r\n\r\n--request POST \\\r\n  --header 'A: 1'",
            "> curl http://h.test/a \\\n> -X POST \\\n> -H 'A: 1'",
        ]
    )
    func continuation(text: String) throws {
        #expect(try Self.sent(text) == "POST http://h.test/a A: 1")
    }

    @Test("another command on the next line does not")
    func nextCommand() throws {
        for text in [
            "curl http://h.test/a\ncurl -X PUT http://h.test/b", "curl http://h.test/a\n- a list",
        ] {
            let read = try RequestText(text)
            #expect(read.draft.method == "GET")
            #expect(read.warnings == ["the text after the curl command is ignored"])
        }
    }

    @Test(
        "carets of older browsers and doubled quotes are the shell's of Windows",
        arguments: [
            (
                #"curl "http://h.test/u?a=1^&b=^%^C3^%^A9" --data-raw "^{^\^"a^\^":1^}" --compressed"#,
                #"POST http://h.test/u Content-Type: application/x-www-form-urlencoded | {"a":1}"#
            ),
            (
                #"curl "http://h.test/u" -H "Content-Type: application/json" --data-raw "{""n"":""x y""}""#,
                #"POST http://h.test/u | {"n":"x y"}"#
            ),
            (
                "curl \"http://h.test/u\" ^\n  -H \"x-a: ^{1^}\" ^\n  -H \"accept: */*\"",
                "GET http://h.test/u x-a: {1} accept: */*"
            ),
        ]
    )
    func windows(text: String, sent: String) throws {
        #expect(try Self.sent(text) == sent)
    }

    @Test(
        "a caret that means something else stays",
        arguments: ["^[a-z]+$", "x^{2}", "[^&]", "^", "a^b", "^\\\\d"]
    )
    func carets(text: String) throws {
        let read = try RequestText("curl \"http://h.test\" -H 'Content-Type: a/b' -d \"\(text)\"")
        let plain = try RequestText(
            "curl \"http://h.test\" -H \"Content-Type: a/b\" -d \"\(text)\""
        )
        let body = text.replacing("\\\\", with: "\\")
        #expect(read.draft.body == .text(body) && plain.draft.body == .text(body))
    }

    @Test("a letter that is not ASCII has a caret, too, in an older browser's command")
    func otherLetters() throws {
        let sent = try Self.sent("curl \"http://h.test/u\" -H \"x-a: ^é^{1^}\"")
        #expect(sent == "GET http://h.test/u x-a: é{1}")
    }

    @Test("PowerShell's back-ticks are read, its own command is refused by name")
    func powerShell() throws {
        let text = """
            curl.exe -X POST "http://h.test/a" `
              -H 'X-A: it''s' `
              -H "X-B: `"q`" $$" `
              -d '{\\"a\\":1}'
            """
        #expect(
            try Self.sent(text)
                == #"POST http://h.test/a X-A: it's X-B: "q" $$ Content-Type: application/x-www-form-urlencoded | {"a":1}"#
        )
        do {
            _ = try RequestText("Invoke-WebRequest -Uri http://h.test")
            Issue.record("no fault")
        } catch {
            #expect(error.description == "this is a command of PowerShell: copy it as cURL instead")
        }
    }

    @Test(
        "any method of RFC 9110 is sent as it is written",
        arguments: ["M-SEARCH", "VERSION-CONTROL", "P_T", "x!y", "post", "Get", "a.b~c"]
    )
    func methods(method: String) throws {
        #expect(try RequestText("curl -X '\(method)' http://h.test").draft.method == method)
        #expect(try RequestText("\(method) http://h.test/ HTTP/1.1\n").draft.method == method)
    }

    @Test("an empty user agent and fields without a value are left out, empty ones stay")
    func leftOut() throws {
        let text = "curl -A '' -e '' -H 'Accept:' -H 'X-E;' -H 'X-A: 1' -H 'X-A: 2' http://h.test"
        #expect(
            try RequestText(text).draft.headers == [
                Row("User-Agent", nil), Row("Accept", nil), Row("X-E", ""), Row("X-A", "1"),
                Row("X-A", "2"),
            ]
        )
    }

    @Test("braces of other programs are text, a variable of the workspace is one")
    func braces() throws {
        let text = #"""
            curl 'http://h.test/{{ id }}?q={{x}}' -H 'X-A: {{ user.name }} ${HOME} ${{ github.sha }}' \
              -H 'Content-Type: application/json' -d '{"a":"{{ x }} {{ id }} \\{{ id }} ${y}"}'
            """#
        let read = try RequestText(text, variables: ["id"])
        #expect(read.draft.url == #"http://h.test/{{ id }}?q=\{{x}}"#)
        #expect(
            read.draft.headers.first?.value
                == #"\{{ user.name }} \${HOME} $\{{ github.sha }}"#
        )
        #expect(
            read.draft.body
                == .json(#"{"a":"\\{{ x }} {{ id }} \\\\{{ id }} \\${y}"}"#)
        )
        #expect(read.draft.usedNames == ["id"])
        #expect(
            read.warnings == [
                "`{{ x }}` is kept as text: there is no variable of that name",
                "it uses this workspace's `id`",
            ]
        )
    }

    @Test("a variable before the path must be known")
    func host() {
        #expect(throws: RequestTextError.self) {
            try RequestText("curl 'http://{{ host }}/a'", variables: ["other"])
        }
        #expect(throws: Never.self) {
            try RequestText("curl http://{{ host }}/a", variables: ["host"])
        }
    }

    @Test(
        "a URL with a fault is called one",
        arguments: [
            ("http:/h.test", "http://h.test"), ("//h.test/p", "http://h.test/p"),
            ("https:h.test", "https://h.test"), ("http//h.test", "http://h.test"),
            ("htp://h.test", "http://h.test"), (" http:///h.test ", "http://h.test"),
        ]
    )
    func faults(text: String, meant: String) throws {
        let words = try #require(URLFault.words(for: text))
        #expect(words.contains("is not a URL") && words.hasSuffix("as in \(meant)"))
    }

    @Test(
        "other texts are none",
        arguments: ["a.apus.yaml", "/tmp/x", "Users/Show", "h.test:80", "http://h", "a b"]
    )
    func noFault(text: String) { #expect(URLFault.words(for: text) == nil) }
}

@Suite("A part of a form as curl reads it")
struct CurlFormPartTests {
    @Test(
        "contents, quotes and options",
        arguments: [
            ("a=b", "text b", nil, nil), ("a= b ", "text b", nil, nil), ("a=", "text ", nil, nil),
            (#"a="a;b""#, "text a;b", nil, nil), (#"a="x\"y\\z""#, #"text x"y\z"#, nil, nil),
            ("a=\"open", "text \"open", nil, nil), ("a=b\"c\"", "text b\"c\"", nil, nil),
            ("a={};type=application/json", "text {}", "application/json", nil),
            (
                "a=b;type=text/plain; charset=x;filename=f.txt", "text b", "text/plain; charset=x",
                "f.txt"
            ),
            ("a=b;type=text/plain ;charset=u ; x=y", "text b", "text/plain ;charset=u ; x=y", nil),
            ("a=b;TYPE=a/b;FileName=\"x;y\"", "text b", "a/b", "x;y"),
            ("a=@f.bin", "file f.bin", nil, nil),
            (#"a=@"a;b, c";type=a/b"#, "file a;b, c", "a/b", nil),
            ("a=<f.txt;type=text/html", "contents f.txt", "text/html", nil),
            ("a=b=c;d", "text b=c", nil, nil),
        ] as [(String, String, String?, String?)]
    )
    func reads(text: String, content: String, type: String?, fileName: String?) throws {
        let part = try CurlFormPart(text)
        let read =
            switch part.content {
            case .text(let text): "text \(text)"
            case .file(let path): "file \(path)"
            case .contents(let path): "contents \(path)"
            }
        #expect(part.name == "a" && read == content)
        #expect(part.type == type && part.fileName == fileName)
    }

    @Test("header lines, and what is ignored is told")
    func headers() throws {
        let part = try CurlFormPart(#"a=b;headers="X-A: 1; 2";headers=@h.txt;what=x"#)
        #expect(part.headers == ["X-A: 1; 2"] && part.headerFiles == ["h.txt"])
        #expect(part.warnings == ["-F a: “what=x” is ignored"])
        #expect(try CurlFormPart("a=@f;type=x", isLiteral: true).content == .text("@f;type=x"))
    }

    @Test(
        "what cannot be sent is refused with the option and the name",
        arguments: [
            "a", "=b", "a=@", "a=<", "a=@x,y", "a=(;type=multipart/mixed", "a=b;type=json",
            "a=b;encoder=base64",
        ]
    )
    func refused(text: String) {
        do {
            _ = try CurlFormPart(text)
            Issue.record("no fault")
        } catch {
            #expect(error.description.hasPrefix("-F "))
        }
    }
}
