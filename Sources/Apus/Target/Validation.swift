/// Which responses count as an answer; any other is the error
/// `unacceptableStatus`, with the response attached.
public enum Validation: Sendable, Hashable {
    /// Every status is an answer.
    case none
    /// 200 to 299.
    case successCodes
    /// 200 to 399.
    case successAndRedirectCodes
    /// Just these; an empty set accepts every status.
    case codes(Set<Int>)
    /// What a rule of one's own accepts.
    case custom(ValidationRule)

    /// Whether a response is an answer under this rule.
    public func accepts(_ response: Response) -> Bool {
        switch self {
        case .none: true
        case .successCodes: (200..<300).contains(response.status)
        case .successAndRedirectCodes: (200..<400).contains(response.status)
        case .codes(let codes): codes.isEmpty || codes.contains(response.status)
        case .custom(let rule): rule.accepts(response)
        }
    }

    /// - Throws: `.unacceptableStatus`, the answer attached.
    func check(_ response: Response) throws(ApusError) {
        guard accepts(response) else {
            throw ApusError(
                .unacceptableStatus(response.status),
                request: response.request.line,
                response: response
            )
        }
    }
}
