/// Which responses are accepted; any other is the error `unacceptableStatus` with the response attached.
public enum Validation: Sendable, Hashable {
    /// Every status is accepted.
    case none
    /// 200 to 299.
    case successCodes
    /// 200 to 399.
    case successAndRedirectCodes
    /// Only these; an empty set accepts every status.
    case codes(Set<Int>)
    /// Whatever a rule of your own accepts.
    case custom(ValidationRule)

    /// Whether a response is accepted.
    public func accepts(_ response: Response) -> Bool {
        if case .custom(let rule) = self { return rule.accepts(response) }
        return mayAccept(response.status)
    }

    /// Whether a response with this status may be accepted.
    func mayAccept(_ status: Int) -> Bool {
        switch self {
        case .none, .custom: true
        case .successCodes: (200..<300).contains(status)
        case .successAndRedirectCodes: (200..<400).contains(status)
        case .codes(let codes): codes.isEmpty || codes.contains(status)
        }
    }

    /// - Throws: `.unacceptableStatus` with the response attached, if it is not accepted.
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

/// A rule of your own for which responses are accepted.
///
/// Two rules are equal if their names are, so give different rules different names.
public struct ValidationRule: Sendable, Hashable {
    /// The rule's name.
    public let name: String
    /// Whether a response is accepted.
    public let accepts: @Sendable (Response) -> Bool

    /// Makes a rule with a name.
    public init(_ name: String, accepts: @escaping @Sendable (Response) -> Bool) {
        self.name = name
        self.accepts = accepts
    }

    /// Whether two rules have the same name.
    public static func == (a: ValidationRule, b: ValidationRule) -> Bool { a.name == b.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
