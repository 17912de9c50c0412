import FoundationEssentials
import Interchange
import Testing

/// Files of requests as texts: `.http`, hurl, Bruno and curl.
struct TextImportTests {
    private static func text(_ source: String, _ path: String) throws -> String {
        try ImportedFile(ImportSource(path: path, bytes: Array(source.utf8))).text
    }

    @Test func httpFile() throws {
        let text = try Self.text(
            """
            @host = https://api.example.com

            ### Sign in
            # @name login
            POST {{host}}/login HTTP/1.1
            Content-Type: application/json

            { "user": "{{user}}", "n": {{count}} }

            > {%
              client.test("ok", function () {
                client.assert(response.status === 200, "bad");
              });
              client.global.set("token", response.body.data.token);
            %}

            ###
            # Two pages
            # @no-redirect
            GET {{host}}/users
                ?page=2
                &sort=name
            Authorization: Bearer {{token}}
            X-Id: {{login.response.body.$.id}}

            ?? body.items exists

            ###
            WEBSOCKET ws://echo.example/ws
            """,
            "requests.http"
        )
        #expect(text.contains("request: POST {{ host }}/login"))
        #expect(text.contains("\"n\": {{ count }}"))
        #expect(text.contains("token: { from: login, capture: $.data.token }"))
        #expect(text.contains("login_response_body_id: { from: login, capture: $.id }"))
        #expect(text.contains("count: { ask: count }"))
        #expect(text.contains("request: GET {{ host }}/users?page=2&sort=name"))
        #expect(text.contains("auth: { bearer: \"{{ token }}\" }"))
        #expect(text.contains("redirects: 0"))
        #expect(text.contains("expect: { status: 200 }"))
        #expect(text.contains("$.items: { exists: true }"))
        #expect(text.contains("Not carried over: a request of another protocol."))
    }

    @Test func httpBodies() throws {
        let text = try Self.text(
            """
            ### Upload
            POST https://api.example.com/files
            Content-Type: multipart/form-data; boundary=b

            --b
            Content-Disposition: form-data; name="title"

            Hello
            --b
            Content-Disposition: form-data; name="file"; filename="a.png"
            Content-Type: image/png

            < ./a.png
            --b--

            ### Query
            POST https://api.example.com/graphql
            X-REQUEST-TYPE: GraphQL

            query ($id: ID!) { user(id: $id) { name } }

            { "id": 7 }

            ### Form
            POST https://api.example.com/form
            Content-Type: application/x-www-form-urlencoded
            Authorization: Basic ada lovelace

            name=ada
            &page={{$randomInt 1 5}}
            """,
            "bodies.http"
        )
        #expect(
            text.contains("multipart: { title: Hello, file: { file: a.png, type: image/png } }")
        )
        #expect(text.contains("variables: { id: 7 }"))
        #expect(text.contains("form: { name: ada, page: \"{{ random(1, 4) }}\" }"))
        #expect(text.contains("auth: { basic: { user: ada, password: lovelace } }"))
    }

    @Test func hurlChain() throws {
        let text = try Self.text(
            """
            # Sign in
            POST https://api.example/login
            { "user": "ada" }
            HTTP 201
            [Captures]
            token: jsonpath "$.token"
            [Asserts]
            jsonpath "$.items" count >= 2
            header "Content-Type" contains "json"
            duration < 1000
            xpath "//h1" exists

            GET https://api.example/me # comment
            Authorization: Bearer {{token}}
            [Options]
            location: true
            HTTP *
            """,
            "flow.hurl"
        )
        #expect(text.contains("json: { $.items: { count: \">= 2\" } }"))
        #expect(text.contains("time: \"< 1000 ms\""))
        #expect(text.contains("status: 201"))
        #expect(text.contains("- { step: step1, target: Sign in, capture: { token: $.token } }"))
        #expect(text.contains("request: GET https://api.example/me"))
        #expect(text.contains("redirects: 10"))
        #expect(text.contains("xpath \"//h1\" exists"))
    }

    @Test func bru() throws {
        let text = try Self.text(
            """
            meta {
              name: Create user
              type: http
              seq: 1
            }

            post {
              url: {{host}}/users/:id?x=1
              body: json
              auth: bearer
            }

            params:path {
              id: 7
            }

            headers {
              X-A: a
              ~X-B: b
            }

            auth:bearer {
              token: {{token}}
            }

            body:json {
              { "name": "ada" }
            }

            vars:post-response {
              user: res.body.id
            }

            assert {
              res.status: eq 201
              res.body.name: startsWith a
            }

            docs {
              Makes one.
            }
            """,
            "create.bru"
        )
        #expect(text.contains("request: POST {{ host }}/users/7?x=1"))
        #expect(text.contains("headers: { X-A: a }"))
        #expect(text.contains("X-B: b"))
        #expect(text.contains("json: { name: ada }"))
        #expect(text.contains("user: { from: Create user, capture: $.id }"))
        #expect(text.contains("status: 201"))
        #expect(text.contains("$.name: { matches: ^a }"))
        #expect(text.contains("Makes one."))
    }

    @Test func curlScript() throws {
        let text = try Self.text(
            """
            #!/bin/sh
            # List users
            $ curl -s 'https://api.example/users?page=1' \\
                -H 'Accept: application/json'

            # Add one
            curl -X POST https://api.example/users --json '{"name":"ada"}'
            echo done
            curl https://a.example --next https://b.example
            """,
            "commands.sh"
        )
        #expect(text.contains("List users:"))
        #expect(text.contains("Add one:"))
        #expect(text.contains("json: { name: ada }"))
        #expect(text.contains("GET https://a.example"))
        #expect(text.contains("GET https://b.example"))
        #expect(text.contains("echo done"))
    }

    @Test(arguments: ["http", "hurl", "bru", "sh"])
    func hostileInputs(ending: String) {
        let inputs = [
            "", "\u{FEFF}", "###", "### a\n###\n###", "{{", "GET", "GET {{a}}\n\n> {%",
            "@a={{b}}\n@b={{a}}\nGET {{a}}/x",
            "curl '", "curl", "meta {\n", "post {\n  url: {{a\n}\nbody:json {\n",
            "GET http://h\nHTTP 200\n[Asserts]\nx",
            "POST http://h\n```", String(repeating: "{", count: 5_000),
            "GET http://h\nX: \u{1}\u{0}",
            "POST http://h\n" + String(repeating: "{\n", count: 3_000),
            String(repeating: "curl '\n", count: 3_001),
            "GET http://h\n\n> {% client.assert(" + String(repeating: "(", count: 9_000)
                + String(repeating: ")", count: 9_000) + ") %}",
            "# @name a\nGET {{a.response.body.$.x}}/y",
        ]
        for input in inputs {
            // It is read or refused, and ends.
            _ = try? ImportedFile(ImportSource(path: "x.\(ending)", bytes: Array(input.utf8)))
        }
    }

    @Test func circlesAreAskedFor() throws {
        let text = try Self.text(
            "@a={{b}}\n@b={{a}}\n###\n# @name x\nGET http://h/{{x.response.body.$.y}}?{{a}}",
            "c.http"
        )
        #expect(text.contains("{ ask: "))
        #expect(!text.contains("from: x"))
    }
}

/// Folders of such files.
struct TextFolderImportTests {
    static func folder(_ files: [String: String], _ work: (String) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("texts-\(UUID())")
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, text) in files {
            let url = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data(text.utf8).write(to: url)
        }
        try work(root.path)
    }

    @Test func brunoCollection() throws {
        let files = [
            "bruno.json": #"{"version": "1", "name": "Shop", "type": "collection"}"#,
            "collection.bru":
                "headers {\n  X-C: {{c}}\n}\n\nauth {\n  mode: bearer\n}\n\nauth:bearer {\n  token: {{token}}\n}\n\nvars:pre-request {\n  c: 1\n}\n",
            "environments/local.bru":
                "vars {\n  host: localhost:3000\n}\nvars:secret [\n  key\n]\n",
            "environments/live.bru": "vars {\r\n  host: https://shop.example\r\n}\r\n",
            "login.bru":
                "meta {\n  name: Login\n  seq: 1\n}\n\npost {\n  url: {{host}}/login\n  auth: none\n}\n\nscript:post-response {\n  bru.setVar(\"token\", res.body.token);\n}\n",
            "users/folder.bru": "meta {\n  name: Users\n}\n",
            "users/list.bru":
                "meta {\n  name: List\n  seq: 1\n}\n\nget {\n  url: {{host}}/users?k={{key}}\n  auth: inherit\n}\n",
        ]
        try Self.folder(files) { path in
            let text = try ImportedFile(ImportSource(folder: path)).text
            #expect(text.contains("name: Shop"))
            #expect(text.contains("host: http://localhost:3000"))
            #expect(text.contains("key: { ask: key, secret: true }"))
            #expect(text.contains("token: { from: Login, capture: $.token }"))
            #expect(
                text.contains(
                    "  Users:\n    List:\n      request: GET {{ host }}/users?k={{ key }}"
                )
            )
            #expect(text.contains("auth: { bearer: \"{{ token }}\" }"))
            #expect(text.contains("headers: { X-C: \"{{ c }}\" }"))
        }
    }

    @Test func httpFolder() throws {
        let files = [
            "a.http":
                "# @name login\nPOST {{base}}/login\n###\nGET {{base}}/me\nX: {{login.response.body.$.t}}\n",
            "sub/b.http":
                "# @name login\nPOST {{base}}/other\n###\nPUT {{base}}/f\nX: {{login.response.body.$.t}}\n\n< ./x.json\n",
            "http-client.env.json":
                #"{"dev": {"base": "http://dev"}, "prod": {"base": "https://prod"}}"#,
        ]
        try Self.folder(files) { path in
            let text = try ImportedFile(ImportSource(folder: path)).text
            #expect(text.contains("dev: { variables: { base: http://dev } }"))
            #expect(text.contains("{ from: a/login, capture: $.t }"))
            #expect(text.contains("{ from: sub/b/login, capture: $.t }"))
            #expect(text.contains("upload: sub/x.json") || text.contains("upload: sub/./x.json"))
        }
    }

    @Test("a block of a .bru file that is never closed takes no other with it")
    func unclosedBlock() throws {
        let source = "meta {\n  name: x\n\nget {\n  url: https://a.test/1\n}\nheaders {\n  A: b\n"
        let file = try ImportedFile(ImportSource(path: "x.bru", bytes: Array(source.utf8)))
        #expect(file.text.contains("GET https://a.test/1") && file.text.contains("A: b"))
        #expect(file.text.contains("meta { (never closed)"))
        #expect(file.text.contains("headers { (never closed)"))
    }
}
