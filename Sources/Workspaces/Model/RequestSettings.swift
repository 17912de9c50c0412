import Apus
import HTTPTypes

/// What defaults, an environment and a target may set; the later override the former.
struct RequestSettings: Sendable {
    /// A header field; without a value it takes an inherited one away.
    struct Header: Sendable {
        let name: HTTPField.Name
        let span: Span
        let value: Template?
    }

    /// A query parameter; without a value it takes an inherited one away.
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
    }

    /// A certificate of our own; files are seen from the workspace's.
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
    var source: DataSource?
    var cache = CacheSettings()
    /// What is neither a field nor of the query nor credentials, as it is written here.
    var written: [YAMLNode.Entry] = []

    /// These settings, with everything that `other` sets in their place.
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
        result.source = other.source ?? source
        result.cache = cache.overridden(by: other.cache)
        return result
    }
}

/// What a target sends.
enum BodySetting: Sendable {
    case none
    case text(Template)
    case json(TemplateValue)
    case form([TemplateValue.Member])
    case multipart([PartSetting])
    case graphQL(GraphQLSetting)
    case upload(UploadSetting)
}

/// A part of a form of many parts.
struct PartSetting: Sendable {
    enum Content: Sendable {
        case text(TemplateValue)
        /// A file, and what its `Content-Type` is if its name does not tell.
        case file(UploadSetting, type: Template?)
    }

    let name: String
    let content: Content
}

/// A query of GraphQL.
struct GraphQLSetting: Sendable {
    let query: Template
    let operation: Template?
    let variables: TemplateValue?
}

/// The file that a target sends.
struct UploadSetting: Sendable {
    let path: Template
    /// The folder that the file must be in, and its path is seen from; nil for any file.
    let folder: String?
    /// Its path is seen from this file's folder if there is no `folder`.
    let besideFile: String
}

/// The file that an answer goes to.
struct DownloadSetting: Sendable {
    let path: Template
    let replacesExisting: Bool
    let besideFile: String
}

/// What a file says of the cache.
struct CacheSettings: Sendable {
    enum Key: Sendable {
        case full
        case base
        case custom(Template)
    }

    /// Whose rules decide: the file's own, those of HTTP for a private cache, or for a shared one.
    enum Rules: String, CaseIterable {
        case own, http, shared
    }

    var rules: Rules?
    /// Nil if the file does not say; `.some(nil)` if it says `none`.
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

    /// Whether the file says anything at all; if not, nothing is kept.
    var isEmpty: Bool {
        rules == nil && storage == nil && expiry == nil && expiryExtension == nil
            && maximumLifetime == nil
            && key == nil && extraKey == nil && ignoredParameters == nil && keyFields == nil
            && accounts == nil && answersGatewayTimeout == nil
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

/// How long something may take.
enum TimeLimit: Sendable, Hashable {
    /// As long as it needs.
    case none
    case after(Duration)

    var duration: Duration? {
        if case .after(let duration) = self { duration } else { nil }
    }
}
