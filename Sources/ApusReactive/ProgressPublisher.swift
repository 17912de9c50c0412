public import Apus
public import OpenCombine
import Synchronization

/// How far an exchange has come, as a publisher: a value for each progress and for each answer, each
/// with the last of the other.
///
/// It fails with the exchange's error if there was no answer. Each subscriber begins an exchange of
/// its own, at its first demand; progress that nobody asked for in time is dropped for newer one.
/// Cancelling the subscription cancels the transfer.
public struct ProgressPublisher: Publisher {
    /// How far it has come.
    public typealias Output = ExchangeProgress
    /// Why there was no answer.
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
                case .progress(let progress): .value(state.take(progress))
                case .response(let response): .value(state.take(response))
                case .finished(let summary): .end(summary.completion)
                default: .nothing
                }
            }
        )
    }

    /// What one subscriber has been told.
    private final class State: Sendable {
        private let last = Mutex(ExchangeProgress())

        func take(_ transfer: TransferProgress) -> ExchangeProgress {
            last.withLock { last in
                last.transfer = transfer
                last.hasNewResponse = false
                return last
            }
        }

        func take(_ response: Response) -> ExchangeProgress {
            last.withLock { last in
                last.response = response
                last.hasNewResponse = true
                return last
            }
        }
    }
}

extension ExchangeSummary {
    /// The end of a publisher.
    ///
    /// Answers that were delivered are not taken back by a later cancellation.
    var completion: Subscribers.Completion<ApusError> {
        if case .failure(let error) = result { .failure(error) } else { .finished }
    }
}

/// How far an exchange has come: the last progress of the transfer and the last answer.
public struct ExchangeProgress: Sendable, Hashable {
    /// The last progress; nothing yet when the answer came without a transfer.
    public var transfer: TransferProgress
    /// The last answer; nil before the first.
    public var response: Response?
    /// Whether an answer has just arrived, rather than the transfer moved.
    public var hasNewResponse: Bool

    /// Makes a state; by default the beginning.
    public init(
        transfer: TransferProgress = TransferProgress(),
        response: Response? = nil,
        hasNewResponse: Bool = false
    ) {
        self.transfer = transfer
        self.response = response
        self.hasNewResponse = hasNewResponse
    }

    /// How much of the answer has been received, 0 to 1; nil while nobody knows its length.
    public var fractionReceived: Double? {
        guard let total = transfer.bytesToReceive, total > 0 else { return nil }
        return min(1, Double(transfer.bytesReceived) / Double(total))
    }
}
