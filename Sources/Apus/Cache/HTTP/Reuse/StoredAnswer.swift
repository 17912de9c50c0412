import HTTPTypes

/// An answer made from a stored response.
struct StoredAnswer: Sendable, Equatable {
    /// What of the stored body goes with it.
    enum Body: Sendable, Equatable {
        case whole
        /// None: an answer to HEAD, or a 304.
        case none
        /// These of the stored bytes.
        case slice(Range<Int>)
    }

    /// The id of the stored response.
    let id: Int
    /// Status and fields for the caller, with `Age`.
    let response: HTTPResponse
    let body: Body
}
