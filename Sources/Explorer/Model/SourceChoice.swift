import Apus

/// Where answers come from, as chosen with a key.
enum SourceChoice: Equatable, CaseIterable {
    /// As each target says, and cache and server when it says nothing.
    case asTarget
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The next one, after the last the first.
    var next: SourceChoice {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// A short name for the status bar.
    var title: String {
        switch self {
        case .asTarget: "as target"
        case .server: "server"
        case .cache: "cache"
        case .cacheIfPossible: "cache, else server"
        case .cacheAndServer: "cache+server"
        case .cacheThenRefresh: "cache, refresh"
        case .cacheOnFirstUse: "cache once+server"
        }
    }

    /// What it does, for the notice line.
    var explanation: String {
        switch self {
        case .asTarget: "each target says where its answers come from"
        case .server: "always the server; the cache is only shown"
        case .cache: "only the cache; nothing is sent"
        case .cacheIfPossible: "the cache; the server only on a miss"
        case .cacheAndServer: "the cache at once, and the server's answer beside it"
        case .cacheThenRefresh: "the cache, while the server refreshes it unseen"
        case .cacheOnFirstUse: "the cache the first time, and the server always"
        }
    }

    /// The engine's word for it, for a target that wishes `wish`.
    func dataSource(for wish: DataSource?) -> DataSource {
        switch self {
        case .asTarget: wish ?? .cacheAndServer
        case .server: .server
        case .cache: .cache
        case .cacheIfPossible: .cacheIfPossible
        case .cacheAndServer: .cacheAndServer
        case .cacheThenRefresh: .cacheThenRefresh
        case .cacheOnFirstUse: .cacheOnFirstUse
        }
    }
}

extension DataSource {
    /// The short name that the status bar shows for it.
    var title: String {
        switch self {
        case .server: SourceChoice.server.title
        case .cache: SourceChoice.cache.title
        case .cacheIfPossible: SourceChoice.cacheIfPossible.title
        case .cacheAndServer: SourceChoice.cacheAndServer.title
        case .cacheThenRefresh: SourceChoice.cacheThenRefresh.title
        case .cacheOnFirstUse: SourceChoice.cacheOnFirstUse.title
        case .custom: "own rule"
        }
    }
}
