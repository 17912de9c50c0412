/// Why a call that follows a convention has no value.
public enum ServerFailure<Body: Sendable>: Error, Sendable {
    /// The server refused, and its answer says why in the form agreed upon.
    case refused(Body, Response)
    /// Anything else; a refusal in another form is the reason `.unacceptableStatus`.
    case failed(ApusError)

    /// What the server said, in the form agreed upon; nil if it did not.
    public var body: Body? {
        if case .refused(let body, _) = self { body } else { nil }
    }

    /// The answer, if there was one.
    public var response: Response? {
        switch self {
        case .refused(_, let response): response
        case .failed(let error): error.response
        }
    }
}

extension ServerFailure: Equatable where Body: Equatable {}
