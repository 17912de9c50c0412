import Apus
import ArgumentParser

/// Where `apus pipe` keeps answers.
enum PipeCacheWord: String, CaseIterable, ExpressibleByArgument {
    case none, memory, disk, memoryAndDisk

    /// The engine's policy for it.
    var policy: CachePolicy {
        switch self {
        case .none: .none
        case .memory: CachePolicy(storage: .memory)
        case .disk: CachePolicy(storage: .disk)
        case .memoryAndDisk: CachePolicy(storage: .memoryAndDisk)
        }
    }

    /// Where answers come from unless a request says otherwise.
    var source: SourceWord {
        switch self {
        case .none: .server
        case .memory, .disk, .memoryAndDisk: .cacheIfPossible
        }
    }

    /// Whether something outlives the process.
    var needsFolder: Bool {
        switch self {
        case .none, .memory: false
        case .disk, .memoryAndDisk: true
        }
    }
}
