import Apus

/// How requests are sent, as the user chose.
struct SendingChoices {
    /// Where responses come from.
    var source = SourceChoice.perTarget
    /// The last input for watching a target.
    var lastWatch = "5s"
    /// Whether requests that may change something are confirmed first, in environments marked as dangerous.
    var asksBeforeDanger = true
    /// Whether a confirmed request is being sent.
    var isConfirmed = false
}

/// Where responses come from, as chosen with a key.
enum SourceChoice: String, CaseIterable {
    /// As each target says; from cache and server if it does not say.
    case perTarget
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The source for all targets; nil if each has its own.
    var source: DataSource? { SourceName(rawValue: rawValue)?.source }

    /// The next choice, wrapping around.
    var next: SourceChoice {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// A short name.
    var title: String { source?.title ?? "per target" }

    /// Where the responses of a target with its own source come from, for the status bar.
    func title(for requested: DataSource?) -> String {
        guard source == nil, let requested else {
            return source.map { "\($0.words) (all)" } ?? title
        }
        return requested.words
    }

    /// What it does, for the notice line.
    var explanation: String { source?.explanation ?? "each target chooses" }

    /// Where a target's responses come from if its own source is `requested`.
    func dataSource(for requested: DataSource?) -> DataSource {
        source ?? requested ?? .cacheAndServer
    }
}

extension DataSource {
    /// A short name for the status bar.
    var title: String {
        switch self {
        case .server: "server"
        case .cache: "cache"
        case .cacheIfPossible: "cache, else server"
        case .cacheAndServer: "cache+server"
        case .cacheThenRefresh: "cache, refresh"
        case .cacheOnFirstUse: "cache once, server"
        case .custom: "custom rule"
        }
    }

    /// Where responses come from, in the order in which they are asked.
    var words: String {
        switch self {
        case .server: "server"
        case .cache: "cache"
        case .cacheIfPossible: "cache, else server"
        case .cacheAndServer: "cache, then server"
        case .cacheThenRefresh: "cache, refreshed later"
        case .cacheOnFirstUse: "cache once, then server"
        case .custom: "the target's rule"
        }
    }

    /// Short enough for the list of sources in a terminal of 60 columns.
    fileprivate var explanation: String {
        switch self {
        case .server: "always the server"
        case .cache: "only the cache; nothing is sent"
        case .cacheIfPossible: "the cache; on a miss, the server"
        case .cacheAndServer: "the cache, the server beside it"
        case .cacheThenRefresh: "the cache; refreshed meanwhile"
        case .cacheOnFirstUse: "the cache once, then the server"
        case .custom: "the target's own rule"
        }
    }
}

extension Model {
    /// The selected target's own source, or the default if it has none; nil if no target is selected.
    var selectedSource: DataSource? {
        guard case .success(let request)? = selectedView?.request else { return nil }
        // Without a cache only the server answers, whatever the source.
        if keepsNothing { return .server }
        return SourceChoice.perTarget.dataSource(for: request.source)
    }

    /// Whether the selected target is not cached.
    var keepsNothing: Bool {
        guard case .success(let request)? = selectedView?.request else { return false }
        return request.target.cachePolicy.storage == .none
    }

    /// Whether the line under the cursor has a request that can be shown and edited.
    var canShowRequest: Bool {
        guard responses.showsSelection, layers.pastValues == nil, responses.watched == nil else {
            return false
        }
        if case .target? = targets.selected?.kind { return true }
        return false
    }
}
