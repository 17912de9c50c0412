/// One thing that went over the wire, or that the transport says about it.
public struct WireTraceEntry: Sendable, Hashable, Codable {
    /// What kind of thing.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A remark of the transport, such as which TLS version was agreed on.
        case remark
        /// A header line sent.
        case headerOut
        /// A header line received.
        case headerIn
    }

    /// What kind of thing.
    public var kind: Kind
    /// Its text, without the line end; secrets are masked.
    public var text: String

    /// Makes an entry.
    public init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }
}
