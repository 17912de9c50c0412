/// What a logger writes about one event.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// What it is about.
    public enum Kind: String, Sendable, Hashable {
        /// A request that goes out.
        case request
        /// An answer.
        case answer
        /// A failure in an answer's place.
        case failure
    }

    /// The exchange; its entries belong together.
    public let id: ExchangeID
    /// The attempt, from 1.
    public let attempt: Int
    /// What it is about.
    public let kind: Kind
    /// The text, without a final line feed.
    public let text: String

    /// "#17 → GET https://host/path" and what else was asked for.
    public var description: String {
        let mark =
            switch kind {
            case .request: "→"
            case .answer: "←"
            case .failure: "✗"
            }
        return "\(id) \(mark) \(text)"
    }
}
