public import Apus
import Documents
public import FoundationEssentials

/// An exchange to record in a history.
public struct ExchangeRecord: Sendable {
    /// When the exchange began, by the machine's clock.
    public var started: Date
    /// The request, as it was sent; the history masks its secrets.
    public var request: PreparedRequest
    /// The response, or the error if there is none.
    public var result: Result<Response, ApusError>
    /// How long the exchange took.
    public var duration: Duration
    /// How many times the request was sent.
    public var attempts: Int
    /// Where it was sent from.
    public var origin: ExchangeOrigin
    /// What happened, and when.
    public var events: [RecordedEvent]
    /// For an imported exchange: the facts that its source recorded.
    package var imported = ImportedFacts()
    /// The file that holds the request's body, which is deleted with the last reference to it.
    package var bodyFile: BodyFile?
    /// The digests of body files that are too large to keep, by path.
    var digests: [String: String] = [:]

    /// Makes a record.
    public init(
        started: Date,
        request: PreparedRequest,
        result: Result<Response, ApusError>,
        duration: Duration,
        attempts: Int = 1,
        origin: ExchangeOrigin = ExchangeOrigin(),
        events: [RecordedEvent] = []
    ) {
        self.started = started
        self.request = request
        self.result = result
        self.duration = duration
        self.attempts = attempts
        self.origin = origin
        self.events = events
    }
}

/// Where an exchange was sent from, as far as that is known.
public struct ExchangeOrigin: Sendable, Hashable {
    /// The target's name.
    public var target: String?
    /// The workspace's name.
    public var workspace: String?
    /// The environment's name.
    public var environment: String?
    /// The batch, chain or watch that it belongs to.
    public var run: RecordedRun.ID?
    /// Its index in that run, from 0.
    public var place: Int?
    /// The step of the chain.
    public var step: String?
    /// The variables that were used in its request; the history masks their secrets.
    public var variables: [String: String]

    /// Makes an origin, in which everything left out is unknown.
    public init(
        target: String? = nil,
        workspace: String? = nil,
        environment: String? = nil,
        run: RecordedRun.ID? = nil,
        place: Int? = nil,
        step: String? = nil,
        variables: [String: String] = [:]
    ) {
        self.target = target
        self.workspace = workspace
        self.environment = environment
        self.run = run
        self.place = place
        self.step = step
        self.variables = variables
    }
}

/// Something that happened during an exchange, and when.
public struct RecordedEvent: Sendable, Hashable, Codable {
    /// The engine's name for it: "lookedUp", "willSend", "response", "storage".
    public var name: String
    /// The time since the start of the exchange.
    public var offset: Duration
    /// Details, for people to read.
    public var detail: String

    /// Makes an event.
    public init(_ name: String, at offset: Duration, detail: String = "") {
        self.name = name
        self.offset = offset
        self.detail = detail
    }
}

/// The part of a recorded exchange that a list shows; ``History/exchange(_:)`` returns all of it.
public struct RecordedExchange: Sendable, Hashable, Identifiable {
    /// Its number in the history; exchanges recorded later have larger numbers.
    public let id: Int64
    /// The session that it belongs to; nil if it belongs to none.
    public let session: RecordedSession.ID?
    /// When the exchange began, by the clock of the machine that recorded it.
    public let started: Date
    /// How long the exchange took.
    public let duration: Duration
    /// How many times the request was sent.
    public let attempts: Int
    /// The method and URL, with secrets masked.
    public let request: ApusError.RequestLine
    /// Where it was sent from, without the variables.
    public let origin: ExchangeOrigin
    /// The status of the response; nil if there was no response.
    public let status: Int?
    /// The number of the error (`ApusError.code`); nil if the exchange succeeded.
    public let errorCode: Int?
    /// Where the response came from: "server", "memory", "disk", "gateway", "stub", "replay", "synthetic".
    public let source: String?
    /// The size of the response's body in bytes.
    public let size: Int
    /// The measured phases of the transfer; nil if nothing was sent.
    public let phases: TransferMetrics.Phases?
    /// Whether a user has marked it.
    public let isMarked: Bool
    /// The user's note on it; nil if there is none.
    public let note: String?
    /// Whether the server's certificate was not verified, because the request said so.
    public internal(set) var isUnverified = false
}

/// Everything that a history keeps of an exchange, with secrets masked.
public struct ExchangeDetails: Sendable {
    /// The part that a list shows.
    public let exchange: RecordedExchange
    /// The request, as it was sent.
    public let request: PreparedRequest
    /// The response, with the source `.replay`; nil if there was none.
    ///
    /// A response that was cut off has the part that had arrived.
    public let response: Response?
    /// The size in bytes of a response body that was too large to keep, or is still where its session was pulled
    /// from; nil if the body was kept.
    public let unkeptSize: Int?
    /// The size in bytes of a request body that was too large to keep; nil if the body was kept.
    public let unkeptRequestSize: Int?
    /// The SHA-256, in hexadecimal digits, of a response body of which only the size was kept; nil if the body was
    /// kept or its digest is unknown.
    public let unkeptDigest: String?
    /// The SHA-256, in hexadecimal digits, of a request body that was too large to keep; nil if the body was
    /// kept or its digest is unknown.
    public let unkeptRequestDigest: String?
    /// The error in words; nil if the exchange succeeded.
    public let errorText: String?
    /// Why the cache did what it did, in words; nil if the HTTP caching rules were not used.
    public let decision: String?
    /// The variables that were used in the request, with secrets masked.
    public let variables: [String: String]
    /// What happened, and when.
    public let events: [RecordedEvent]
    /// Which of its bodies are damaged, and so are missing here, in words; empty unless it was read with
    /// `History.readableExchange(_:)`.
    package var damage: [String] = []
    /// The response's body, if that was left where its session was pulled from.
    package var remoteBody: RemoteBody?
    /// Why the response's body is missing, in words after “the body is”; nil if it is here, or was too large to keep.
    package var absence: String?
    /// The connection whose TLS handshake failed; nil for other exchanges.
    public internal(set) var refusedConnection: ApusError.RefusedConnection?

    /// The result that replay returns.
    ///
    /// An error becomes `ApusError.Reason.recorded` with its number.
    public var result: Result<Response, ApusError> {
        if let code = exchange.errorCode {
            var error = ApusError(
                .recorded(code: code, detail: errorText ?? ""),
                request: exchange.request,
                response: response
            )
            error.refusedConnection = refusedConnection
            return .failure(error)
        }
        guard let response else {
            return .failure(
                ApusError(
                    .recorded(code: 0, detail: "no response was recorded"),
                    request: exchange.request
                )
            )
        }
        return .success(response)
    }
}

/// A named part of a history: the exchanges that were recorded while it was open.
public struct RecordedSession: Sendable, Hashable, Identifiable {
    /// Identifies a session within a history.
    public struct ID: Sendable, Hashable {
        /// Its number in the file.
        public let number: Int64

        /// Makes an identity.
        public init(_ number: Int64) { self.number = number }
    }

    /// Identifies the session in its history.
    public let id: ID
    /// Its name, which another session may also have.
    public let name: String
    /// When recording to the session began.
    public let started: Date
    /// When it ended; nil while it is open.
    public let ended: Date?
    /// The user's note on it; nil if there is none.
    public let note: String?
    /// How many exchanges it has.
    public let count: Int
}

/// A batch, chain or watch in a history.
public struct RecordedRun: Sendable, Hashable, Identifiable {
    /// Identifies a run within a history.
    public struct ID: Sendable, Hashable {
        /// Its number in the file.
        public let number: Int64

        /// Makes an identity.
        public init(_ number: Int64) { self.number = number }
    }

    /// The kinds of runs.
    public enum Kind: String, Sendable, Hashable {
        /// Requests sent side by side.
        case batch
        /// Requests that use the responses of earlier ones.
        case chain
        /// One request, sent repeatedly.
        case watch
    }

    /// Identifies the run in its history.
    public let id: ID
    /// Whether it was a batch, a chain or a watch.
    public let kind: Kind
    /// The name of the batch or chain, or of the target that was watched.
    public let name: String
    /// The environment's name.
    public let environment: String?
    /// When the run began.
    public let started: Date
    /// When it ended; nil if it is still running or was cut off.
    public let ended: Date?
    /// How many requests it was going to send; nil if that was unknown.
    public let total: Int?
    /// How many of its exchanges were recorded.
    public let count: Int
    /// How many of its requests are not as expected: those that their run says, or else those that failed or got a status
    /// of 400 or above.
    public let failedCount: Int
    /// The total size of their response bodies in bytes.
    public let size: Int
}

/// A failure to open, read or write a history's file.
public struct RecordingError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// What was being done when it failed.
    public enum Stage: String, Sendable, Hashable {
        /// Creating or opening the file.
        case open
        /// Reading from it.
        case read
        /// Writing to it.
        case write
    }

    /// What was being done when it failed.
    public let stage: Stage
    /// The path of the history's file.
    public let path: String
    /// Why it failed, in words.
    public let detail: String
    /// Whether another process holds the file, so that a later attempt may succeed.
    public let isBusy: Bool
    /// Whether only the row that was read is damaged.
    let isOfRow: Bool

    package init(
        _ stage: Stage,
        path: String,
        detail: String,
        isBusy: Bool = false,
        isOfRow: Bool = false
    ) {
        self.stage = stage
        self.path = path
        self.detail = detail
        self.isBusy = isBusy
        self.isOfRow = isOfRow
    }

    /// What failed, in which file, and why, in one line.
    public var description: String { "cannot \(stage.rawValue) the history \(path): \(detail)" }

    /// The same as a sentence; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }

    /// What to do next; nil unless another process holds the file.
    public var recoverySuggestion: String? {
        isBusy ? "Try again when the other program has closed the history." : nil
    }
}
