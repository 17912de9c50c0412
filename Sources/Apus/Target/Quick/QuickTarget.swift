public import FoundationEssentials
public import HTTPTypes

/// A request that needs no target of its own: a method, a URL, parameters.
public struct QuickTarget: TargetType {
    /// The method.
    public var method: HTTPRequest.Method
    /// An absolute URL, or a path on the environment's base.
    public var path: String
    /// What it carries.
    public var task: RequestTask
    /// Its header fields.
    public var headerFields: HTTPFields
    /// Which statuses are an answer.
    public var validation: Validation
    /// Where answers are kept.
    public var cachePolicy: CachePolicy
    /// How it travels.
    public var options: TransportOptions
    /// Where its environment comes from.
    public var environments: EnvironmentStore?

    /// Makes a request.
    ///
    /// Parameters go to the query for GET, HEAD, DELETE, OPTIONS and TRACE, and to
    /// a JSON body for any other method, unless `encoding` says otherwise.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        environments: EnvironmentStore? = nil
    ) {
        self.method = method
        path = url
        task =
            parameters.isEmpty
            ? .plain
            : .parameters(parameters.items, encoding: encoding ?? Self.encoding(for: method))
        headerFields = headers
        validation = .none
        cachePolicy = .none
        self.options = options
        self.environments = environments
    }

    private static func encoding(for method: HTTPRequest.Method) -> ParameterEncoding {
        [.get, .head, .delete, .options, .trace].contains(method) ? .query : .json
    }

    /// The one in use now.
    public var environment: TargetEnvironment? { environments?.current }

    /// No base of its own: a path without an environment is no URL.
    public var baseURL: URL { Self.noBase }

    private static let noBase = URL(filePath: "/")
}
