public import Apus
public import OpenCombine
import Synchronization

/// The progress of an exchange as a publisher: a value for each progress event and each response, with the
/// latest of both.
///
/// It fails with the exchange's error if there was no response. Each subscriber starts an exchange of its own
/// at its first demand; progress that is not requested in time is replaced by newer progress. Cancelling the
/// subscription cancels the transfer.
public struct ProgressPublisher: Publisher {
    /// The latest progress and response.
    public typealias Output = ExchangeProgress
    /// Why there was no response.
    public typealias Failure = ApusError

    private let events: ExchangeEvents

    init(_ events: ExchangeEvents) { self.events = events }

    /// Attaches a subscriber; nothing is sent before its first demand.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == ExchangeProgress, Downstream.Failure == ApusError {
        let state = State()
        subscriber.receive(
            subscription: EventSubscription(events, AnySubscriber(subscriber)) { event in
                switch event {
                case .progress(let progress): .value(state.update(progress))
                case .response(let response): .value(state.update(response))
                case .finished(let summary): .end(summary.completion)
                default: .nothing
                }
            }
        )
    }

    /// The latest values for one subscriber.
    private final class State: Sendable {
        private let last = Mutex(ExchangeProgress())

        func update(_ transfer: TransferProgress) -> ExchangeProgress {
            last.withLock { last in
                last.transfer = transfer
                last.hasNewResponse = false
                return last
            }
        }

        func update(_ response: Response) -> ExchangeProgress {
            last.withLock { last in
                last.response = response
                last.hasNewResponse = true
                return last
            }
        }
    }
}

extension ExchangeSummary {
    /// How a publisher completes with this summary.
    ///
    /// A cancellation after a response was delivered is not a failure.
    var completion: Subscribers.Completion<ApusError> {
        if case .failure(let error) = result { .failure(error) } else { .finished }
    }
}

/// How far an exchange has come: the latest progress of the transfer and the latest response.
public struct ExchangeProgress: Sendable, Hashable {
    /// The latest progress; still empty if the response came without a transfer.
    public var transfer: TransferProgress
    /// The latest response; nil before the first.
    public var response: Response?
    /// Whether this value is due to a new response, rather than to progress of the transfer.
    public var hasNewResponse: Bool

    /// Makes a state; the defaults are those at the beginning.
    public init(
        transfer: TransferProgress = TransferProgress(),
        response: Response? = nil,
        hasNewResponse: Bool = false
    ) {
        self.transfer = transfer
        self.response = response
        self.hasNewResponse = hasNewResponse
    }

    /// How much of the body has been received, 0 to 1; nil if its length is unknown or zero.
    public var fractionReceived: Double? {
        guard let total = transfer.bytesToReceive, total > 0 else { return nil }
        return min(1, Double(transfer.bytesReceived) / Double(total))
    }
}
