import Apus

extension WorkspaceTargetDraft {
    mutating func options() -> TransportOptions? {
        var options = TransportOptions()
        if let limit = settings.timeout { options.timeout = limit.duration }
        if let limit = settings.connectTimeout { options.connectTimeout = limit.duration }
        options.maximumRedirects = settings.maximumRedirects ?? options.maximumRedirects
        if settings.sendsSecretsToOtherOrigins == true { options.sendsSecretsToOtherOrigins = true }
        options.verifiesTLS = settings.verifiesTLS ?? options.verifiesTLS
        options.certificateAuthorityFile = settings.certificateAuthorityFile
        options.requestedVersion = settings.requestedVersion ?? options.requestedVersion
        options.decodesContent = settings.decodesContent ?? options.decodesContent
        options.maximumBodySize = settings.maximumBodySize
        options.tracesWire = settings.tracesWire ?? options.tracesWire
        if let template = settings.proxy {
            guard let proxy = evaluation.ownText(template, "a `proxy`") else { return nil }
            addCredentials(of: template)
            options.proxy = proxy.text
        }
        return options
    }

    /// The options, and what the engine is to mask of the target, once all of it is filled in.
    func masking(_ options: TransportOptions) -> TransportOptions {
        let secrets = evaluation.secrets
        guard !secrets.isEmpty else { return options }
        var options = options
        options.secretTexts = Set(secrets.map { Apus.Secret($0) })
        return options
    }

    mutating func cachePolicy() -> CachePolicy? {
        let cache = settings.cache
        guard !cache.isEmpty else { return CachePolicy.none }
        var policy = cache.semantics == .http ? CachePolicy.http : CachePolicy()
        policy.storage = cache.storage ?? policy.storage
        policy.expiry = cache.expiry ?? policy.expiry
        policy.expiryExtension = cache.expiryExtension ?? policy.expiryExtension
        policy.maximumLifetime = cache.maximumLifetime?.duration
        policy.ignoredParameters = Set(cache.ignoredParameters ?? [])
        policy.keyFields = cache.keyFields ?? policy.keyFields
        switch cache.key {
        case nil, .full: break
        case .base: policy.keyStrategy = .base
        case .custom(let template):
            guard let text = evaluation.text(template) else { return nil }
            policy.keyStrategy = .custom(text.text)
        }
        if let template = cache.extraKey {
            guard let text = evaluation.text(template) else { return nil }
            policy.extraKey = text.text
        }
        return policy
    }

    func notes(
        _ cache: CachePolicy,
        authorization: String?,
        _ download: String?,
        _ mask: CredentialMask
    ) -> [String] {
        var notes = evaluation.used.filter { $0.name != "base" }.map { "\($0.name)=\($0.shown)" }
        if let authorization { notes.append(authorization) }
        notes.append(CacheWords.text(cache))
        if case .after(let limit) = settings.timeout {
            notes.append("within \(CacheWords.text(limit))")
        }
        if let download { notes.append(download) }
        return notes.map { mask.masking(line: $0) }
    }
}
