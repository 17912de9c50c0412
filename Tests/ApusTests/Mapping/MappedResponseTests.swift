import Apus
import Testing

@Suite("Values with their responses")
struct MappedResponseTests {
    @Test("the response is kept also when its value cannot be read")
    func keepsResponse() {
        let response = Response.make("[", status: 201)
        let mapped = MappedResponse(.success(response), using: .json)
        #expect(mapped.response == response)
        #expect(mapped.value == nil)
        #expect(mapped.error?.code == 5003)
        #expect(!mapped.isFromCache)
        #expect(mapped.source == .server)
    }

    @Test("without a response it is from no cache, and has the response that an error carries")
    func noResponse() {
        let lost = MappedResponse(.failure(ApusError(.cancelled)), using: .json)
        #expect(lost.response == nil)
        #expect(!lost.isFromCache)
        #expect(lost.source == nil)
        let response = Response.make("x", status: 500)
        let refused = ApusError(.unacceptableStatus(500), response: response)
        let mapped = MappedResponse(.failure(refused), using: .json)
        #expect(mapped.response == response)
        #expect(mapped.error == refused)
    }

    @Test("values and errors are mapped on, the response beside them")
    func maps() {
        let mapped = MappedResponse(.success(.make("7")), using: .decodable(Int.self))
        #expect(mapped.map { $0 + 1 }.value == 8)
        #expect(mapped.map { $0 + 1 }.response == mapped.response)
        #expect(
            mapped.flatMap { _ in Result<Int, ApusError>.failure(ApusError(.cancelled)) }.error
                != nil
        )
        let failed = MappedResponse(.success(.make("x")), using: .decodable(Int.self))
        #expect(failed.mapError { _ in ApusError(.cancelled) }.error?.reason == .cancelled)
    }

    @Test("results of a batch or a chain are read the same way")
    func results() {
        let results: [Result<Response, ApusError>] = [
            .success(.make(#"{"n":1}"#)), .failure(ApusError(.cancelled)), .success(.make("{}")),
        ]
        let mapped = results.map { $0.mappedResponse(using: .decodable(Int.self, at: "n")) }
        #expect(mapped.map(\.value) == [1, nil, nil])
        #expect(mapped.map { $0.error?.code } == [nil, 1201, 5004])
        #expect(results[0].mappedResponse(using: .string(at: "n")).value == "1")
    }
}
