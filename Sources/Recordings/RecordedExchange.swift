package import Apus
package import FoundationEssentials

/// An exchange in a session, without its bodies.
package struct RecordedExchange: Sendable, Hashable, Identifiable {
    /// Its number in the session, from 1, in recorded order.
    package let id: Int64
    /// The digest of the key that replay finds it by.
    package let key: String
    /// When it began.
    package let started: Date
    /// How long it took.
    package let duration: Duration
    /// How often it was sent.
    package let attempts: Int
    /// The method and URL, secrets masked.
    package let request: ApusError.RequestLine
    /// The answer's status; nil if there was none.
    package let status: Int?
    /// Bytes of the answer's body.
    package let size: Int
    /// Where the answer came from: "server", "memory", "disk", "stub", "replay".
    package let source: String?
    /// The number of the error; nil if it ended well.
    package let errorCode: Int?
    /// The error in words.
    package let errorText: String?
    /// What happened when.
    package let events: [RecordedEvent]
    /// The target's name.
    package let target: String?
    /// The workspace's name.
    package let workspace: String?
    /// The environment's name.
    package let environment: String?
}
