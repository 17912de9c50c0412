import HTTPTypes
import Synchronization
import Testing

@testable import Apus

/// Nobody knows the bytes of a stream before they are sent, so a stream is equal only to itself.
@Suite("Streamed bodies in the cache")
struct StreamedBodyTests {
    /// Answers with the request's number, and holds on to no request.
    private final class NumberingTransport: Transport {
        private let count = Atomic(0)

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            .make(request, "\(count.add(1, ordering: .relaxed).newValue)")
        }
    }

    private let provider = Provider<TestTarget>(
        transport: NumberingTransport(),
        cache: .inMemory,
        headerFields: [:]
    )

    private static func stream() -> BodyStream {
        BodyStream(count: 0) { AsyncStream<[UInt8]> { $0.finish() } }
    }

    private func answer(to stream: BodyStream) async throws -> Response {
        let form = MultipartForm([.stream("file", stream)])
        return try await provider.response(
            for: TestTarget(method: .post, task: .multipart(form)),
            from: .cacheIfPossible
        )
    }

    @Test("a stream is not answered with the response to an earlier one that is gone")
    func otherStream() async throws {
        for number in 1...100 {
            let answer = try await answer(to: Self.stream())
            #expect(answer.text == "\(number)")
        }
    }

    @Test("the same stream is answered from the cache")
    func sameStream() async throws {
        let stream = Self.stream()
        let first = try await answer(to: stream)
        let second = try await answer(to: stream)
        #expect((first.text, second.text) == ("1", "1"))
        #expect(second.source.isMemory)
    }

    @Test("each stream has keys of its own, as a body and as a part of a form")
    func keys() {
        var keys: Set<CacheKey> = []
        for _ in 0..<1000 {
            let stream = Self.stream()
            let form = MultipartForm([.stream("file", stream)])
            for body in [PreparedRequest.Body.stream(stream), .multipart(form)] {
                keys.insert(CacheKey(for: .cached(method: .post, body: body), policy: .keep()))
            }
        }
        #expect(keys.count == 2000)
    }
}
