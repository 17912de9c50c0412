import Apus
import FoundationEssentials
import HTTPTypes

/// A request to a URL that no workspace names.
struct URLTarget: TargetType {
    /// The absolute URL, as given.
    var path: String
    var method: HTTPRequest.Method
    var task: RequestTask
    var headerFields: HTTPFields
    var cachePolicy: CachePolicy
    var options: TransportOptions

    /// An absolute path takes the base's place.
    var baseURL: URL { URL(filePath: "/") }

    /// Makes a target; what is not given is a plain GET.
    init(
        _ url: String,
        method: HTTPRequest.Method = .get,
        task: RequestTask = .plain,
        headerFields: HTTPFields = [:],
        cachePolicy: CachePolicy = .none,
        options: TransportOptions = TransportOptions()
    ) {
        path = Self.withLowercaseScheme(url)
        self.method = method
        self.task = task
        self.headerFields = headerFields
        self.cachePolicy = cachePolicy
        self.options = options
    }

    /// Schemes do not mind case (RFC 3986, 3.1), but what is no scheme would be taken for a path.
    private static func withLowercaseScheme(_ url: String) -> String {
        guard let mark = url.firstRange(of: "://") else { return url }
        let scheme = url[..<mark.lowerBound]
        return scheme.contains { $0.isUppercase }
            ? scheme.lowercased() + url[mark.lowerBound...] : url
    }
}
