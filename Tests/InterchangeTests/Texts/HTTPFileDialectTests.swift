import FoundationEssentials
import Interchange
import Testing
import Workspaces

/// What people and programs write in `.http` files beside plain requests.
struct HTTPFileDialectTests {
    private static func text(_ source: String) throws -> String {
        try ImportedFile(ImportSource(path: "requests.http", bytes: Array(source.utf8))).text
    }

    @Test("a comment in /* and */ is a note, and a field goes on in an indented line")
    func commentsAndFields() throws {
        let text = try Self.text(
            """
            /* What this is for:
             * trying it. */
            GET https://api.example.com/a
            X-Long: one,
                two
            GET https://api.example.com/b
            """
        )
        #expect(text.contains("note: |-\n      What this is for:\n      trying it."))
        #expect(text.contains("X-Long: \"one, two\""))
        #expect(text.contains("GET https://api.example.com/b"))
    }

    @Test("a response that is kept after its request is the target's sample")
    func keptResponse() throws {
        let text = try Self.text(
            """
            GET https://api.example.com/a

            HTTP/1.1 201  - Created
            content-type: application/json
            x-id: 7

            { "kept": true }

            ###
            GET https://api.example.com/b
            """
        )
        #expect(text.contains("status: 201"))
        #expect(text.contains("x-id: \"7\""))
        #expect(text.contains("json: { kept: true }"))
        #expect(!text.contains("HTTP/1.1"))
    }

    @Test("a form with blanks is sent without them, as JetBrains' IDEs do")
    func spacedForm() throws {
        let text = try Self.text(
            """
            POST https://api.example.com/f
            Content-Type: application/x-www-form-urlencoded

            first = one &
            second = two words
            """
        )
        #expect(text.contains("form: { first: one, second: two words }"))
    }

    @Test("a curl command stands in place of a request")
    func curlCommand() throws {
        let text = try Self.text(
            """
            ### From the terminal
            curl -X PUT https://api.example.com/c \\
              -H 'X-A: b' \\
              -d '{"n":1}'

            ###
            GET https://api.example.com/d
            """
        )
        #expect(text.contains("From the terminal:\n    request: PUT https://api.example.com/c"))
        #expect(text.contains("X-A: b"))
        #expect(text.contains("GET https://api.example.com/d"))
    }

    @Test("variables after a body are the file's, and braces before a template are text")
    func variablesAfterBodies() throws {
        let text = try Self.text(
            """
            # @name login
            POST https://api.example.com/login
            Content-Type: text/plain

            {"filter":{{{filter}}}}

            @token = {{login.response.headers['X-Token']}}

            GET https://api.example.com/me
            X-Token: {{token}}
            """
        )
        #expect(text.contains("filter: { ask: filter }"))
        #expect(text.contains("open_brace: \"{\""))
        #expect(text.contains("{\"filter\":{{ open_brace }}{{ filter }}}}"))
        #expect(
            text.contains("capture: \"header:X-Token\"") || text.contains("capture: header:X-Token")
        )
        #expect(text.contains("GET https://api.example.com/me"))
        #expect(!text.contains("@token"))
    }

    @Test(
        "formats of dates are those of their programs",
        arguments: [
            ("$datetime \"YYYY-MM-DD HH:mm\"", "{{ now('+0 s', '%Y-%m-%d %H:%M') }}"),
            ("$datetime 'dd.MM.yyyy'", "{{ now('+0 s', '%d.%m.%Y') }}"),
            ("$localDatetime iso8601 -1 d", "{{ now('-1 day', 'iso') }}"),
            ("$timestamp 2 h", "{{ now('+2 h', 'unix') }}"),
            ("$datetime rfc1123", "{{ now('+0 s', 'http') }}"),
            ("$randomInt 1 10", "{{ random(1, 9) }}"),
            ("$guid", "{{ uuid }}"),
        ]
    )
    func dynamicVariables(_ variable: String, _ expected: String) throws {
        let text = try Self.text("GET https://api.example.com/a\nX-A: {{\(variable)}}\n")
        #expect(text.contains(expected))
    }

    @Test("what a request of another protocol has is kept whole")
    func otherProtocol() throws {
        let text = try Self.text(
            """
            ### Chat
            # with a remark
            # @no-log
            WEBSOCKET wss://api.example.com/chat
            X-A: b

            hello

            > {% client.log("closed") %}
            """
        )
        for part in ["### Chat", "# with a remark", "# @no-log", "X-A: b", "hello", "closed"] {
            #expect(text.contains(part), "\(part) is kept")
        }
    }

    @Test("assertions of httpyac")
    func assertions() throws {
        let text = try Self.text(
            """
            GET https://api.example.com/a

            ?? js response.parsedBody.user.name == Ada
            ?? js response.statusCode == 200
            ?? jsonpath $.n == 5
            ?? body user.tags isArray
            ?? body user.old isFalse
            ?? body == {"n": 5}
            """
        )
        #expect(text.contains("status: 200"))
        #expect(text.contains("$.user.name: { is: Ada }"))
        #expect(text.contains("$.n: { is: 5 }"))
        #expect(text.contains("$.user.tags: { type: array }"))
        #expect(text.contains("$.user.old: { is: false }"))
        #expect(text.contains("body: { n: 5 }"))
        #expect(!text.contains("Not carried over"))
    }

    @Test(
        "what a value made at this moment breaks is told without it",
        arguments: [
            "GOT {{h}}/x?a={{$uuid}}\n@h = http://a b\n", "\u{9E}OST http://h/x?a={{$uuid}}\n",
        ]
    )
    func isDeterministic(source: String) throws {
        #expect(try Self.text(source) == Self.text(source))
    }

    @Test("files beside it: shared fields, members, secrets of providers, remarks in .env")
    func environments() throws {
        let files = [
            "http-client.env.json": """
            {
              "$shared": { "$default_headers": { "X-All": "every" } },
              "dev": {
                "account": { "name": "ada" },
                "key": { "provider": "AspnetUserSecrets", "secretName": "Api:Key" }
              }
            }
            """,
            ".env": "export A=\"one two\" # why\nB=three # four\n",
            "a.http":
                "GET https://api.example.com/{{account.name}}?k={{key}}&a={{$dotenv A}}&b={{$dotenv B}}\n",
        ]
        try TextFolderImportTests.folder(files) { path in
            let source = try #require(ImportSource(at: path + "/a.http"))
            let text = try ImportedFile(source).text
            #expect(text.contains("account_name: ada"))
            #expect(text.contains("key: { ask: Api:Key, secret: true }"))
            #expect(text.contains("A: one two"))
            #expect(text.contains("B: three\n"))
            #expect(text.contains("headers: { X-All: every }"))
            #expect(text.contains("Not carried over: a secret of a provider."))
        }
    }

    @Test(
        "what is never closed ends before the next request, and is listed with its line",
        arguments: [
            "/* never", "< {%\n client.log('x')", "{{@request\nlet x = 1", "/* a\n * b",
        ]
    )
    func unclosed(_ start: String) throws {
        let source =
            "GET https://api.example.com/a\n\n###\n\(start)\nGET https://api.example.com/b\nX-A: 1\n\n"
            + "###\nGET https://api.example.com/c\n"
        let file = try ImportedFile(
            ImportSource(path: "requests.http", bytes: Array(source.utf8))
        )
        for name in ["a", "b", "c"] {
            #expect(file.text.contains("https://api.example.com/\(name)"))
        }
        #expect(file.text.contains("X-A: \"1\""))
        let losses = file.losses.filter { $0.loss.kind == "what is never closed" }
        #expect(losses.map(\.loss.line) == [4])
    }

    @Test("the names of tests in a script are in the note")
    func tests() throws {
        let text = try Self.text(
            """
            GET https://api.example.com/a

            > {%
              client.test("It is there", function() {
                client.assert(response.status === 200, "no");
              });
            %}
            """
        )
        #expect(text.contains("expect: { status: 200 }"))
        #expect(text.contains("Its tests:") && text.contains("- It is there"))
    }

    @Test("a body of code is sent as it stands, with its own templates and comments")
    func code() throws {
        let body = """
            const a = {{ width: 1 }};
            {{#if x}} y {{/if}} {{> part}} {{}}

            // the end
            """
        let source = "POST https://api.example.com/a\nContent-Type: text/javascript\n\n\(body)\n"
        let file = try ImportedFile(ImportSource(path: "requests.http", bytes: Array(source.utf8)))
        guard case .target(let target)? = file.workspace.items.first,
            case .string(let sent)? = target["body"]
        else {
            Issue.record("it has no body: \(file.text)")
            return
        }
        #expect(sent.replacing("\\{{", with: "{{") == body)
        #expect(!file.text.contains("ask:"))
    }
}
