/// How far a batch has come.
public struct BatchProgress: Sendable, Hashable {
    /// Targets in all; nil if nobody knows.
    public var total: Int?
    /// Targets that ended with an answer.
    public var succeeded: Int
    /// Targets that ended without one.
    public var failed: Int
    /// Bytes of the requests' bodies that all of them sent so far.
    public var bytesSent: Int
    /// Bytes of the answers' bodies that all of them received so far.
    public var bytesReceived: Int

    /// Makes a progress.
    public init(
        total: Int?,
        succeeded: Int = 0,
        failed: Int = 0,
        bytesSent: Int = 0,
        bytesReceived: Int = 0
    ) {
        self.total = total
        self.succeeded = succeeded
        self.failed = failed
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
    }

    /// The progress of a batch that is about to begin.
    init(of batch: Batch) {
        self.init(total: batch.count.map { $0 - batch.done.count })
    }

    mutating func count(_ result: Result<Response, ApusError>) {
        switch result {
        case .success: succeeded += 1
        case .failure: failed += 1
        }
    }

    mutating func moveBytes(to other: BatchProgress) {
        bytesSent = max(bytesSent, other.bytesSent)
        bytesReceived = max(bytesReceived, other.bytesReceived)
    }

    /// Targets that have ended.
    public var ended: Int { succeeded + failed }

    /// The part that has ended, 0 to 1; 1 for an empty batch, nil if the total is
    /// not known.
    public var fraction: Double? {
        total.map { $0 == 0 ? 1 : Double(ended) / Double($0) }
    }
}
