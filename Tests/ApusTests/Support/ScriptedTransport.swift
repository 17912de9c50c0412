import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization

/// A server in a few lines: every request is answered by a closure.
final class ScriptedTransport: Transport {
    typealias Answer = @Sendable (PreparedRequest) async throws(ApusError) -> Response

    private let answer: Answer
    private let requests = Mutex<[PreparedRequest]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// The requests that arrived, in order.
    var received: [PreparedRequest] { requests.withLock { $0 } }

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        requests.withLock { $0.append(request) }
        progress?(TransferProgress(bytesReceived: 1))
        return try await answer(request)
    }

    /// Answers every request with the same status and text.
    static func answering(_ text: String, status: Int = 200) -> ScriptedTransport {
        ScriptedTransport { request in .make(request, text, status: status) }
    }

    /// A server that cannot be reached.
    static var down: ScriptedTransport {
        ScriptedTransport { request throws(ApusError) in
            throw ApusError(
                .connect(host: "api.test", port: 80, detail: "connection refused"),
                request: ApusError.RequestLine(method: "GET", url: request.url)
            )
        }
    }

    /// A server that never answers; `isWaiting` is told when a request is there.
    static func silent(_ isWaiting: AsyncStream<Void>.Continuation) -> ScriptedTransport {
        ScriptedTransport { _ throws(ApusError) in
            isWaiting.yield()
            // Waits for the cancellation, not for a time.
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            throw ApusError(.cancelled)
        }
    }
}

extension Response {
    /// A response of the server's.
    static func make(
        _ request: PreparedRequest,
        _ text: String,
        status: Int = 200,
        received: Date = Date(timeIntervalSince1970: 0)
    ) -> Response {
        Response(
            request: request,
            head: HTTPResponse(status: .init(code: status)),
            body: .bytes(Array(text.utf8)),
            source: .server,
            received: received
        )
    }

    /// The body as text, for expectations.
    var text: String? { (try? body.load()).map { String(decoding: $0, as: UTF8.self) } }
}
