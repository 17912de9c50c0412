import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("A target becomes a request")
struct EndpointTests {
    private struct User: Encodable, Sendable {
        var name: String
        var age: Int
    }

    private func request(_ target: TestTarget) throws -> PreparedRequest {
        try Endpoint(target).request
    }

    @Test("a plain target has neither body nor content type")
    func plain() throws {
        let request = try request(TestTarget(path: "/a"))
        #expect(request.url == "http://api.test/a")
        #expect(request.body == .none)
        #expect(request.head.headerFields[.contentType] == nil)
    }

    @Test("a value becomes JSON with sorted keys, and names its type unless the target did")
    func json() throws {
        let request = try request(
            TestTarget(method: .post, task: .json(User(name: "Ada", age: 36)))
        )
        #expect(request.body == .bytes(Array(#"{"age":36,"name":"Ada"}"#.utf8)))
        #expect(request.head.headerFields[.contentType] == "application/json")

        let named = try self.request(
            TestTarget(
                method: .post,
                task: .json(User(name: "Ada", age: 36)),
                headerFields: [.contentType: "application/vnd.api+json"]
            )
        )
        #expect(named.head.headerFields[.contentType] == "application/vnd.api+json")
    }

    @Test(
        "parameters go by method to the query or to a form",
        arguments: [
            (HTTPRequest.Method.get, "/users/7?a=1", PreparedRequest.Body.none),
            (.delete, "/users/7?a=1", .none),
            (.post, "/users/7", .bytes(Array("a=1".utf8))),
            (.put, "/users/7", .bytes(Array("a=1".utf8))),
        ]
    )
    func parameters(
        method: HTTPRequest.Method,
        path: String,
        body: PreparedRequest.Body
    ) throws {
        let request = try request(
            TestTarget(
                method: method,
                task: .parameters([Parameter("a", 1)], encoding: .methodDependent)
            )
        )
        #expect(request.head.path == path)
        #expect(request.body == body)
    }

    /// A target that says no task.
    private struct Plain: TargetType {
        var method: HTTPRequest.Method
        var parameters: ParameterList
        var environment: TargetEnvironment?
        var baseURL: URL { TestTarget().baseURL }
        var path: String { "/p" }
    }

    @Test(
        "parameters of a target go by method to the query or to JSON",
        arguments: [
            (HTTPRequest.Method.get, true), (.head, true), (.delete, true), (.options, true),
            (.trace, true), (.post, false), (.put, false), (.patch, false),
            (HTTPRequest.Method("REPORT") ?? .post, false),
        ]
    )
    func ownParameters(method: HTTPRequest.Method, isQuery: Bool) throws {
        let target = Plain(method: method, parameters: ["a": 1, "b": ["c": "d e"]])
        for request in [
            try Endpoint(target).request, try Endpoint(MultiTarget(target)).request,
        ] {
            #expect(request.head.path == (isQuery ? "/p?a=1&b%5Bc%5D=d%20e" : "/p"))
            let json = PreparedRequest.Body.bytes(Array(#"{"a":1,"b":{"c":"d e"}}"#.utf8))
            #expect(request.body == (isQuery ? .none : json))
            #expect(
                request.head.headerFields[.contentType] == (isQuery ? nil : "application/json")
            )
        }
        let bare = try Endpoint(Plain(method: method, parameters: [])).request
        #expect(bare.body == .none && bare.head.path == "/p")
    }

    @Test("an environment's parameters go where the target's own go, which win by name")
    func sharedParameters() throws {
        let environment = TargetEnvironment("e", parameters: ["a": 0, "key": "k"])
        let request = try Endpoint(
            Plain(method: .put, parameters: ["a": 1], environment: environment)
        ).request
        #expect(request.body == .bytes(Array(#"{"key":"k","a":1}"#.utf8)))
    }

    @Test("a composite has a body and a query")
    func composite() throws {
        let request = try request(
            TestTarget(
                method: .post,
                task: .composite(body: .data([1, 2]), query: [Parameter("k", "v")])
            )
        )
        #expect(request.head.path == "/users/7?k=v")
        #expect(request.body == .bytes([1, 2]))
    }

    @Test("an upload names its type by the file's extension")
    func upload() throws {
        let request = try request(
            TestTarget(method: .post, task: .uploadFile(path: "/tmp/picture.PNG"))
        )
        #expect(request.body == .file(path: "/tmp/picture.PNG"))
        #expect(request.head.headerFields[.contentType] == "image/png")
    }

    @Test("a download keeps its destination and may send something")
    func download() throws {
        let destination = DownloadDestination(path: "/tmp/answer")
        let request = try request(
            TestTarget(method: .post, task: .download(to: destination, sending: .data([1])))
        )
        #expect(request.destination == destination)
        #expect(request.body == .bytes([1]))
    }

    @Test("two bodies in one request are an error before anything is sent")
    func twoBodies() {
        let inner = RequestTask.composite(body: .data([1]), query: [])
        let target = TestTarget(
            method: .post,
            task: .download(
                to: DownloadDestination(path: "/tmp/a"),
                sending: .download(to: DownloadDestination(path: "/tmp/b"), sending: inner)
            )
        )
        #expect(throws: ApusError.self) { try Endpoint(target) }
    }

    @Test(
        "what cannot be is an error before anything is sent, and never a trap",
        arguments: [
            (HTTPRequest.Method.get, RequestTask.multipart([.text("a", "b")])),
            (.head, .multipart([.text("a", "b")])),
            (.post, .multipart([])),
            (.post, .multipart(MultipartForm([.text("a", "b")], boundary: "a\r\nb"))),
            (.head, .data([1])), (.trace, .data([1])), (.trace, .json(1)),
            (.post, .composite(body: .parameters([], encoding: .query), query: [])),
            (.get, .composite(body: .parameters([], encoding: .methodDependent), query: [])),
            (.post, .composite(body: .plain, query: [], encoding: .json)),
            (.post, .composite(body: .composite(body: .plain, query: []), query: [])),
            (
                .post,
                .composite(
                    body: .download(to: DownloadDestination(path: "/tmp/a"), sending: .plain),
                    query: []
                )
            ),
            (.post, .graphQL(GraphQLQuery("{ a }", variables: [1, 2]))),
        ]
    )
    func impossible(method: HTTPRequest.Method, task: RequestTask) throws {
        let error = #expect(throws: ApusError.self) {
            try Endpoint(TestTarget(method: method, task: task))
        }
        #expect(error?.code == 1004)
    }

    @Test("composite parameters have a form or JSON in the body and a query beside it")
    func compositeParameters() throws {
        let form = try request(
            TestTarget(
                method: .put,
                task: .composite(
                    body: .parameters([Parameter("a", 1)], encoding: .methodDependent),
                    query: [Parameter("list", [1, 2])],
                    encoding: ParameterEncoding(arrays: .repeated)
                )
            )
        )
        #expect(form.head.path == "/users/7?list=1&list=2")
        #expect(form.body == .bytes(Array("a=1".utf8)))
        let json = try request(
            TestTarget(
                method: .post,
                task: .composite(
                    body: .parameters([Parameter("a", 1)], encoding: .json),
                    query: [Parameter("b", "c")]
                )
            )
        )
        #expect(json.head.path == "/users/7?b=c")
        #expect(json.body == .bytes(Array(#"{"a":1}"#.utf8)))
    }

    @Test("an encoder of one's own is used, with its type; its failure is an error with its words")
    func encoder() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Name: Encodable, Sendable { var firstName: String }
        let request = try request(
            TestTarget(method: .post, task: .encoded(Name(firstName: "Ada"), with: encoder))
        )
        #expect(request.body == .bytes(Array(#"{"first_name":"Ada"}"#.utf8)))
        #expect(request.head.headerFields[.contentType] == "application/json")
        struct Plain: BodyEncoder {
            struct Refusal: Error {}
            let mediaType = "text/plain"
            func body(of value: some Encodable) throws -> [UInt8] {
                guard let text = value as? String else { throw Refusal() }
                return Array(text.utf8)
            }
        }
        let plain = try self.request(
            TestTarget(method: .post, task: .encoded("hi", with: Plain()))
        )
        #expect(plain.head.headerFields[.contentType] == "text/plain")
        let error = #expect(throws: ApusError.self) {
            try Endpoint(TestTarget(method: .post, task: .encoded(7, with: Plain())))
        }
        #expect(error?.reason == .invalidRequest(.encoding(detail: "Refusal()")))
    }

    @Test("data and files may name their type, which the target's own field overrides")
    func types() throws {
        let task = RequestTask.data([1], type: "x/y")
        #expect(try request(TestTarget(task: task)).head.headerFields[.contentType] == "x/y")
        let named = TestTarget(task: task, headerFields: [.contentType: "a/b"])
        #expect(try request(named).head.headerFields[.contentType] == "a/b")
        let upload = RequestTask.uploadFile(path: "/tmp/a.json", type: "x/z")
        #expect(try request(TestTarget(task: upload)).head.headerFields[.contentType] == "x/z")
    }

    @Test(
        "an absolute path is the whole URL, whatever its scheme; another is never mistaken for one"
    )
    func absolute() throws {
        #expect(try request(TestTarget(path: "HTTPS://h/a")).url == "https://h/a")
        #expect(
            try request(TestTarget(path: "/docs/http://x")).url == "http://api.test/docs/http://x"
        )
        #expect(try request(TestTarget(path: "http/1")).url == "http://api.test/http/1")
        let error = #expect(throws: ApusError.self) { try Endpoint(TestTarget(path: "ftp://h/a")) }
        #expect(error?.reason == .invalidRequest(.scheme("ftp")))
    }
}
