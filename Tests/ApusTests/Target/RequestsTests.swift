import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Requests without a target")
struct RequestsTests {
    private let server: RawServer
    private let requests = Requests()

    init() throws { server = try RawServer(RawServer.ok("ok")) }

    private var base: String { "http://\(server.authority)" }

    @Test("parameters go by method to the query or to JSON, and the headers really arrive")
    func methods() async throws {
        let url = base + "/docs/http?x=1"
        let parameters: ParameterList = ["a": 1, "b": ["c": "d e"]]
        let headers: HTTPFields = [.userAgent: "mine", .accept: "x/y"]
        _ = try await requests.get(url, parameters: parameters, headers: headers)
        _ = try await requests.head(url, parameters: parameters, headers: headers)
        _ = try await requests.delete(url, parameters: parameters, headers: headers)
        _ = try await requests.post(url, parameters: parameters, headers: headers)
        _ = try await requests.put(url, parameters: parameters, headers: headers)
        _ = try await requests.patch(url, parameters: parameters, headers: headers)
        let received = server.received
        #expect(received.map(\.method) == ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH"])
        for request in received {
            #expect(request.value(of: "User-Agent") == "mine")
            #expect(request.value(of: "Accept") == "x/y")
        }
        for request in received.prefix(3) {
            #expect(request.path == "/docs/http?x=1&a=1&b%5Bc%5D=d%20e")
            #expect(request.body.isEmpty)
        }
        for request in received.dropFirst(3) {
            #expect(request.path == "/docs/http?x=1")
            #expect(request.body == Array(#"{"a":1,"b":{"c":"d e"}}"#.utf8))
            #expect(request.value(of: "Content-Type") == "application/json")
        }
    }

    @Test("an encoding can be chosen, and a request without parameters has no body")
    func encoding() async throws {
        _ = try await requests.post(base + "/f", parameters: ["a": true], encoding: .form)
        _ = try await requests.post(base + "/none")
        #expect(server.received[0].body == Array("a=1".utf8))
        #expect(server.received[1].body.isEmpty)
    }

    @Test("a path goes to the environment's base, whose parameters a call overrides by name")
    func environment() async throws {
        let store = EnvironmentStore(
            TargetEnvironment(
                "e",
                baseURL: URL(string: base + "/api"),
                headerFields: [.acceptLanguage: "de"],
                parameters: ["key": "k", "page": 1]
            )
        )
        let requests = Requests(environments: store)
        _ = try await requests.get("users", parameters: ["page": 2])
        _ = try await requests.get("users")
        store.update { $0.parameters = [] }
        _ = try await requests.get("/http://x", parameters: ["q": 1])
        #expect(
            server.received.map(\.path)
                == [
                    "/api/users?key=k&page=2", "/api/users?key=k&page=1", "/api/http://x?q=1",
                ]
        )
        #expect(server.received[0].value(of: "Accept-Language") == "de")
    }

    @Test(
        "a path without an environment is an error that names it",
        arguments: ["users", "/a", ""]
    )
    func noBase(_ path: String) async {
        let error = await #expect(throws: ApusError.self) { try await requests.get(path) }
        #expect(error?.reason == .invalidRequest(.url(path)))
    }
}
