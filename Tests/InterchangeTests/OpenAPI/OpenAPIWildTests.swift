import Interchange
import Testing

/// Descriptions as people write them, beside the specification.
struct OpenAPIWildTests {
    private func read(_ text: String) throws -> ImportedFile {
        try ImportedFile(ImportSource(path: "openapi.yaml", bytes: Array(text.utf8)))
    }

    @Test("extensions of one name are one loss, with their values and how many there are")
    func extensions() throws {
        let file = try read(
            """
            openapi: 3.0.0
            x-logo: { url: "https://a.example/logo.png" }
            paths:
              x-paths: all
              /a:
                get:
                  summary: A
                  x-internal: true
                  parameters: [{ name: x-id, in: header, x-order: 1, example: { x-not: this } }]
                  responses: { "200": { description: ok, x-internal: true, headers: { x-rate: {} } } }
                put: { summary: B, x-internal: no one }
            """
        )
        let losses = file.losses.map(\.loss).filter { $0.kind.hasPrefix("the extension") }
        #expect(
            losses.map(\.kind) == [
                "the extension x-logo", "the extension x-paths", "the extension x-internal",
                "the extension x-order",
            ]
        )
        #expect(losses[2].text == "true\nno one")
        #expect(losses[2].reason.hasSuffix("the file has it 3 times"))
        #expect(losses[2].line == 8)
    }

    @Test("thousands of extensions stay readable")
    func many() throws {
        let paths = (0..<3000).map { "  /a\($0): { get: { x-code: value \($0) } }" }
        let text = "openapi: 3.0.0\npaths:\n" + paths.joined(separator: "\n")
        let file = try read(text)
        let loss = try #require(file.losses.map(\.loss).first { $0.kind == "the extension x-code" })
        #expect(loss.text.utf8.count < 5_000)
        #expect(loss.text.hasSuffix(" more)"))
    }

    @Test("what is of another kind than OpenAPI has there is listed, not left out")
    func wrongKinds() throws {
        let file = try read(
            """
            openapi: 3.0.0
            servers: [7]
            paths:
              /a: text
              /b: { get: words, put: { parameters: [5, { name: q }, { in: query }] } }
            """
        )
        let losses = file.losses.map { "\($0.path) \($0.loss.kind): \($0.loss.text)" }
        #expect(
            losses == [
                " a server: 7", " a path: /a: text", " an operation: GET /b: words",
                "PUT b a parameter: 5", "PUT b a parameter: name: \"q\"",
                "PUT b a parameter: in: \"query\"",
            ]
        )
    }

    @Test("what is said of paths, examples and header fields stands in the note")
    func words() throws {
        let file = try read(
            """
            openapi: 3.0.0
            paths:
              /a:
                summary: About the path
                description: More about the path
                post:
                  summary: A
                  parameters: [{ name: q, in: query, examples: { one: { value: 1st }, two: { value: 2nd, summary: Other } } }]
                  requestBody:
                    content: { application/json: { examples: { first: { summary: Body one, value: 1 } } } }
                  responses:
                    "200":
                      description: ok
                      headers: { X-Rate: { description: how many } }
                      content: { application/json: { examples: { r: { summary: Answer one, value: [1] } } } }
                    "404":
                      description: none
                      content: { application/json: { example: { error: missing } } }
            """
        )
        for words in [
            "About the path", "More about the path", "two: `2nd` Other", "Body one",
            "`X-Rate` (how many)", "Answer one", "\"error\": \"missing\"",
        ] {
            #expect(file.text.contains(words), "\(words)")
        }
    }

    @Test("a server whose variables make no URL is asked for")
    func port() throws {
        let file = try read(
            """
            openapi: 3.0.0
            servers: [{ url: "https://a.example:{port}/v1", variables: { port: { default: "high" } } }]
            paths: { /a: { get: {} } }
            """
        )
        #expect(file.text.contains("baseURL: \"{{ server }}/v1\""))
    }

    @Test("a path that refers to itself is listed")
    func circularPath() throws {
        let source = """
            { "openapi": "3.0.0", "info": { "title": "t", "version": "1" },
              "paths": { "/a": { "$ref": "#/paths/~1a" }, "/b": { "get": { "responses": {} } } } }
            """
        let file = try ImportedFile(ImportSource(path: "a.json", bytes: Array(source.utf8)))
        #expect(file.losses.contains { $0.loss.text.contains("#/paths/~1a") })
        #expect(file.targetCount == 1)
    }
}
