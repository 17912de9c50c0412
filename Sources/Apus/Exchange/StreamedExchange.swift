import FoundationEssentials
import HTTPTypes
import Synchronization

// A response whose body is still arriving passes through interceptors, validation and plugins as any other, with an
// empty body: the arriving one is carried by it until the caller takes it.
//
// ```
// PlannedExchange.opened ─▶ RunningExchange.run … ServerCall ─▶ StreamingTransport ─▶ Transport.stream
//                                                                     │ head, and ArrivingBody
//            ResponseStream ◀─ takes the body ◀─ process ◀─ didReceive ◀─ validation
//                 │ read to its end, failed or released
//            StreamEnding ─▶ didFinish
// ```

/// A body that is still arriving, which one owner takes; releasing it untaken ends the transfer.
final class ArrivingBody: Sendable, Hashable {
    private let stream: Mutex<StreamedResponse?>

    init(_ stream: StreamedResponse) { self.stream = Mutex(stream) }

    func take() -> StreamedResponse? { stream.withLock { $0.take() } }

    static func == (a: ArrivingBody, b: ArrivingBody) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Sends requests whose responses arrive with an `ArrivingBody`.
struct StreamingTransport: Transport {
    let base: any Transport

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        guard request.destination == nil else {
            let detail = "a download to a file whose response is streamed"
            throw ApusError(.invalidRequest(.combination(detail: detail)), request: request.line)
        }
        let stream = try await base.stream(request)
        var response = Response(
            request: request,
            head: stream.head,
            body: .bytes([]),
            source: stream.source,
            isComplete: false,
            received: Date()
        )
        response.arriving = ArrivingBody(stream)
        return response
    }
}

/// The end of a stream, which is reported to plugins once.
final class StreamEnding: Sendable {
    private let exchange: RunningExchange
    private let response: Response
    private let metrics: @Sendable () -> TransferMetrics?
    private let isOver = Atomic(false)

    init(
        _ exchange: RunningExchange,
        _ response: Response,
        metrics: @escaping @Sendable () -> TransferMetrics?
    ) {
        self.exchange = exchange
        self.response = response
        self.metrics = metrics
    }

    deinit {
        guard let summary = ended(ApusError(.cancelled, request: response.request.line)),
            let pipeline = exchange.planned.pipeline
        else { return }
        pipeline.lateEnds.run { [exchange] in
            await HookRunner(exchange, pipeline).didFinish(summary)
        }
    }

    /// Reports the end, with the error that ended the body or nil if it was read whole.
    func end(_ error: ApusError?) async {
        guard let summary = ended(error) else { return }
        await exchange.hooks?.didFinish(summary)
    }

    private func ended(_ error: ApusError?) -> ExchangeSummary? {
        guard !isOver.exchange(true, ordering: .relaxed) else { return nil }
        exchange.endChildren()
        var response = response
        // It stays incomplete, because its bytes went to the reader alone.
        response.metrics = metrics() ?? response.metrics
        return exchange.summary(of: error.map { .failure($0) } ?? .success(response))
    }
}

extension PlannedExchange {
    /// Runs the exchange until the header of its response has passed the plugins.
    func opened() async throws(ApusError) -> ResponseStream {
        var planned = self
        planned.isStreaming = true
        let exchange = RunningExchange(planned, nil)
        await withTaskCancellationHandler {
            await exchange.run(CachePlan(source: .server, policy: CachePolicy.none))
        } onCancel: {
            exchange.endChildren()
        }
        do throws(ApusError) {
            let response = try exchange.result.get()
            let stream = response.arriving?.take() ?? StreamedResponse(piecesOf: response)
            return ResponseStream(
                response: response,
                body: stream.body,
                ending: StreamEnding(exchange, response) { stream.metrics }
            )
        } catch {
            exchange.endChildren()
            await exchange.hooks?.didFinish(exchange.summary())
            throw error
        }
    }
}

extension Validation {
    /// Checks a response; the arriving body of one that is not accepted is read first, so that the error has it.
    ///
    /// - Throws: `.unacceptableStatus` with the response.
    func checkArriving(_ response: Response) async throws(ApusError) {
        if let stream = response.arriving, !accepts(response), let stream = stream.take() {
            return try check(await response.collecting(stream))
        }
        try check(response)
    }
}

extension Response {
    /// The most bytes that are read of the body of a refused response.
    private static let refusedLimit = 1 << 20

    /// The response with the first part of its body.
    fileprivate func collecting(_ stream: StreamedResponse) async -> Response {
        var (bytes, isComplete) = ([UInt8](), true)
        do {
            for try await chunk in stream.body {
                bytes += chunk
                guard bytes.count <= Self.refusedLimit else {
                    isComplete = false
                    break
                }
            }
        } catch {
            // What has arrived is kept; the status is the reason of the failure.
            isComplete = false
        }
        var response = self
        response.body = .bytes(bytes)
        response.isComplete = isComplete
        response.metrics = stream.metrics ?? metrics
        return response
    }
}
