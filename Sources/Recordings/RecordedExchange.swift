public import Apus
public import FoundationEssentials
import HTTPTypes

/// An exchange in a session, without its bodies.
public struct RecordedExchange: Sendable, Hashable, Identifiable {
    /// Its number in the session, from 1, in recorded order.
    public let id: Int64
    /// The digest of the key that replay finds it by.
    public let key: String
    /// When it began.
    public let started: Date
    /// How long it took.
    public let duration: Duration
    /// How often it was sent.
    public let attempts: Int
    /// The method and URL, secrets masked.
    public let request: ApusError.RequestLine
    /// The answer's status; nil if there was none.
    public let status: Int?
    /// Bytes of the answer's body.
    public let size: Int
    /// Where the answer came from: "server", "memory", "disk", "stub", "replay".
    public let source: String?
    /// The number of the error; nil if it ended well.
    public let errorCode: Int?
    /// The error in words.
    public let errorText: String?
    /// What happened when.
    public let events: [RecordedEvent]
    /// The target's name.
    public let target: String?
    /// The workspace's name.
    public let workspace: String?
    /// The environment's name.
    public let environment: String?
}

/// Something that happened in a recorded exchange, and when.
public struct RecordedEvent: Sendable, Hashable, Codable {
    /// What, as the engine names it: "lookedUp", "willSend", "response", "storage".
    public var name: String
    /// How long after the start of the exchange.
    public var offset: Duration
    /// More about it, for people.
    public var detail: String

    /// Makes an event.
    public init(_ name: String, at offset: Duration, detail: String = "") {
        self.name = name
        self.offset = offset
        self.detail = detail
    }
}

/// An exchange as it is given to a recorder.
public struct ExchangeRecord: Sendable {
    /// When it began.
    public var started: Date
    /// The request, as it was sent; the recorder masks its secrets.
    public var request: PreparedRequest
    /// The answer, or why there is none.
    public var result: Result<Response, ApusError>
    /// How long it took.
    public var duration: Duration
    /// How often it was sent.
    public var attempts: Int
    /// What happened when.
    public var events: [RecordedEvent]
    /// The target's name.
    public var target: String?
    /// The workspace's name.
    public var workspace: String?
    /// The environment's name.
    public var environment: String?

    /// Makes a record; names that are not given are unknown.
    public init(
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
