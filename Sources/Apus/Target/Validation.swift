/// Which response statuses count as an answer; any other is the error
/// `unacceptableStatus`, with the response attached.
public enum Validation: Sendable, Hashable {
    /// Every status is an answer.
    case none
    /// 200 to 299.
    case successCodes
    /// 200 to 399.
    case successAndRedirectCodes
    /// Just these.
    case codes(Set<Int>)

    /// Whether `status` is an answer under this rule.
    public func accepts(_ status: Int) -> Bool {
        switch self {
        case .none: true
        case .successCodes: (200..<300).contains(status)
        case .successAndRedirectCodes: (200..<400).contains(status)
        case .codes(let codes): codes.contains(status)
        }
    }
}
