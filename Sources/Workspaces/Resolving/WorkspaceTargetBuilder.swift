import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets
import Synchronization

/// A target while its templates are filled in.
struct WorkspaceTargetBuilder {
    let target: TargetDefinition
    private(set) var settings: RequestSettings
    /// The settings that the target would have if it took the defaults; nil if it does.
    private let settingsWithDefaults: RequestSettings?
    var evaluation: Evaluation
    let environment: Environment
    /// The environment's cookies; nil if none are sent or kept.
    let cookieJar: CookieJar?
    let rules: SecretRules
    /// Where the workspace is.
    let place: Place

    /// Where a workspace is, and whether its commands may run.
    struct Place {
        /// The file or folder it was loaded from; its name, if there is none.
        let path: String
        let isTrusted: @Sendable () -> Bool
        let bases = BaseURLs()
    }

    /// The URLs that paths are added to, by their texts: most targets share a few.
    final class BaseURLs: Sendable {
        private static let limit = 256
        private let urls = Mutex<[String: URL]>([:])

        /// The URL of a text, with its host in ASCII; nil if it is none.
        func url(_ text: String) throws(HostNameError) -> URL? {
            if let url = urls.withLock({ $0[text] }) { return url }
            guard let url = URL(string: try HostName.url(text)) else { return nil }
            urls.withLock { if $0.count < Self.limit { $0[text] = url } }
            return url
        }
    }
    /// Whether a sample is used in place of the server.
    let usesSamples: Bool

    /// How many of the expectations, at their end, are those of the step of a chain.
    private var stepExpectationCount = 0

    var log: ProblemLog { evaluation.log }

    init(
        target: TargetDefinition,
        settings: RequestSettings,
        settingsWithDefaults: RequestSettings? = nil,
        evaluation: Evaluation,
        environment: Environment,
        cookieJar: CookieJar?,
        rules: SecretRules,
        place: Place,
        usesSamples: Bool = false
    ) {
        self.target = target
        self.settings = settings
        self.settingsWithDefaults = settingsWithDefaults
        self.evaluation = evaluation
        self.environment = environment
        self.cookieJar = cookieJar
        self.rules = rules
        self.place = place
        self.usesSamples = usesSamples
    }

    /// Adds what the step of a chain expects, in place of what the target expects of the same subjects.
    mutating func expect(_ own: [ExpectationSetting]) {
        settings.expectations = settings.expectations.overridden(by: own)
        stepExpectationCount = own.count
    }

    /// The target; nil if something is wrong, which is logged.
    ///
    /// Resolves every part even after a fault, so that all faults are reported.
    mutating func resolve() -> WorkspaceTarget? {
        let reference = reference()
        let leftOut = reference.map { self.leftOut(at: $0) } ?? []
        let withheld = reference.map { withhold(at: $0) } ?? []
        addCredentials(of: target.path)
        let base = reference.flatMap { baseURL(for: $0) }
        let query = query()
        let body = body()
        let fields = fields(contentType: body?.contentType)
        let cache = cachePolicy()
        let options = options()
        let signing = signing()
        let download = download()
        let sample = sample()
        let expectations = evaluation.expectations(settings.expectations)
        guard let reference, let base, let query, let body, let fields, let cache, let options,
            let signing, let download, let expectations
        else { return nil }
        let path = reference.text
        let mask = CredentialMask(secrets: Array(evaluation.secrets), rules: rules)
        let resolved = WorkspaceTarget(
            id: target.id,
            name: target.name,
            baseURL: base.url,
            path: path.text,
            method: target.method,
            task: task(body.task, query.parameters, download.destination),
            headerFields: fields.fields,
            validation: settings.validation ?? .none,
            expectations: expectations,
            stepExpectationCount: stepExpectationCount,
            cachePolicy: cache,
            options: masking(options),
            source: settings.source,
            signing: signing.signing,
            usedSample: usesSamples ? sample : nil,
            variables: evaluation.usedValues,
            display: RequestDisplay(
                method: target.method.rawValue,
                url: mask.masking(url: base.shown + path.shown + query.shown(after: path.shown)),
                fields: fields.shown.map { field in
                    RequestDisplay.Field(
                        name: field.name,
                        value: mask.masking(line: field.value)
                    )
                },
                notes: (usesSamples && sample != nil ? ["answered by its sample"] : [])
                    + notes(
                        cache,
                        authorization: fields.authorization,
                        withheld,
                        leftOut: leftOut,
                        download.shown,
                        mask
                    ),
                leftOut: leftOut,
                body: body.shown.map { mask.masking(text: $0) },
                cache: cache.words
            ),
            mask: mask
        )
        return mayFollow(reference, query, resolved) ? resolved : nil
    }
}

extension WorkspaceTargetBuilder {
    /// Removes inherited settings from a target that goes to another origin than its `baseURL`.
    ///
    /// Removes the credentials, the client certificate, the Unix socket, the query, and all fields that HTTP
    /// does not know as harmless, if they come from `defaults` or the environment.
    ///
    /// - Returns: The names of what was removed.
    private mutating func withhold(at reference: RequestURLBuilder) -> [String] {
        // `mayFollow` checks what a response's link may carry, and is stricter.
        guard reference.link == nil, RequestURLBuilder.isWhole(reference.text.text),
            let template = settings.baseURL, let base = evaluation.text(template)?.text,
            !URLOrigin.isSame(base, reference.text.text)
        else { return [] }
        let own = target.ownSettings
        var names: [String] = []
        if own.authorization == nil, let inherited = settings.authorization {
            settings.authorization = nil
            if case .none = inherited {} else { names.append("Authorization") }
        }
        if own.clientCertificate == nil, settings.clientCertificate != nil {
            settings.clientCertificate = nil
            names.append("clientCertificate")
        }
        if own.unixSocket == nil, settings.unixSocket != nil {
            settings.unixSocket = nil
            names.append("unixSocket")
        }
        let headers = settings.headers.filter { header in
            let isOwn = own.headers.contains { $0.name == header.name }
            return !isOwn && (isSecret(header.name) || !PreparedRequest.isHarmless(header.name))
        }
        settings.headers.removeAll { header in headers.contains { $0.name == header.name } }
        let query = settings.query.filter { item in
            !own.query.contains { $0.name == item.name }
        }
        settings.query.removeAll { item in query.contains { $0.name == item.name } }
        names += headers.filter { $0.value != nil }.map(\.name.rawName)
        return names + query.filter { $0.value != nil }.map { "?\($0.name)" }
    }

    /// The names of what the workspace would add to a target that does not take its defaults.
    private func leftOut(at reference: RequestURLBuilder) -> [String] {
        guard let settingsWithDefaults else { return [] }
        var other = self
        other.settings = settingsWithDefaults
        // What the target's origin would not get with the defaults either is not left out.
        _ = other.withhold(at: reference)
        let own = target.ownSettings
        var names: [String] = []
        if own.authorization == nil, !own.headers.contains(where: { $0.name == .authorization }) {
            switch other.settings.authorization {
            case nil, .some(.none): break
            case .some(let authorization): names.append(authorization.name)
            }
        }
        names += other.settings.headers.filter { header in
            header.value != nil && !own.headers.contains { $0.name == header.name }
        }.map(\.name.rawName)
        names += other.settings.query.filter { item in
            item.value != nil && !own.query.contains { $0.name == item.name }
        }.map { "?\($0.name)" }
        if own.sendsCookies == nil, other.settings.sendsCookies != false,
            cookieJar?.cookies.isEmpty == false
        {
            names.append("cookies")
        }
        return names
    }

    /// The names of the fields that are not sent, whoever would add them.
    private var omittedFields: Set<HTTPField.Name> {
        Set(settings.headers.filter { $0.value == nil }.map(\.name))
    }

    mutating func options() -> TransportOptions? {
        var options = TransportOptions()
        if let limit = settings.timeout { options.timeout = limit.duration }
        if let limit = settings.connectTimeout { options.connectTimeout = limit.duration }
        options.maximumRedirects = settings.maximumRedirects ?? options.maximumRedirects
        if settings.trustsRedirects == true { options.trustsRedirects = true }
        options.verifiesTLS = settings.verifiesTLS ?? options.verifiesTLS
        options.certificateAuthorityFile = settings.certificateAuthorityFile
        if let certificate = settings.clientCertificate {
            guard let shown = clientCertificate(certificate) else { return nil }
            options.clientCertificate = shown
        }
        options.unixSocket = settings.unixSocket
        let omitted = omittedFields
        if !omitted.isEmpty { options.omittedFields = omitted }
        guard authorize(&options) else { return nil }
        options.requestedVersion = settings.requestedVersion ?? options.requestedVersion
        options.decodesContent = settings.decodesContent ?? options.decodesContent
        options.maximumBodySize = settings.maximumBodySize
        options.tracesWire = settings.tracesWire ?? options.tracesWire
        if settings.sendsCookies == false {
            options.sendsCookies = false
        } else if let cookieJar {
            options.cookieJar = cookieJar
        }
        if let template = settings.proxy {
            guard let proxy = evaluation.ownText(template, "a `proxy`") else { return nil }
            addCredentials(of: template)
            options.proxy = proxy.text
        }
        return options
    }

    private mutating func clientCertificate(
        _ setting: RequestSettings.Certificate
    ) -> ClientCertificate? {
        var certificate = ClientCertificate(file: setting.file, keyFile: setting.keyFile)
        if let template = setting.password {
            guard let password = evaluation.text(template) else { return nil }
            evaluation.addSecret(password.text)
            addCredentials(of: template)
            certificate.password = Apus.Secret(password.text)
        }
        return certificate
    }

    /// The options, and what the engine must mask of the target, once all of it is filled in.
    func masking(_ options: TransportOptions) -> TransportOptions {
        let secrets = evaluation.secrets
        var options = options
        if !secrets.isEmpty { options.secretTexts = Set(secrets.map { Apus.Secret($0) }) }
        if !rules.isEmpty { options.secretRules = rules }
        return options
    }

    /// Whether a parameter or a member of this name carries a credential.
    func isSecret(_ name: String) -> Bool {
        CredentialMask.isSecret(parameter: name) || rules.contains(name)
    }

    /// Whether a header field of this name carries a credential.
    func isSecret(_ name: HTTPField.Name) -> Bool {
        SecretFields.contains(name) || rules.contains(name.canonicalName)
    }

    mutating func cachePolicy() -> CachePolicy? {
        guard let policy = statedCachePolicy() else { return nil }
        // A key that lacks a value would stand for all values.
        return evaluation.isWaiting && settings.cache.hasVariableKey ? CachePolicy.none : policy
    }

    private mutating func statedCachePolicy() -> CachePolicy? {
        let cache = settings.cache
        guard !cache.isEmpty, let storage = cache.storage ?? .memoryAndDisk else {
            return CachePolicy.none
        }
        var extraKey: String?
        if let template = cache.extraKey {
            guard let text = evaluation.text(template) else { return nil }
            extraKey = text.text
        }
        let maximum = cache.maximumLifetime?.duration
        let ignored = Set(cache.ignoredParameters ?? [])
        guard cache.rules == .own || cache.rules == nil else {
            var options: HTTPCacheOptions = cache.rules == .shared ? .shared : []
            if cache.answersGatewayTimeout == true { options.insert(.gatewayTimeout) }
            return .http(
                in: storage,
                maximumLifetime: maximum,
                ignoring: ignored,
                extraKey: extraKey,
                separatesAccounts: cache.accounts ?? .all,
                options: options
            )
        }
        guard let key = key(cache, ignored) else { return nil }
        return .keep(
            for: cache.expiry ?? .seconds(300),
            in: storage,
            extending: cache.expiryExtension ?? .none,
            maximumLifetime: maximum,
            key: key,
            extraKey: extraKey,
            separatesAccounts: cache.accounts ?? .all
        )
    }

    private mutating func key(
        _ cache: CacheSettings,
        _ ignored: Set<String>
    ) -> CachePolicy.KeyStrategy? {
        switch cache.key {
        case nil, .full:
            cache.keyFields.map { .full(ignoring: ignored, fields: $0) } ?? .full(ignoring: ignored)
        case .base: .base
        case .custom(let template): evaluation.text(template).map { .custom($0.text) }
        }
    }

    func notes(
        _ cache: CachePolicy,
        authorization: String?,
        _ withheld: [String],
        leftOut: [String],
        _ download: String?,
        _ mask: CredentialMask
    ) -> [String] {
        var notes = evaluation.used.filter { $0.name != "base" }.map { "\($0.name)=\($0.shown)" }
        if let authorization { notes.append(authorization) }
        if !withheld.isEmpty {
            notes.append("not sent to this origin: \(withheld.joined(separator: ", "))")
        }
        if !leftOut.isEmpty {
            notes.append("without the workspace's \(leftOut.joined(separator: ", "))")
        }
        if case .upload = target.sentBody { notes.append("sends a file") }
        notes.append(cache.words)
        if case .after(let limit) = settings.timeout {
            notes.append("timeout \(Readable.span(limit))")
        }
        if let download { notes.append(download) }
        return notes.map { mask.masking(line: $0) }
    }
}
