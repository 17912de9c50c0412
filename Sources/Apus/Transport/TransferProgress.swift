/// How far a transfer has come.
///
/// A total that nobody told is nil, never guessed.
public struct TransferProgress: Sendable, Hashable {
    /// Bytes of the request's body sent so far.
    public var bytesSent: Int
    /// Bytes of the request's body in all.
    public var bytesToSend: Int?
    /// Bytes of the answer's body received so far, as they came over the wire.
    public var bytesReceived: Int
    /// Bytes of the answer's body in all.
    public var bytesToReceive: Int?

    /// Makes a progress; what is not given is zero or unknown.
    public init(
        bytesSent: Int = 0,
        bytesToSend: Int? = nil,
        bytesReceived: Int = 0,
        bytesToReceive: Int? = nil
    ) {
        self.bytesSent = bytesSent
        self.bytesToSend = bytesToSend
        self.bytesReceived = bytesReceived
        self.bytesToReceive = bytesToReceive
    }
}
