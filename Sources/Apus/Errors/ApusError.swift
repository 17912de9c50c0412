/// What went wrong in an exchange: the reason, the request, and what there is
/// of an answer.
///
/// A status of 400 or more is an answer and no error, unless the target's
/// `validation` says otherwise.
public struct ApusError: Error, Sendable, Hashable {
    private struct Parts: Sendable, Hashable {
        var reason: Reason
        var request: RequestLine?
        var response: Response?
    }

    // One reference, for a result has room for it when all is well.
    private var parts: Box<Parts>

    /// Why it failed.
    public var reason: Reason { parts.value.reason }
    /// The method and URL of the request, with secrets masked; nil if there was none yet.
    public var request: RequestLine? {
        get { parts.value.request }
        set { parts = parts.with { $0.request = newValue } }
    }
    /// The answer, or the part of it that was received.
    public var response: Response? {
        get { parts.value.response }
        set { parts = parts.with { $0.response = newValue } }
    }

    /// Makes an error.
    public init(_ reason: Reason, request: RequestLine? = nil, response: Response? = nil) {
        parts = Box(
            Parts(
                reason: reason,
                request: request,
                response: response
            )
        )
    }

    /// A request's method and URL, as far as it may be shown.
    public struct RequestLine: Sendable, Hashable, CustomStringConvertible {
        /// The method.
        public let method: String
        /// The URL, its secrets masked.
        public let url: String

        /// Makes a line, masking a password in the URL, and the values of parameters
        /// that carry credentials: those with the usual names, and `secrets`.
        public init(method: String, url: String, secrets: Set<String> = []) {
            self.init(method: method, url: url, mask: CredentialMask(parameters: secrets))
        }

        /// Makes a line with what a mask leaves of the URL.
        package init(method: String, url: String, mask: CredentialMask) {
            self.method = method
            self.url = mask.masking(url: url)
        }

        /// Makes a line of a URL whose secrets are masked already.
        init(method: String, maskedURL url: String) {
            self.method = method
            self.url = url
        }

        /// "GET https://host/path".
        public var description: String { "\(method) \(url)" }
    }
}
