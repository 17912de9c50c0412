import Apus
import ArgumentParser

/// What `apus send` does with the cache.
enum SendCacheWord: String, CaseIterable, ExpressibleByArgument {
    case none, `default`, http

    /// The engine's policy for it.
    var policy: CachePolicy {
        switch self {
        case .none: .none
        case .default: CachePolicy()
        case .http: .http
        }
    }

    /// Where answers come from unless somebody says otherwise.
    var source: DataSource {
        switch self {
        case .none: .server
        case .default, .http: .cacheIfPossible
        }
    }
}
