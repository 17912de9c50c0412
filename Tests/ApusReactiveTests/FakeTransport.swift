import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization

/// A server whose responses a test gives, one for each request in its turn.
final class FakeTransport: Transport {
    /// What becomes of a request.
    enum Answer: Sendable {
        case text(String)
        case refused
        /// No response before the transfer is cancelled.
        case never
    }

    /// A request has arrived.
    let arrivals: AsyncStream<Void>
    /// A transfer without a response was cancelled.
    let cancellations: AsyncStream<Void>
    private let arrived: AsyncStream<Void>.Continuation
    private let cancelled: AsyncStream<Void>.Continuation
    private let answers: Mutex<[Answer]>
    private let count = Mutex(0)

    init(_ answers: Answer...) {
        self.answers = Mutex(answers)
        (arrivals, arrived) = AsyncStream.makeStream()
        (cancellations, cancelled) = AsyncStream.makeStream()
    }

    /// How many requests arrived.
    var requestCount: Int { count.withLock { $0 } }

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        count.withLock { $0 += 1 }
        arrived.yield()
        switch answers.withLock({ $0.isEmpty ? .refused : $0.removeFirst() }) {
        case .text(let text):
            let count = text.utf8.count
            progress?(TransferProgress(bytesReceived: count, bytesToReceive: count))
            return Response(
                request: request,
                head: HTTPResponse(status: .ok),
                body: .bytes(Array(text.utf8)),
                source: .server,
                received: Date(timeIntervalSince1970: 0)
            )
        case .refused:
            throw ApusError(.connect(host: "api.test", port: 80, detail: "refused"))
        case .never:
            // Waits for the cancellation, not for a time.
            for await _ in AsyncStream<Void>(unfolding: { await Self.forever() }) {}
            cancelled.yield()
            throw ApusError(.cancelled)
        }
    }

    private static func forever() async -> Void? {
        let never = AsyncStream<Void> { _ in }
        for await _ in never {}
        return nil
    }
}

/// A target that is kept in memory.
struct FakeTarget: TargetType {
    var path = "/users/7"
    var cachePolicy = CachePolicy.keep(in: .memory)

    var baseURL: URL {
        guard let url = URL(string: "http://api.test") else { preconditionFailure("not a URL") }
        return url
    }
}

extension Provider<FakeTarget> {
    static func make(_ transport: FakeTransport) -> Provider {
        // Memory only: the folder is never made.
        let configuration = ResponseCache.Configuration(directory: "/nowhere/apus-reactive-tests")
        return Provider(transport: transport, cache: ResponseCache(configuration: configuration))
    }
}
