public import Apus
public import OpenCombine

/// The values of the answers to a target as a publisher: with `.cacheAndServer` the cache's and the
/// server's.
///
/// It fails if there was no answer, and if the last answer could not be read. Each subscriber begins
/// an exchange of its own, at its first demand; cancelling the subscription cancels the transfer.
public struct ValuePublisher<Serializer: ResponseSerializer>: Publisher
where Serializer.Value: Sendable {
    /// What the serializer reads.
    public typealias Output = Serializer.Value
    /// Why there is no value, or no last one.
    public typealias Failure = ApusError

    private let values: MappedValues<Serializer>

    init(_ values: MappedValues<Serializer>) { self.values = values }

    /// Attaches a subscriber; nothing is sent before its first demand.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == ApusError {
        subscriber.receive(
            subscription: EventSubscription(Outcomes(values), AnySubscriber(subscriber)) {
                outcome in
                switch outcome {
                case .success(let value): .value(value)
                case .failure(let error): .end(.failure(error))
                }
            }
        )
    }
}
