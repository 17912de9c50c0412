public import Apus
public import FoundationEssentials

/// An exchange as it is given to a history.
public struct ExchangeRecord: Sendable {
    /// When it began.
    public var started: Date
    /// The request, as it was sent; the history masks its secrets.
    public var request: PreparedRequest
    /// The answer, or why there is none.
    public var result: Result<Response, ApusError>
    /// How long it took.
    public var duration: Duration
    /// How often it was sent.
    public var attempts: Int
    /// Where it was sent from.
    public var origin: ExchangeOrigin
    /// What happened when.
    public var events: [RecordedEvent]
    /// What was known elsewhere of one that is imported.
    package var imported = ImportedFacts()
    /// The file that the request's body is in, which is removed with the last who holds it.
    package var bodyFile: BodyFile?
    /// The digests of files that are too large to be kept, by their paths.
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

/// Where an exchange was sent from, as far as it is known.
public struct ExchangeOrigin: Sendable, Hashable {
    /// The target's name.
    public var target: String?
    /// The workspace's name.
    public var workspace: String?
    /// The environment's name.
    public var environment: String?
    /// The batch or chain that it belongs to.
    public var run: RecordedRun.ID?
    /// Its place in that, from 0.
    public var place: Int?
    /// The chain's step.
    public var step: String?
    /// The variables that its request was made of; the history masks their secrets.
    public var variables: [String: String]

    /// Makes an origin; what is not given is unknown.
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

/// Something that happened in an exchange, and when.
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

/// An exchange in a history, as a list shows it; all of it is ``History/exchange(_:)``'s.
public struct RecordedExchange: Sendable, Hashable, Identifiable {
    /// Tells the exchanges of a history apart; a later one has a larger number.
    public let id: Int64
    /// The session that it belongs to; nil for none.
    public let session: RecordedSession.ID?
    /// When it began.
    public let started: Date
    /// How long it took.
    public let duration: Duration
    /// How often it was sent.
    public let attempts: Int
    /// The method and URL, secrets masked.
    public let request: ApusError.RequestLine
    /// Where it was sent from, without its variables.
    public let origin: ExchangeOrigin
    /// The answer's status; nil if there was none.
    public let status: Int?
    /// The number of the error (``ApusError/code``); nil if it ended well.
    public let errorCode: Int?
    /// Where the answer came from: "server", "memory", "disk", "gateway", "stub", "replay".
    public let source: String?
    /// Bytes of the answer's body.
    public let size: Int
    /// What the transfer measured; nil if nothing was sent.
    public let phases: TransferMetrics.Phases?
    /// Whether somebody marked it.
    public let isMarked: Bool
    /// What somebody noted about it.
    public let note: String?
}

/// All that a history keeps of an exchange, secrets masked.
public struct RecordedWhole: Sendable {
    /// As a list shows it.
    public let exchange: RecordedExchange
    /// The request, as it was sent.
    public let request: PreparedRequest
    /// The answer with the source `.replay`; nil for none.
    ///
    /// Of one that was cut off it is what had come.
    public let response: Response?
    /// The size of a body that was too large to be kept; nil if it was.
    public let unkeptSize: Int?
    /// The size of a request's body that was too large to be kept; nil if it was.
    public let unkeptRequestSize: Int?
    /// The SHA-256, in hexadecimal digits, of a body that was too large to be kept; nil if it was kept, or is
    /// not known.
    public let unkeptDigest: String?
    /// The same of a request's body.
    public let unkeptRequestDigest: String?
    /// The error in words; nil if it ended well.
    public let errorText: String?
    /// Why the cache did what it did, in words; nil without HTTP's rules.
    public let decision: String?
    /// The variables that the request was made of, secrets masked.
    public let variables: [String: String]
    /// What happened when.
    public let events: [RecordedEvent]

    /// What it ended with, as replay gives it: an error is ``ApusError/Reason/recorded(code:detail:)``
    /// with its number.
    public var result: Result<Response, ApusError> {
        if let code = exchange.errorCode {
            return .failure(
                ApusError(
                    .recorded(code: code, detail: errorText ?? ""),
                    request: exchange.request,
                    response: response
                )
            )
        }
        guard let response else {
            return .failure(
                ApusError(
                    .recorded(code: 0, detail: "it was recorded without one"),
                    request: exchange.request
                )
            )
        }
        return .success(response)
    }
}

/// A named part of a history: what was recorded from its beginning to its end.
public struct RecordedSession: Sendable, Hashable, Identifiable {
    /// Tells the sessions of a history apart.
    public struct ID: Sendable, Hashable {
        /// Its number in the file.
        public let number: Int64

        /// Makes an identity.
        public init(_ number: Int64) { self.number = number }
    }

    /// Its identity.
    public let id: ID
    /// Its name; two may have the same.
    public let name: String
    /// When it began.
    public let started: Date
    /// When it ended; nil while it is recorded.
    public let ended: Date?
    /// What somebody noted about it.
    public let note: String?
    /// How many exchanges it has.
    public let count: Int
}

/// A batch or a chain in a history.
public struct RecordedRun: Sendable, Hashable, Identifiable {
    /// Tells the runs of a history apart.
    public struct ID: Sendable, Hashable {
        /// Its number in the file.
        public let number: Int64

        /// Makes an identity.
        public init(_ number: Int64) { self.number = number }
    }

    /// What runs.
    public enum Kind: String, Sendable, Hashable {
        /// Requests side by side.
        case batch
        /// Requests that need one another.
        case chain
        /// One request, sent again and again.
        case watch
    }

    /// Its identity.
    public let id: ID
    /// What it is.
    public let kind: Kind
    /// Its name.
    public let name: String
    /// The environment's name.
    public let environment: String?
    /// When it began.
    public let started: Date
    /// When it ended; nil if it goes on, or was cut off.
    public let ended: Date?
    /// How many requests it was to send; nil if that was not known.
    public let total: Int?
    /// How many exchanges of it were recorded.
    public let count: Int
    /// How many of these failed, or were answered with a status of 400 or more.
    public let failedCount: Int
    /// Bytes of their answers' bodies.
    public let size: Int
}

/// What went wrong with a history's file.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was being done.
    public enum Stage: String, Sendable, Hashable {
        /// Making or opening the file.
        case open
        /// Reading from it.
        case read
        /// Writing to it.
        case write
    }

    /// What was being done.
    public let stage: Stage
    /// The file.
    public let path: String
    /// Why it failed.
    public let detail: String
    /// Whether another process is in the way, which may soon be over.
    public let isBusy: Bool

    package init(_ stage: Stage, path: String, detail: String, isBusy: Bool = false) {
        self.stage = stage
        self.path = path
        self.detail = detail
        self.isBusy = isBusy
    }

    /// What could not be done, where and why, in one line.
    public var description: String { "cannot \(stage.rawValue) the history \(path): \(detail)" }
}
