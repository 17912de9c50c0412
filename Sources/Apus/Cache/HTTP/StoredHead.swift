import FoundationEssentials
import HTTPTypes

/// What is known of a stored response without its body.
struct StoredHead: Sendable, Equatable {
    /// Which bytes its body has.
    enum Content: Sendable, Equatable {
        /// All; their number if it is known.
        case whole(length: Int?)
        /// Some.
        case part(ContentRange)
    }

    /// The store's name for it.
    var id: Int
    /// The fields of its request that `Vary` names.
    var selecting: SelectingFields
    /// Status and fields as stored.
    var response: HTTPResponse
    /// Which bytes of the representation are stored.
    var content: Content
    /// When its request, or the last that validated it, was sent.
    var requestTime: Date
    /// When the answer to that request came.
    var responseTime: Date
    /// Whether it must be validated whatever its age (RFC 9111, 4.3.5 and 4.4).
    var isInvalidated: Bool

    init(
        id: Int,
        selecting: SelectingFields = SelectingFields(),
        response: HTTPResponse,
        content: Content = .whole(length: nil),
        requestTime: Date,
        responseTime: Date,
        isInvalidated: Bool = false
    ) {
        self.id = id
        self.selecting = selecting
        self.response = response
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
    }

    var fields: HTTPFields { response.headerFields }

    /// When it was made: `Date`, or when it was received (RFC 9110, 6.6.1).
    var date: Date { fields.date(.date, now: responseTime) ?? responseTime }

    var isWhole: Bool { if case .whole = content { true } else { false } }
}
