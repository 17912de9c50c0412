/// The status of the network, whenever it changes.
public struct ReachabilityChanges: AsyncSequence, Sendable {
    /// What a reader gets.
    public typealias Element = ReachabilityStatus
    /// It does not fail.
    public typealias Failure = Never

    let table: NetworkTable
    let notices: @Sendable () -> AsyncStream<Void>

    /// Reads the changes.
    public struct Iterator: AsyncIteratorProtocol {
        private let table: NetworkTable
        private var notices: AsyncStream<Void>.Iterator
        private var last: ReachabilityStatus?

        init(_ changes: ReachabilityChanges) {
            table = changes.table
            notices = changes.notices().makeAsyncIterator()
        }

        /// The first status, or the next one that differs; nil when the task is cancelled.
        public mutating func next() async -> ReachabilityStatus? {
            while true {
                let now = table.status
                if now != last {
                    last = now
                    return now
                }
                guard await notices.next(isolation: #isolation) != nil else { return nil }
            }
        }
    }

    /// Begins; each reader is told on its own.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}
