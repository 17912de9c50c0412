import FoundationEssentials
import HTTPTypes

/// An answer of the origin, with the times that its age is counted from.
struct OriginAnswer: Sendable {
    var response: Response
    /// When the request was sent.
    let requestTime: Date
    /// When the head of the answer came.
    let responseTime: Date
    /// The fields that interceptors changed, as they went out.
    var changedFields = HTTPFields()
    /// Whether it was asked for with credentials of which the request's key knows nothing.
    var hasUnknownAccount = false

    /// `end` is when the last byte came, by the clock of `requestTime`.
    init(_ response: Response, requestTime: Date, end: Date) {
        self.response = response
        self.requestTime = requestTime
        // A long body does not make its head younger.
        let phases = response.metrics?.phases
        let body = phases.map { max(.zero, $0.total - $0.firstByte) } ?? .zero
        responseTime = max(requestTime, end.addingTimeInterval(-body.seconds))
    }

    /// Another answer at the same time.
    func with(_ response: Response) -> OriginAnswer {
        var other = self
        other.response = response
        return other
    }

    /// Notes how the request was when it went out; `sent` is what the cache gave on.
    mutating func note(_ out: PreparedRequest, _ sent: PreparedRequest) {
        guard out.head.headerFields != sent.head.headerFields else { return }
        for field in out.head.headerFields
        where out.head.headerFields[values: field.name]
            != sent.head.headerFields[values: field.name]
        {
            changedFields.append(field)
        }
    }

    /// The head of its request as `Vary` is about it (RFC 9111, 4.1).
    func varyingHead(_ request: HTTPRequest) -> HTTPRequest {
        var head = request
        for name in Set(changedFields.map(\.name)) {
            head.headerFields[values: name] = changedFields[values: name]
        }
        return head
    }
}
