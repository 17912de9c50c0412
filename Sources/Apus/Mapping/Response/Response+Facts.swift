import Documents
public import FoundationEssentials
public import HTTPTypes

extension Response {
    /// The header fields, as received.
    public var fields: HTTPFields { head.headerFields }

    /// The value of a header field, lines of the same name joined by commas; nil if it is absent.
    public func value(of name: HTTPField.Name) -> String? { head.headerFields[name] }

    /// The encoding that the Content-Type names; nil if it names none.
    public var charset: String? {
        DocumentBytes.charset(inContentType: head.headerFields[.contentType])
    }

    /// Whether it came out of a cache.
    public var isFromCache: Bool { source.cacheHit != nil }

    /// How long the parts of the transfer took; nil if there was none.
    public var timings: TransferMetrics.Phases? { metrics?.phases }

    /// What went over the wire, if the options asked for it.
    public var trace: [WireTraceEntry] { metrics?.trace ?? [] }

    /// How old the answer is at a moment: since its origin made it, as far as its `Age` and `Date`
    /// tell (RFC 9111, 4.2.3).
    public func age(at now: Date) -> Duration {
        let sent = received.addingTimeInterval(-(metrics?.phases.total ?? .zero).seconds)
        let head = StoredHead(id: 0, response: head, requestTime: sent, responseTime: received)
        return ResponseAge(of: head, at: now).current
    }
}
