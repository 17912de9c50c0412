/// How far an exchange has come.
public enum ExchangeState: Sendable, Hashable {
    /// Its request is being made.
    case preparing
    /// It is on its way for the so many-th time.
    case sending(attempt: Int)
    /// An answer or a failure is there and goes through the plugins.
    case processing
    /// It ended with an answer.
    case succeeded(ResponseSource)
    /// It ended without one.
    case failed(ApusError.Reason)

    /// Whether nothing follows.
    public var isFinal: Bool {
        switch self {
        case .preparing, .sending, .processing: false
        case .succeeded, .failed: true
        }
    }
}
