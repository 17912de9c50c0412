import Interchange
import Testing
import Workspaces

struct OpenAPIReadingTests {
    private func read(
        _ text: String,
        path: String = "openapi.yaml",
        fetched: [String: String] = [:]
    ) throws -> ImportedFile {
        let source = ImportSource(
            path: path,
            bytes: Array(text.utf8),
            fetched: fetched.mapValues { Array($0.utf8) }
        )
        return try ImportedFile(source)
    }

    @Test("references lead into other files by their URLs, and back")
    func references() throws {
        let main = """
            openapi: 3.0.0
            info: { title: Split }
            servers: [{ url: /api }]
            paths:
              /pets: { $ref: "paths/pets.yaml" }
            components: { schemas: { Id: { type: integer, example: 5 } } }
            """
        let pets = """
            post:
              summary: Add
              requestBody: { content: { application/json: { schema: { $ref: "../schemas.json#/defs/Pet~1Cat" } } } }
            """
        let schemas = """
            {"defs": {"Pet/Cat": {"properties": {"id": {"$ref": "openapi.yaml#/components/schemas/Id"}}}}}
            """
        let base = "https://api.example/docs"
        let file = try read(
            main,
            path: "\(base)/openapi.yaml",
            fetched: [
                "\(base)/paths/pets.yaml": pets, "\(base)/schemas.json": schemas,
                "\(base)/openapi.yaml": main,
            ]
        )
        #expect(file.text.contains("Add: { request: POST /pets, json: { id: 5 } }"))
        #expect(file.text.contains("baseURL: https://api.example/api"))
        #expect(file.losses.map(\.loss.kind) == ["schemas"])
    }

    @Test("a file that was not fetched is asked for, and its loss listed")
    func missing() throws {
        let text = #"{"openapi": "3.0.0", "paths": {"/a": {"$ref": "https://x.example/a.json"}}}"#
        let source = ImportSource(path: "a.json", bytes: Array(text.utf8))
        let file = try ImportedFile(source)
        #expect(source.missing == ["https://x.example/a.json"])
        #expect(file.losses.map(\.loss.kind) == ["a path", "a reference"])
    }

    @Test("a schema that is made once is another value where what is around it ends it early")
    func sharedSchemas() throws {
        func operation(_ name: String, _ schema: String) -> String {
            """
              /\(name): { post: { summary: \(name), requestBody: { content: { application/json: { schema: \(schema) } } } } }

            """
        }
        let node = ##"{ $ref: "#/components/schemas/Node" }"##
        let owner = ##"{ $ref: "#/components/schemas/Owner" }"##
        let nodeBody = #"{"id":1,"owner":{"name":"string","nodes":[]}}"#
        let ownerBody = #"{"name":"string","nodes":[{"id":1}]}"#
        let wanted = [
            ("node", node, nodeBody), ("owner", owner, ownerBody),
            (
                "both", "{ properties: { a: \(node), b: \(owner) } }",
                #"{"a":\#(nodeBody),"b":\#(ownerBody)}"#
            ),
            ("list", "{ type: array, items: \(node) }", "[\(nodeBody)]"),
        ]
        for order in [[0, 1, 2, 3, 0], [3, 2, 1, 0], [1, 0, 1, 2], [2]] {
            let paths = order.enumerated().map { place, index in
                operation("\(wanted[index].0)\(place)", wanted[index].1)
            }
            let file = try read(
                """
                openapi: 3.0.0
                servers: [{ url: "https://a.example" }]
                paths:
                \(paths.joined())components:
                  schemas:
                    Node: { properties: { id: { type: integer }, next: \(node), owner: \(owner) } }
                    Owner: { properties: { name: { type: string }, nodes: { type: array, items: \(node) } } }
                """
            )
            let bodies = file.workspace.items.map { item -> String in
                guard case .target(let target) = item, let json = target["json"] else { return "" }
                return json.json
            }
            #expect(bodies == order.map { wanted[$0].2 })
        }
    }

    @Test("a description with thousands of operations has shorter examples, and opens")
    func manyOperations() throws {
        let levels = (0..<8).map { level in
            let next = level < 7 ? ", next: { $ref: \"#/components/schemas/L\(level + 1)\" }" : ""
            let members = (0..<20).map { "m\($0): { type: string }" }.joined(separator: ", ")
            return "    L\(level): { required: [m0], properties: { \(members)\(next) } }\n"
        }
        let paths = (0..<5_000).map { number in
            let content = "{ application/json: { schema: { $ref: \"#/components/schemas/L0\" } } }"
            return "  /p\(number): { post: { requestBody: { content: \(content) } } }\n"
        }
        let file = try read(
            """
            openapi: 3.0.0
            servers: [{ url: "https://a.example" }]
            paths:
            \(paths.joined())components:
              schemas:
            \(levels.joined())
            """
        )
        #expect(file.workspace.items.count == 5_000)
        guard case .target(let target)? = file.workspace.items.first, let json = target["json"]
        else {
            Issue.record("there is no body")
            return
        }
        #expect(json.json.hasPrefix(#"{"m0":"string","m1":"string""#))
        #expect(json.json.count < 3_000)
    }

    @Test("a link whose values all come from the response is a chain")
    func links() throws {
        let file = try read(
            """
            openapi: 3.0.0
            servers: [{ url: "https://a.example" }]
            paths:
              /users:
                post:
                  operationId: add
                  responses:
                    "201":
                      description: Made
                      links:
                        Show: { operationId: show, parameters: { id: "$response.body#/data/0/id" } }
                        Rest: { operationId: show, parameters: { id: "$request.body#/id" } }
              /users/{id}:
                get: { operationId: show, parameters: [{ name: id, in: path, schema: { type: integer } }] }
            """
        )
        #expect(
            file.text.hasSuffix(
                """
                chains:
                  Show:
                    - { step: first, target: add, capture: { id: "$.data[0].id" } }
                    - { step: then, target: show }

                """
            )
        )
        #expect(file.losses.map(\.loss.kind) == ["a link"])
    }

    @Test(
        "servers as people write them",
        arguments: [
            ("https://api.example/v1/", "https://api.example/v1"),
            ("//api.example/v1", "https://api.example/v1"),
            ("api.example.com/v1", "https://api.example.com/v1"),
            ("localhost:8080", "http://localhost:8080"), ("/v1", "{{ server }}/v1"),
            ("", "{{ server }}"), ("https://<your host>/v1", "{{ server }}/v1"),
            ("https://{tenant}.example", "https://{{ tenant }}.example"),
            ("{scheme}://api.example", "{{ scheme }}://api.example"),
            ("https://api.example:{port}/x", "https://api.example:{{ port }}/x"),
            ("http://api.example:99999", "{{ server }}"),
        ]
    )
    func servers(url: String, baseURL: String) throws {
        let file = try read(
            "openapi: 3.0.0\nservers: [{ url: '\(url)' }]\npaths: { /a: { get: {} } }"
        )
        let quoted = baseURL.hasPrefix("{{") ? "\"\(baseURL)\"" : baseURL
        #expect(
            file.text.contains("baseURL: \(quoted)\n") || file.text.contains("baseURL: \(quoted) }")
                || file.text.contains("baseURL: \"\(baseURL)\""),
            "\(file.text)"
        )
    }

    @Test("operations without tags are grouped by the first part that differs")
    func segments() throws {
        let paths = (1...5).map {
            "  /api/users/\($0): { get: {} }\n  /api/pets/\($0): { get: {} }\n"
        }
        let file = try read("openapi: 3.0.0\npaths:\n\(paths.joined())")
        #expect(file.workspace.items.count == 2)
        #expect(file.text.contains("  users:\n    GET api users 1: GET /api/users/1\n"))
    }

    @Test(
        "a pattern is matched",
        arguments: [
            ("^[A-Z]{2}\\d{4}$", "AA0000"), ("^(foo|bar)-[^/]+$", "foo-a"),
            ("^\\+?[1-9]\\d{1,3}$", "10"),
            ("^\\p{L}+$", "a"), ("^[\\w.-]+@[a-z]+\\.[a-z]{2,}$", "a@a.aa"),
            ("[0-9a-f]{4}", "aaaa"),
            ("^(?=a)a\\x41$", "aA"), ("^$", ""),
        ]
    )
    func patterns(pattern: String, text: String) throws {
        let quoted = pattern.replacing("\\", with: "\\\\")
        let schema = "{\"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"\(quoted)\"}}}"
        let body = "{\"content\": {\"application/json\": {\"schema\": \(schema)}}}"
        let file = try read(
            "{\"openapi\": \"3.0.0\", \"paths\": {\"/a\": {\"post\": {\"requestBody\": \(body)}}}}",
            path: "a.json"
        )
        guard case .target(let target)? = file.workspace.items.first else {
            Issue.record("there is no target")
            return
        }
        #expect(target["json"] == .object([Value.Member("a", .string(text))]))
    }

    @Test(
        "what people write wrong is read as far as it goes",
        arguments: [
            "openapi: 3.0.0", "swagger: 2.0\npaths:", "openapi: 3\npaths: []\nservers: {}\ntags: x",
            "\u{FEFF}openapi: 3.0.0\r\npaths:\r\n  a b:\r\n    get:\r\n      summary: A/B\r\n",
            "{\"openapi\": \"3.0.0\", \"paths\": {\"/a\": {\"get\": {\"responses\": {},}}},}",
            "openapi: 3.0.0\npaths: { /a: null, /b: { get: null, post: [], put: { parameters: x, requestBody: 1, responses: [], tags: a, security: {} } } }",
            "openapi: 3.0.0\npaths: { /a: { get: { summary: request }, put: { summary: note }, post: { summary: '' } } }",
            "openapi: 3.0.0\npaths: { '/a/{}': { get: {} }, '/{a': { get: {} }, '': { get: {} }, '/#x?y={z}': { get: {} } }",
            "openapi: 3.0.0\npaths: { /a: { $ref: '#/paths/~1a' } }",
            "openapi: 3.0.0\npaths: { /a: { post: { requestBody: { content: { a: { schema: { $ref: '#/x' } } } } } } }\nx: { $ref: '#/y' }\ny: { $ref: '#/x' }",
            "openapi: 3.0.0\nservers: [{ url: 'https://a.example', description: a/b }, { url: 'https://a.example', description: a/b }]\npaths: { /a: { get: { tags: ['x/y', ''] } } }",
            "openapi: 3.0.0\npaths: { /a: { get: { parameters: [{ name: 'a b', in: header, required: true }, { name: é, in: cookie, required: true }] } } }",
            "openapi: 3.0.0\npaths: { /a: { get: { summary: '{{ x }} ${y}', description: '{{ x' } } }",
            "openapi: 3.0.0\npaths: { '/{{a}}/${b}': { get: {} } }",
            "openapi: 3.0.0\nsecurity: [{ a: [] }]\ncomponents: { securitySchemes: { a: { type: oauth2, flows: { password: { tokenUrl: x } } } } }\npaths: { /a: { get: {} } }",
            "openapi: 3.2.0\npaths: { /a: { query: {}, additionalOperations: { copy: {}, 'b c': {} } } }",
        ]
    )
    func wrong(text: String) throws {
        let file = try read(text)
        #expect(!file.text.isEmpty)
        _ = try Workspace.new(text: file.text, file: "a.apus.yaml")
    }

    @Test("YAML's merge keys, several documents and Latin-1 are read")
    func notations() throws {
        let file = try read(
            "x-a: &a { get: { summary: A } }\nopenapi: 3.0.0\npaths:\n  /a: *a\n  /b: { <<: *a, put: {} }"
        )
        #expect(file.text.contains("A: GET /a\n  PUT b: PUT /b\n  A (GET b): GET /b\n"))
        let several = try read("openapi: 3.0.0\npaths: { /a: { get: {} } }\n---\na: b\n")
        #expect(several.text.contains("GET a: GET /a\n"))
        let latin = Array("openapi: 3.0.0\ninfo: { title: caf".utf8) + [0xE9]
        let bytes = latin + Array(" }\npaths: {}".utf8)
        let old = try ImportedFile(ImportSource(path: "a.yaml", bytes: bytes))
        #expect(old.workspace.name == "café")
    }

    @Test("what is something else is refused")
    func refused() {
        for text in ["", "a: b", "{\"a\": 1}", "swagger: \"1.2\"\napis: []", "[1]", "openapi"] {
            #expect(throws: ImportError.self) { try read(text) }
        }
    }

    @Test("hostile schemas end")
    func hostile() throws {
        // Each level has two references to the next one.
        let levels = (0..<60).map { level in
            "    S\(level): { type: object, properties: { a: { $ref: '#/components/schemas/S\(level + 1)' }, b: { $ref: '#/components/schemas/S\(level + 1)' } } }"
        }
        let loop = (0..<60).map { level in
            "    L\(level): { allOf: [{ $ref: '#/components/schemas/L\((level + 1) % 60)' }, { $ref: '#/components/schemas/L\((level + 7) % 60)' }] }"
        }
        let text = """
            openapi: 3.0.0
            paths:
              /a: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/S0' } } } } } }
              /b: { post: { requestBody: { content: { application/xml: { schema: { $ref: '#/components/schemas/S0' } } } } } }
              /c: { post: { requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/L0' } } } } } }
              /d: { post: { requestBody: { content: { application/json: { schema: { type: array, minItems: 1000000000, items: { type: string, minLength: 99999999, pattern: '^(a{1000}){1000}$' } } } } } } }
            components:
              schemas:
            \(levels.joined(separator: "\n"))
            \(loop.joined(separator: "\n"))
            """
        let start = ContinuousClock.now
        let file = try read(text)
        #expect(file.workspace.items.count == 4)
        #expect(file.text.utf8.count < 1 << 20)
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
