import Apus
import HTTPTypes
import Secrets

/// Settings that `defaults`, an environment and a target can have; each overrides those before it.
struct RequestSettings: Sendable {
    /// Settings, and where they are from, in words; nil for a target's own.
    typealias Layer = (settings: RequestSettings, name: String?)

    /// A line of a header field, of which there may be several; without a value it leaves the field out.
    struct Header: Sendable {
        let name: HTTPField.Name
        let span: Span
        let value: Template?
    }

    /// A query parameter; without a value it removes an inherited one.
    struct QueryItem: Sendable {
        let name: String
        let span: Span
        let value: TemplateValue?
    }

    enum Authorization: Sendable {
        case none
        case bearer(Template)
        case basic(user: Template, password: Template)
        case digest(user: Template, password: Template)
        case ntlm(user: Template, password: Template)
        /// With the ticket of the user who runs the program.
        case negotiate
        /// With the password that a netrc file has for the host; nil is the user's own file.
        case netrc(file: String?)
        case apiKey(APIKey)
        /// With a token that the program obtains.
        case oauth2(OAuth2Setting)
        /// With a signature of AWS.
        case aws(AWSSetting)
        /// With what a command prints.
        case custom(CustomSetting)

        /// The key of `auth`, as the file has it.
        var name: String {
            switch self {
            case .none: "none"
            case .bearer: "bearer"
            case .basic: "basic"
            case .digest: "digest"
            case .ntlm: "ntlm"
            case .negotiate: "negotiate"
            case .netrc: "netrc"
            case .apiKey: "apiKey"
            case .oauth2: "oauth2"
            case .aws: "aws"
            case .custom: "custom"
            }
        }

        /// What it is, in a few words, as the file has it: "oauth2, client credentials".
        var words: String {
            let text =
                switch self {
                case .oauth2(let setting):
                    "\(name), \(setting.grant.words) at \(setting.tokenURL.text)"
                case .aws(let setting):
                    [
                        "\(name), \(setting.service.text)", setting.region?.text,
                        setting.profile?.text,
                    ]
                    .compactMap(\.self).joined(separator: ", ")
                case .custom(let setting): "\(name), \(setting.command)"
                default: name
                }
            return CredentialMask().masking(text: text)
        }
    }

    /// A key that a field, a parameter or a cookie has.
    struct APIKey: Sendable {
        enum Place: String, CaseIterable {
            case header, query, cookie
        }

        let place: Place
        let name: String
        let value: Template
    }

    /// A client certificate; its paths are already resolved against the workspace file.
    struct Certificate: Sendable {
        let file: String
        let keyFile: String?
        let password: Template?
    }

    var baseURL: Template?
    var headers: [Header] = []
    var query: [QueryItem] = []
    var authorization: Authorization?
    var timeout: TimeLimit?
    var connectTimeout: TimeLimit?
    var maximumRedirects: Int?
    var trustsRedirects: Bool?
    var verifiesTLS: Bool?
    var certificateAuthorityFile: String?
    var clientCertificate: Certificate?
    var unixSocket: String?
    var requestedVersion: TransportOptions.HTTPVersion?
    var proxy: Template?
    var decodesContent: Bool?
    var maximumBodySize: Int?
    var tracesWire: Bool?
    var sendsCookies: Bool?
    var validation: Validation?
    var expectations: [ExpectationSetting] = []
    var tags: [String] = []
    var source: DataSource?
    var cache = CacheSettings()
    /// The YAML entries of all other options, as written in this layer.
    var written: [YAMLNode.Entry] = []

    /// These settings, overridden by everything that `other` sets.
    func overridden(by other: RequestSettings) -> RequestSettings {
        var result = self
        result.baseURL = other.baseURL ?? baseURL
        result.headers.removeAll { mine in other.headers.contains { $0.name == mine.name } }
        result.headers += other.headers
        result.query.removeAll { mine in other.query.contains { $0.name == mine.name } }
        result.query += other.query
        result.authorization = other.authorization ?? authorization
        result.timeout = other.timeout ?? timeout
        result.connectTimeout = other.connectTimeout ?? connectTimeout
        result.maximumRedirects = other.maximumRedirects ?? maximumRedirects
        result.trustsRedirects =
            other.trustsRedirects ?? trustsRedirects
        result.verifiesTLS = other.verifiesTLS ?? verifiesTLS
        result.certificateAuthorityFile =
            other.certificateAuthorityFile ?? certificateAuthorityFile
        result.clientCertificate = other.clientCertificate ?? clientCertificate
        result.unixSocket = other.unixSocket ?? unixSocket
        result.requestedVersion = other.requestedVersion ?? requestedVersion
        result.proxy = other.proxy ?? proxy
        result.decodesContent = other.decodesContent ?? decodesContent
        result.maximumBodySize = other.maximumBodySize ?? maximumBodySize
        result.tracesWire = other.tracesWire ?? tracesWire
        result.sendsCookies = other.sendsCookies ?? sendsCookies
        result.validation = other.validation ?? validation
        result.expectations = expectations.overridden(by: other.expectations)
        result.tags += other.tags.filter { !tags.contains($0) }
        result.source = other.source ?? source
        result.cache = cache.overridden(by: other.cache)
        result.written.removeAll { mine in other.written.contains { $0.key == mine.key } }
        result.written += other.written
        return result
    }
}

extension RequestSettings {
    /// The options that say how a server is reached, which `defaults: none` keeps.
    static let connectionOptions: Set<String> = [
        "baseURL", "timeout", "connectTimeout", "verifyTLS", "caFile", "httpVersion", "proxy",
        "decode", "maxBody", "trace",
    ]

    /// What `defaults: none` leaves of the settings of `defaults` and of an environment.
    var forConnecting: RequestSettings {
        var settings = RequestSettings()
        settings.baseURL = baseURL
        (settings.timeout, settings.connectTimeout) = (timeout, connectTimeout)
        settings.verifiesTLS = verifiesTLS
        settings.certificateAuthorityFile = certificateAuthorityFile
        settings.requestedVersion = requestedVersion
        settings.proxy = proxy
        settings.decodesContent = decodesContent
        settings.maximumBodySize = maximumBodySize
        settings.tracesWire = tracesWire
        settings.sendsCookies = false
        return settings
    }
}

/// The body of a target's request.
enum BodySetting: Sendable {
    case none
    case text(Template)
    case json(TemplateValue)
    case form([TemplateValue.Member])
    case multipart([PartSetting])
    case graphQL(GraphQLSetting)
    case upload(UploadSetting)
}

/// The response that a target has with `--stubs`.
struct SampleSetting: Sendable {
    let status: Int
    let headers: [RequestSettings.Header]
    /// A text or JSON.
    var body = BodySetting.none
    /// The file with the body, already resolved against the workspace file; nil if the body is in `body`.
    var file: String?
}

/// A part of a multipart form.
struct PartSetting: Sendable {
    enum Content: Sendable {
        case text(TemplateValue)
        /// A file, and its `Content-Type`; nil infers the type from the file's name.
        case file(UploadSetting, type: Template?)
    }

    let name: String
    let content: Content
}

struct GraphQLSetting: Sendable {
    let query: Template
    let operation: Template?
    let variables: TemplateValue?
}

/// A file that a target uploads.
struct UploadSetting: Sendable {
    let path: Template
    /// The folder that must contain the file, and that `path` is relative to; nil allows any file.
    let folder: String?
    /// The workspace file; without `folder`, `path` is relative to this file's folder.
    let besideFile: String
}

/// The file that a response is saved to.
struct DownloadSetting: Sendable {
    let path: Template
    let replacesExisting: Bool
    let besideFile: String
}

/// The `cache` settings of one layer.
struct CacheSettings: Sendable {
    enum Key: Sendable {
        case full
        case base
        case custom(Template)
    }

    /// The rules that decide: the workspace's own, HTTP's for a private cache, or HTTP's for a shared one.
    enum Rules: String, CaseIterable {
        case own, http, shared
    }

    var rules: Rules?
    /// Nil if the file does not set it; `.some(nil)` if it says `none`.
    var storage: CachePolicy.Storage??
    var expiry: CachePolicy.Expiry?
    var expiryExtension: CachePolicy.Extension?
    var maximumLifetime: TimeLimit?
    var key: Key?
    var extraKey: Template?
    var ignoredParameters: [String]?
    var keyFields: [HTTPField.Name]?
    var accounts: CachePolicy.AccountSeparation?
    var answersGatewayTimeout: Bool?

    /// Whether nothing is set; if so, responses are not cached.
    var isEmpty: Bool {
        rules == nil && storage == nil && expiry == nil && expiryExtension == nil
            && maximumLifetime == nil
            && key == nil && extraKey == nil && ignoredParameters == nil && keyFields == nil
            && accounts == nil && answersGatewayTimeout == nil
    }

    /// Whether variables can stand in its key.
    var hasVariableKey: Bool {
        if case .custom(let template) = key, !template.names.isEmpty { return true }
        return extraKey?.names.isEmpty == false
    }

    func overridden(by other: CacheSettings) -> CacheSettings {
        CacheSettings(
            rules: other.rules ?? rules,
            storage: other.storage ?? storage,
            expiry: other.expiry ?? expiry,
            expiryExtension: other.expiryExtension ?? expiryExtension,
            maximumLifetime: other.maximumLifetime ?? maximumLifetime,
            key: other.key ?? key,
            extraKey: other.extraKey ?? extraKey,
            ignoredParameters: other.ignoredParameters ?? ignoredParameters,
            keyFields: other.keyFields ?? keyFields,
            accounts: other.accounts ?? accounts,
            answersGatewayTimeout: other.answersGatewayTimeout ?? answersGatewayTimeout
        )
    }
}

/// The limit of a timeout or a lifetime.
enum TimeLimit: Sendable, Hashable {
    case none
    case after(Duration)

    var duration: Duration? {
        if case .after(let duration) = self { duration } else { nil }
    }
}
