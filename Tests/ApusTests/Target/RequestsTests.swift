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
        _ = try await requests.get(url, parameters: parameters, headerFields: headers)
        _ = try await requests.head(url, parameters: parameters, headerFields: headers)
        _ = try await requests.delete(url, parameters: parameters, headerFields: headers)
        _ = try await requests.post(url, parameters: parameters, headerFields: headers)
        _ = try await requests.put(url, parameters: parameters, headerFields: headers)
        _ = try await requests.patch(url, parameters: parameters, headerFields: headers)
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

    @Test("what reads the cache fills it, unless the call says where responses are kept")
    func source() async throws {
        let requests = Requests(provider: Provider(cache: .inMemory))
        _ = try await requests.get(base + "/a")
        _ = try await requests.get(base + "/a", from: .cacheIfPossible)
        let cached = try await requests.get(base + "/a", from: .cacheIfPossible)
        #expect(cached.isFromCache)
        #expect(server.received.count == 2)
        _ = try await requests.get(base + "/b", from: .cacheIfPossible, caching: CachePolicy.none)
        _ = try await requests.get(base + "/b", from: .cacheIfPossible)
        #expect(server.received.count == 4)
        _ = try await requests.get(base + "/c", caching: .keep(in: .memory))
        #expect(try await requests.get(base + "/c", from: .cache).text == "ok")
    }

    @Test("a body of any kind is a task, and the parameters beside it are the query")
    func tasks() async throws {
        let folder = TemporaryFolder()
        let file = try folder.write("moving", to: "film")
        let parameters: ParameterList = ["a": 1]
        let url = base + "/t"
        _ = try await requests.post(url, parameters: parameters, task: .data([0x41], type: "x/y"))
        _ = try await requests.put(url, task: .uploadFile(path: file, type: "video/mp4"))
        _ = try await requests.post(url, parameters: parameters, task: .json(["b": 2]))
        let form = ParameterEncoding.form
        _ = try await requests.post(
            url,
            parameters: parameters,
            encoding: form,
            task: .multipart([.text("n", "v")])
        )
        let answer = try await requests.get(
            url,
            parameters: parameters,
            task: .download(to: .folder(folder.path), sending: .plain)
        )
        let received = server.received
        #expect(received.map(\.path) == ["/t?a=1", "/t", "/t?a=1", "/t?a=1", "/t?a=1"])
        #expect(received[0].body == [0x41])
        #expect(received[0].value(of: "Content-Type") == "x/y")
        #expect(received[1].body == Array("moving".utf8))
        #expect(received[2].body == Array(#"{"b":2}"#.utf8))
        #expect(received[3].value(of: "Content-Type")?.hasPrefix("multipart/form-data") == true)
        guard case .file = answer.body else {
            Issue.record("no file")
            return
        }
    }

    @Test("progress is told to who awaits, and to who is called back")
    func progress() async throws {
        let heard = HookLog()
        let body = RequestTask.data([UInt8](repeating: 0x41, count: 200_000))
        _ = try await requests.post(
            base + "/p",
            task: body,
            progress: { step in
                if step.bytesSent == 200_000 { heard.add("sent") }
            }
        )
        let result = await withCheckedContinuation { continuation in
            requests.post(
                base + "/p",
                task: body,
                progress: { step in if step.bytesSent == 200_000 { heard.add("told") } },
                completion: { continuation.resume(returning: $0) }
            )
        }
        #expect(try result.get().text == "ok")
        #expect(Set(heard.all) == ["sent", "told"])
    }

    @Test("a call back comes with a token that cancels it and tells what was sent")
    func tokens() async throws {
        let silent = try RawServer { _ in [.hang] }
        let (results, heard) = AsyncStream<Result<Response, ApusError>>.makeStream()
        let token = requests.get("http://\(silent.authority)/x") { heard.yield($0) }
        while token.curlCommand == nil { await Task.yield() }
        #expect(token.curlCommand?.contains("/x") == true)
        token.cancel()
        var iterator = results.makeAsyncIterator()
        #expect(await iterator.next() == .failure(ApusError(.cancelled)))
        requests.verb(.options)("nowhere") { heard.yield($0) }
        guard case .failure(let error) = await iterator.next() else {
            Issue.record("a response")
            return
        }
        #expect(error.reason == .invalidRequest(.url("nowhere")))
    }

    @MainActor
    @Test("a call back on the main actor may touch what lives there")
    func mainActor() async throws {
        final class Model { var texts: [String] = [] }
        let model = Model()
        let url = base + "/m"
        await withCheckedContinuation { continuation in
            requests.post(
                url,
                task: .data([0x41]),
                on: .main,
                progress: { _ in model.texts.append("step") },
                completion: { result in
                    MainActor.assertIsolated()
                    model.texts.append((try? result.get().text) ?? "failed")
                    continuation.resume()
                }
            )
        }
        #expect(model.texts.last == "ok")
        #expect(model.texts.count > 1)
        await withCheckedContinuation { continuation in
            requests.get("nowhere", on: .main) { result in
                if case .failure(let error) = result { model.texts = ["\(error.code)"] }
                continuation.resume()
            }
        }
        #expect(model.texts.count == 1)
    }
}
