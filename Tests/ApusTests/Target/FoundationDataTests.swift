import Apus
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Data wherever bytes are given")
struct FoundationDataTests {
    private let data = Data("hello".utf8)

    private func body(of task: RequestTask) async throws -> PreparedRequest {
        let provider = Provider<TestTarget>(transport: ScriptedTransport.answering(""))
        return try await provider.preparedRequest(for: TestTarget(method: .post, task: task))
    }

    @Test("a body, a stub, a form and a response")
    func everywhere() async throws {
        let bytes = Array("hello".utf8)
        let request = try await body(of: .data(data, type: "text/plain"))
        #expect(request.body == .bytes(bytes) && request.body == .bytes(data))
        #expect(request.head.headerFields[.contentType] == "text/plain")
        #expect(try await body(of: .data([104, 105])).body == .bytes([104, 105]))
        #expect(ResponseBody.bytes(data) == .bytes(bytes))
        #expect(try Data(ResponseBody.bytes(bytes)) == data)
        let stub = StubResponse.data(data, type: "image/png", status: 201)
        #expect(stub == .data(bytes, type: "image/png", status: 201))
        let form = MultipartForm.Part.data("file", data, fileName: "a.txt")
        #expect(form == .data("file", bytes, fileName: "a.txt"))
        #expect(MultipartForm.Part("file", .bytes(data)) == .init("file", .bytes(bytes)))
    }

    @Test("parameters are written as a dictionary, an array or a list")
    func parameters() async throws {
        let list: ParameterList = ["q": "swift", "page": 2]
        for task in [
            RequestTask.parameters(["q": "swift", "page": 2], encoding: .form),
            .parameters([Parameter("q", "swift"), Parameter("page", 2)], encoding: .form),
            .parameters(list, encoding: .form),
        ] {
            #expect(try await body(of: task).body == .bytes(Array("q=swift&page=2".utf8)))
        }
        let both = RequestTask.composite(body: .data(data), query: ["q": "swift"])
        #expect(try await body(of: both).url.hasSuffix("?q=swift"))
    }
}
