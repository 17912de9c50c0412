public import Apus

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
