import Apus
import Documents
import HTTPTypes
import Testing
import Workspaces

/// What a line of `apus pipe` asks for, and what is sent for it.
@Suite("the lines of a pipe")
struct PipeResolverTests {
    private func resolve(
        _ line: String,
        cache: PipeCacheMode? = nil,
        decodesContent: Bool? = nil,
        _ workspace: String? = nil
    ) throws -> PipeResolver.Resolved {
        let named = try workspace.map {
            NamedWorkspace(workspace: try .make($0), environment: "local")
        }
        return try PipeResolver(
            workspace: named,
            cache: cache,
            hasFolder: false,
            overrides: PolicyOverrides(),
            decodesContent: decodesContent
        ).resolve(PipeRequest(JSON(parsing: line)))
    }

    @Test("a URL is sent as the line says, with nothing decoded and redirects followed")
    func url() throws {
        let resolved = try resolve(
            #"{"url": " HTTPS://a/b", "method": "PUT", "headers": [["A", "b"]], "body": "x"}"#
        )
        let target = resolved.target
        #expect(target.path == "https://a/b" && target.method == .put)
        #expect(target.headerFields.map(\.value) == ["b"])
        #expect(!target.options.decodesContent && target.options.maximumRedirects == 20)
        #expect(target.options.maximumBodySize == 256 << 20)
        #expect(resolved.own == nil && "\(resolved.source)" == "\(DataSource.server)")
        let manual = try resolve(
            #"{"url": "http://a", "redirect": "manual", "timeout": 0}"#,
            decodesContent: true
        ).target.options
        #expect(manual.maximumRedirects == 0 && manual.timeout == nil && manual.decodesContent)
    }

    @Test("the source is the line's, the cache's, or the target's own")
    func sources() throws {
        let workspace = """
            environments: { local: { baseURL: "http://a" } }
            targets: { Own: { request: GET /, source: cacheAndServer } }
            """
        let line = #"{"target": "Own"}"#
        let own = try resolve(line, workspace)
        #expect("\(own.source)" == "\(DataSource.cacheAndServer)" && own.own?.name == "Own")
        #expect("\(try resolve(line, cache: .http, workspace).source)" == "cacheIfPossible")
        let server = #"{"target": "Own", "source": "server"}"#
        #expect("\(try resolve(server, cache: .http, workspace).source)" == "server")
        #expect(
            "\(try resolve(#"{"url": "http://a"}"#, cache: .memory).source)" == "cacheIfPossible"
        )
    }

    @Test("values that are nested too deeply become null, and the others stay")
    func deepValues() throws {
        let deep = String(repeating: "[", count: 70) + String(repeating: "]", count: 70)
        let resolved = try resolve(
            #"{"target": "Own", "set": {"a": [1, \#(deep)]}}"#,
            """
            variables: { a: 1 }
            environments: { local: { baseURL: "http://a" } }
            targets: { Own: { request: POST /, json: "{{ a }}" } }
            """
        )
        let request = try Endpoint(MultiTarget(resolved.target)).request
        guard case .bytes(let bytes) = request.body else {
            Issue.record("it has no body")
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("[1,[[[") && text.contains("[null]"))
    }

    @Test(
        "what is wrong is said with its column",
        arguments: [
            ("[1]", "a request must be a JSON object", nil),
            (#"{"urls": "http://a"}"#, "a request has no member “urls”; did you mean “url”?", 10),
            (#"{"url": "ftp://a"}"#, "url must begin with http:// or https://", 9),
            (#"{"url": "http://a", "body": "a", "bodyBase64": "YQ=="}"#, "body and bodyBase64", 48),
            (#"{"target": "Own"}"#, "target needs --workspace FILE", nil),
            (#"{"url": "http://a", "headers": [["A b", ""]]}"#, "“A b” is not a valid header", 33),
        ] as [(String, String, Int?)]
    )
    func wrong(line: String, words: String, column: Int?) throws {
        let error = #expect(throws: PipeError.self) { try resolve(line) }
        #expect(error?.message.hasPrefix(words) == true, "\(error?.message ?? "")")
        #expect(error?.column == column)
    }
}
