public import FoundationEssentials
public import HTTPTypes

/// A set of things that many targets share: "production", "staging", "mocked".
///
/// A target that says otherwise wins, field by field and parameter by parameter.
public struct TargetEnvironment: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The base that paths are appended to; nil for each target's own.
    public var baseURL: URL?
    /// The base while `isMocked`; nil for none, and then the targets' samples
    /// answer, if the provider's stubs are `Stubs.environments`.
    public var mockURL: URL?
    /// Whether a mock answers instead of the server.
    public var isMocked: Bool
    /// Header fields; a target's field of the same name takes their place.
    public var headerFields: HTTPFields
    /// Parameters.
    ///
    /// They go where the target's own parameters go, which win by name; to the
    /// query if it has a body that is not made of parameters, or nothing.
    public var parameters: ParameterList
    /// The time for an exchange, for targets that leave theirs at its default.
    public var timeout: Duration?
    /// How the API wraps its data; a target's own envelope takes its place.
    public var envelope: ResponseEnvelope?

    /// Makes an environment; what is not given changes nothing.
    public init(
        _ name: String,
        baseURL: URL? = nil,
        mockURL: URL? = nil,
        isMocked: Bool = false,
        headerFields: HTTPFields = [:],
        parameters: ParameterList = [],
        timeout: Duration? = nil,
        envelope: ResponseEnvelope? = nil
    ) {
        self.name = name
        self.baseURL = baseURL
        self.mockURL = mockURL
        self.isMocked = isMocked
        self.headerFields = headerFields
        self.parameters = parameters
        self.timeout = timeout
        self.envelope = envelope
    }

    /// The base that counts now.
    public var effectiveBaseURL: URL? { isMocked ? mockURL ?? baseURL : baseURL }
}
