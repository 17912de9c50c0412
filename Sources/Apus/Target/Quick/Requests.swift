public import HTTPTypes

/// Requests by URL, without a target: the short way.
///
/// ```swift
/// let answer = try await Requests.shared.get("https://api.test/users", parameters: ["page": 2])
/// ```
/// A URL is absolute if it begins with a scheme; anything else is a path on the
/// base of the environment in use, and without one an error.
public struct Requests: Sendable {
    /// What sends them.
    public let provider: Provider<MultiTarget>
    /// Where the base, header fields and parameters that all share come from.
    public let environments: EnvironmentStore?

    /// Makes a sender; all of its requests share the provider's connections.
    public init(
        provider: Provider<MultiTarget> = Provider(),
        environments: EnvironmentStore? = nil
    ) {
        self.provider = provider
        self.environments = environments
    }

    /// A sender without environments, one for the process.
    public static let shared = Requests()

    /// Sends a request of any method.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: an absolute URL, or a path on the environment's base.
    ///   - parameters: they win over the environment's by name.
    ///   - encoding: how they are written; nil for the query or JSON, by method.
    ///   - headers: they win over the environment's by name.
    ///   - options: how the request travels.
    ///   - source: where the answer comes from.
    /// - Throws: `ApusError`; a status is never an error.
    public func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        let hasBase = environments?.current.effectiveBaseURL != nil
        guard hasBase || RequestURL.isAbsolute(url) else {
            throw ApusError(.invalidRequest(.url(url)))
        }
        let target = QuickTarget(
            method,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            environments: environments
        )
        return try await provider.response(for: MultiTarget(target), from: source)
    }
}
