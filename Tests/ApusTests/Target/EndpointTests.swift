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
}
