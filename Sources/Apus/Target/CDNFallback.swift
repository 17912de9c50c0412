import HTTPTypes

/// Decides whether a target's own server is asked after its content delivery network.
///
/// It is asked if the network did not do its work:
///
/// | what the network did | asked |
/// |---|---|
/// | no connection, no name, TLS, a timeout, a lost connection, invalid HTTP | yes |
/// | 403, 404, 410, 421, 429 and every 5xx | yes |
/// | any other status | no: it is the response |
/// | cancelled, vetoed, an invalid request, a fault of this machine | no |
///
/// A request that may have had an effect (its method is POST, PATCH or any other that is not known to be
/// idempotent) is sent again only if no connection was made.
public enum CDNFallback {
    /// Whether to ask the target's own server, given the result of the network.
    public static func asksOrigin(
        after result: Result<Response, ApusError>,
        of request: PreparedRequest
    ) -> Bool {
        switch result {
        case .success(let response):
            request.head.method.isIdempotent && isFault(response.status)
        case .failure(let error): asksOrigin(after: error, of: request)
        }
    }

    private static func asksOrigin(
        after error: ApusError,
        of request: PreparedRequest
    ) -> Bool {
        let isRepeatable = request.head.method.isIdempotent
        return switch error.reason {
        case .nameLookup, .connect, .proxy, .tls: isRepeatable || !error.isAfterRedirect
        case .timeout(let phase, _) where phase.isConnecting:
            isRepeatable || !error.isAfterRedirect
        case .timeout, .connectionLost, .protocolViolation, .brokenChunk, .headerTooLarge,
            .tooManyHeaderLines, .contentDecoding, .tooManyRedirects, .redirectScheme,
            .redirectLocation, .transport, .recorded:
            isRepeatable
        case .unacceptableStatus(let status): isRepeatable && isFault(status)
        default: false
        }
    }

    /// Whether the network does not have the resource or cannot get it.
    private static func isFault(_ status: Int) -> Bool {
        [403, 404, 410, 421, 429].contains(status) || (500..<600).contains(status)
    }
}

/// The base of a content delivery network, and the base path that it stands for.
struct CDNBase: Sendable, Hashable {
    let scheme: String
    let authority: String
    /// The path of the network's base, without a trailing slash.
    let path: String
    /// The path of the target's own base, without a trailing slash.
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

    /// The request, sent to the content delivery network instead of the origin; nil if its path is not below
    /// the base because a plugin changed it.
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
