import Apus
import ArgumentParser

/// Where answers come from, as one names it on the command line and in a line of JSON.
enum SourceWord: String, CaseIterable, ExpressibleByArgument {
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The engine's word for it.
    var source: DataSource {
        switch self {
        case .server: .server
        case .cache: .cache
        case .cacheIfPossible: .cacheIfPossible
        case .cacheAndServer: .cacheAndServer
        case .cacheThenRefresh: .cacheThenRefresh
        case .cacheOnFirstUse: .cacheOnFirstUse
        }
    }
}
