import Apus
import ArgumentParser

/// Where `apus pipe` keeps answers.
enum PipeCacheWord: String, CaseIterable, ExpressibleByArgument {
    case none, http, memory, disk, memoryAndDisk

    /// The engine's policy for it; `http` is in memory alone if the cache has no folder.
    func policy(hasFolder: Bool) -> CachePolicy {
        switch self {
        case .none: .none
        case .http: Self.http(storage: hasFolder ? .memoryAndDisk : .memory)
        case .memory: CachePolicy(storage: .memory)
        case .disk: CachePolicy(storage: .disk)
        case .memoryAndDisk: CachePolicy(storage: .memoryAndDisk)
        }
    }

    private static func http(storage: CachePolicy.Storage) -> CachePolicy {
        var policy = CachePolicy.http
        policy.storage = storage
        return policy
    }

    /// Where answers come from unless a request says otherwise.
    var source: SourceWord {
        switch self {
        case .none: .server
        case .http, .memory, .disk, .memoryAndDisk: .cacheIfPossible
        }
    }

    /// Whether something outlives the process.
    var needsFolder: Bool {
        switch self {
        case .none, .http, .memory: false
        case .disk, .memoryAndDisk: true
        }
    }
}
