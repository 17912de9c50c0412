package import Apus
package import FoundationEssentials

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
