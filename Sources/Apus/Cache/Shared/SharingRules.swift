import FoundationEssentials
import HTTPTypes
import Secrets

/// Why a response stays on this machine, although its cache has a shared store.
public enum NotSharedReason: Sendable, Hashable {
    /// The policy does not store responses on disk.
    case notOnDisk
    /// The request belongs to an account, by its credentials or cookies.
    case account
    /// The URL or the body of the request has a secret.
    case secret
    /// The host is this machine, which is another one for everybody else.
    case thisMachine
    /// The request takes a route of its own: a socket, a proxy, another address, other rules for TLS.
    case route
    /// The request or the response says `no-store`.
    case noStore
    /// The response says `private`.
    case isPrivate
    /// The response sets a cookie, or redirects to a URL with a credential.
    case credential
    /// The body has more bytes than are shared.
    case tooLarge
    /// A rule of shared HTTP caches.
    case http(CacheRule)

    /// The reason in a few words.
    package var text: String {
        switch self {
        case .notOnDisk: "the target's responses are not kept on disk"
        case .account: "it belongs to an account"
        case .secret: "the request has a secret"
        case .thisMachine: "the host is this machine"
        case .route: "the request takes a route of its own"
        case .noStore: "it says no-store"
        case .isPrivate: "the server says private"
        case .credential: "the response has a credential"
        case .tooLarge: "its body is larger than 32 MiB"
        case .http(let rule): rule.summary
        }
    }
}

extension CachePolicy {
    /// Why responses to a request are neither read from nor written to a shared store; nil if they may be.
    ///
    /// What belongs to an account never leaves the machine, unless the policy says that responses are the same
    /// for all accounts (``AccountSeparation/none``).
    func reasonNotToShare(_ request: PreparedRequest) -> NotSharedReason? {
        guard storage?.usesDisk == true else { return .notOnDisk }
        if accounts != .none {
            if hasAccount(request) { return .account }
            if !CredentialMask.secretPairs(of: request).isEmpty || request.bodyHoldsSecret {
                return .secret
            }
        }
        if CacheControl(request.head.headerFields).isNoStore { return .noStore }
        let host = Authority(request.head.authority ?? "").host
        if ReachabilityStatus.isLoopback(host) { return .thisMachine }
        return RequestRoute(request).isSharable ? nil : .route
    }
}

extension StoredResponse {
    /// The most bytes of a body that are shared.
    private static let largestSharedBody = 32 << 20

    /// Why this response must not be shared, whatever its request; nil if it may be.
    var reasonNotToShare: NotSharedReason? {
        let control = CacheControl(head.headerFields, isShared: true)
        if control.isPrivate { return .isPrivate }
        if control.isNoStore { return .noStore }
        if head.headerFields.contains(.setCookie) || sendsCredential { return .credential }
        return body.count > Self.largestSharedBody ? .tooLarge : nil
    }

    /// How long a shared store keeps the entry: as long as it lasts, and with HTTP's rules a day longer, in
    /// which it can be validated; at most 30 days.
    func sharedLifetime(at now: Date) -> Duration {
        let day = 86_400.0
        let end: Date? = http == nil ? nil : (freshUntil ?? now).addingTimeInterval(day)
        let last = [life.expires, end].compactMap(\.self).min()
        let seconds = last.map { $0.timeIntervalSince(now) } ?? .infinity
        return .seconds(max(1, min(seconds, 30 * day)))
    }
}

extension RequestRoute {
    /// The parts that are the same on another machine.
    ///
    /// The environment's proxies are part of the key.
    private static let sharable: Set<String> = [
        "body", "host", "codings", "environment-proxy", "environment-no-proxy", "without",
    ]

    /// Whether the request takes the same route on every machine that has its key.
    var isSharable: Bool { parts.allSatisfy { Self.sharable.contains($0.name) } }
}
