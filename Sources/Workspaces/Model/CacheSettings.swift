import Apus
import HTTPTypes

/// What a file says of the cache.
struct CacheSettings: Sendable {
    enum Key: Sendable {
        case full
        case base
        case custom(Template)
    }

    var semantics: CachePolicy.Semantics?
    var storage: CachePolicy.Storage?
    var expiry: CachePolicy.Expiry?
    var expiryExtension: CachePolicy.Extension?
    var maximumLifetime: TimeLimit?
    var key: Key?
    var extraKey: Template?
    var ignoredParameters: [String]?
    var keyFields: [HTTPField.Name]?

    /// Whether the file says anything at all; if not, nothing is kept.
    var isEmpty: Bool {
        semantics == nil && storage == nil && expiry == nil && expiryExtension == nil
            && maximumLifetime == nil
            && key == nil && extraKey == nil && ignoredParameters == nil && keyFields == nil
    }

    func overridden(by other: CacheSettings) -> CacheSettings {
        CacheSettings(
            semantics: other.semantics ?? semantics,
            storage: other.storage ?? storage,
            expiry: other.expiry ?? expiry,
            expiryExtension: other.expiryExtension ?? expiryExtension,
            maximumLifetime: other.maximumLifetime ?? maximumLifetime,
            key: other.key ?? key,
            extraKey: other.extraKey ?? extraKey,
            ignoredParameters: other.ignoredParameters ?? ignoredParameters,
            keyFields: other.keyFields ?? keyFields
        )
    }
}
