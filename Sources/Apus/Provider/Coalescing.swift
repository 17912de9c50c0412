public import HTTPTypes

/// Which equal requests in flight share one transfer.
public enum Coalescing: Sendable, Hashable, ExpressibleByBooleanLiteral {
    /// None; the default.
    case none
    /// Those with a safe method (RFC 9110 section 9.2.1).
    case safeMethods
    /// All, also those that change something on the server.
    case all

    /// `true` is `safeMethods`.
    public init(booleanLiteral value: Bool) { self = value ? .safeMethods : .none }

    /// Whether requests of a method share.
    public func shares(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .none: false
        case .safeMethods: [.get, .head, .options, .trace].contains(method)
        case .all: true
        }
    }
}
