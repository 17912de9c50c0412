/// How far a body has been taken in.
public struct ParseProgress: Equatable, Sendable {
    /// The bytes that were looked at.
    public let parsedBytes: Int
    /// All bytes.
    public let totalBytes: Int

    /// Says how far a body has been taken in.
    public init(parsedBytes: Int, totalBytes: Int) {
        self.parsedBytes = parsedBytes
        self.totalBytes = totalBytes
    }
}
