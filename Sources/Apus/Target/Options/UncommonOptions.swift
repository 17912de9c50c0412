/// The transport options that most requests leave alone, in one place.
///
/// `TransportOptions` is copied many times on a request's way, so what is
/// seldom set lies behind one reference, which is nil when nothing is set.
struct UncommonOptions: Sendable, Hashable {
    var certificateAuthorityFile: String?
    var pinnedPublicKeys: [String] = []
    var clientCertificate: ClientCertificate?
    var minimumTLSVersion: TLSVersion?
    var proxy: String?
    var proxyCredentials: ServerCredentials?
    var proxyExceptions: [String] = []
    var credentials: ServerCredentials?
    var usesNetrc = false
    var netrcFile: String?
    var interface: String?
    var unixSocket: String?
    var addressFamily = AddressFamily.any
    var addressOverrides: [AddressOverride] = []
    var sendsCookies = true
    var cdn: CDNBase?
    var cookieJar: CookieJar?
    var secretParameters: Set<String> = []
    var secretTexts: Set<Secret> = []
    var account: String?
    var sendsSecretsToOtherOrigins = false
    /// Whether a redirect led it away from the origin that its secrets are for.
    var hasLeftOrigin = false

    static let none = UncommonOptions()

    /// The jar, if cookies are wanted at all.
    var activeJar: CookieJar? { sendsCookies ? cookieJar : nil }
}

/// Uncommon options that several copies share, until one of them is changed.
final class SharedOptions: Sendable, Hashable {
    let values: UncommonOptions

    init(_ values: UncommonOptions) { self.values = values }

    static func == (a: SharedOptions, b: SharedOptions) -> Bool {
        a === b || a.values == b.values
    }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
