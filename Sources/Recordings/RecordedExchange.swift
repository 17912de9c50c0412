package import Apus
package import FoundationEssentials
import HTTPTypes

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

/// Something that happened in a recorded exchange, and when.
package struct RecordedEvent: Sendable, Hashable, Codable {
    /// What, as the engine names it: "lookedUp", "willSend", "response", "storage".
    package var name: String
    /// How long after the start of the exchange.
    package var offset: Duration
    /// More about it, for people.
    package var detail: String

    /// Makes an event.
    package init(_ name: String, at offset: Duration, detail: String = "") {
        self.name = name
        self.offset = offset
        self.detail = detail
    }
}

/// An exchange as it is given to a recorder.
package struct ExchangeRecord: Sendable {
    /// When it began.
    package var started: Date
    /// The request, as it was sent; the recorder masks its secrets.
    package var request: PreparedRequest
    /// The answer, or why there is none.
    package var result: Result<Response, ApusError>
    /// How long it took.
    package var duration: Duration
    /// How often it was sent.
    package var attempts: Int
    /// What happened when.
    package var events: [RecordedEvent]
    /// The target's name.
    package var target: String?
    /// The workspace's name.
    package var workspace: String?
    /// The environment's name.
    package var environment: String?

    /// Makes a record; names that are not given are unknown.
    package init(
        started: Date,
        request: PreparedRequest,
        result: Result<Response, ApusError>,
        duration: Duration,
        attempts: Int = 1,
        events: [RecordedEvent] = [],
        target: String? = nil,
        workspace: String? = nil,
        environment: String? = nil
    ) {
        self.started = started
        self.request = request
        self.result = result
        self.duration = duration
        self.attempts = attempts
        self.events = events
        self.target = target
        self.workspace = workspace
        self.environment = environment
    }
}

extension PreparedRequest {
    /// The method and URL, as far as they may be shown.
    var recordedLine: ApusError.RequestLine {
        ApusError.RequestLine(method: head.method.rawValue, url: url)
    }
}
