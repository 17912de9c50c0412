import FoundationEssentials
import HTTPTypes

/// What a response has from the server.
///
/// The cache's entry and every response made of it share one: a hit then touches little memory
/// that is not in the processor's cache.
struct ReceivedAnswer: Sendable, Hashable {
    /// The status and header fields.
    var head: HTTPResponse
    /// The body.
    var body: ResponseBody
    /// When its last byte was received.
    var received: Date
    /// What the transfer measured, read or not.
    private(set) var measurement: Measurement

    init(head: HTTPResponse, body: ResponseBody, received: Date, measurement: Measurement) {
        self.head = head
        self.body = body
        self.received = received
        self.measurement = measurement
    }

    init(head: HTTPResponse, body: ResponseBody, received: Date, metrics: TransferMetrics?) {
        self.init(head: head, body: body, received: received, measurement: .read(metrics))
    }

    /// What the transfer measured.
    var metrics: TransferMetrics? {
        get { measurement.metrics }
        set { measurement = .read(newValue) }
    }
}
