import Documents

/// Facts about a status code.
public struct HTTPStatus: Sendable, Hashable, CustomStringConvertible {
    /// The class of a code: its first digit (RFC 9110, section 15).
    public enum Category: String, Sendable, Hashable, CaseIterable {
        /// 1xx: an interim response.
        case informational
        /// 2xx: the request succeeded.
        case success
        /// 3xx: the response is elsewhere, or what the client has is current.
        case redirection
        /// 4xx: the request is at fault.
        case clientError
        /// 5xx: the server is at fault.
        case serverError
        /// Any other code.
        case other
    }

    /// The code, 100 to 999.
    public let code: Int

    /// Makes the facts of a code.
    public init(_ code: Int) { self.code = code }

    /// The class that the first digit stands for (RFC 9110, 15).
    public var category: Category {
        switch code {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        case 500..<600: .serverError
        default: .other
        }
    }

    /// The phrase in the IANA registry; nil if the code is not registered.
    public var registeredPhrase: String? { StatusPhrase.registered[code] }

    /// The phrase in the registry, or that of the software that introduced the code (nginx, Cloudflare,
    /// IIS, Amazon's load balancers …); nil if there is none.
    public var phrase: String? { registeredPhrase ?? StatusPhrase.unregistered[code] }

    /// Whether the code is in the IANA registry.
    public var isRegistered: Bool { registeredPhrase != nil }

    /// "404 Not Found", or the code alone.
    public var description: String { phrase.map { "\(code) \($0)" } ?? String(code) }
}
