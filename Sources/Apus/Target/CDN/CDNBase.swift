import HTTPTypes

/// The base of a content delivery network, and the base that it stands for.
struct CDNBase: Sendable, Hashable {
    let scheme: String
    let authority: String
    /// The path of the network's base, without a slash at its end.
    let path: String
    /// The path of the target's own base, without a slash at its end.
    let originPath: String

    init(_ cdn: RequestURL, standingFor origin: RequestURL) {
        scheme = cdn.scheme
        authority = cdn.authority
        path = Self.withoutSlash(cdn.path)
        originPath = Self.withoutSlash(origin.path)
    }

    private static func withoutSlash(_ path: String) -> String {
        path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The same request to the network; nil if its path is not below the base,
    /// because a plugin has changed it.
    func request(for request: PreparedRequest) -> PreparedRequest? {
        guard let target = request.head.path, target.hasPrefix(originPath) else { return nil }
        let rest = target.dropFirst(originPath.count)
        guard let first = rest.first, first == "/" || first == "?" else { return nil }
        var request = request
        request.head.scheme = scheme
        request.head.authority = authority
        request.head.path = path + (first == "/" ? "" : "/") + rest
        return request
    }
}
