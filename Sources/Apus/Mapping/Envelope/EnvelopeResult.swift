public import Documents

/// What the envelope of an answer says.
public struct EnvelopeResult: Sendable, Hashable {
    /// Whether its code means success, and there is data if there must be.
    public let isSuccess: Bool
    /// The code as text; nil if there is none.
    public let code: String?
    /// The message; nil if there is none.
    public let message: String?
    /// The data; missing if there is none.
    public let data: JSON

    /// Makes a result.
    public init(isSuccess: Bool, code: String?, message: String?, data: JSON) {
        self.isSuccess = isSuccess
        self.code = code
        self.message = message
        self.data = data
    }
}
