import Apus
import Documents
import Terminal
import TreeView
import Workspaces

/// What the two panes show for one target.
struct TargetState {
    /// The resolved request, or why there is none; resolved again when the environment changes.
    var request: Result<ResolvedTarget, CatalogError>?
    /// The environment that `request` and the panes are for.
    var environment: Int
    /// What its next response is checked against; nil if nothing is expected of it.
    var checkedTarget: WorkspaceTarget?
    /// What the cache held when the target was last looked at or sent.
    var cache = ResponseState()
    /// The server's last response.
    var server = ResponseState()
    /// The cache's lookup for the last request.
    var lookup: CacheLookup?
    /// What the HTTP cache decided about the last request, in order.
    var decisions: [CacheDecision] = []
    /// What the cache did with the server's response.
    var storage: CacheStoreOutcome?
    /// The source of the last run.
    var source: DataSource?
    /// The last request as sent, and its number of attempts.
    var sentRequest: PreparedRequest?
    var attempts = 0
    /// How long the last run took from its start to its end; nil while it runs.
    var duration: Duration?
    /// How the last run ended, for the list.
    var outcome: Outcome?
    /// What a batch or a chain will do, shown before it runs.
    var plan: Plan?
    /// The selected step of a chain, by its index in the plan.
    var chosenStep: Int?
    /// The selection in a batch.
    var batch = BatchChoice()
    /// The comparison of the two bodies, if there is one.
    var comparison: Comparison?

    /// Whether it changes without an event.
    var isMoving: Bool {
        cache.document.isMoving || server.document.isMoving || cache.isFiltering
            || server.isFiltering
            || (comparison.map { $0.rows == nil } ?? false)
    }

    init(environment: Int) { self.environment = environment }

    /// Drops what is known about the last run, and waits for the response of a new one.
    mutating func beginRun(of resolved: ResolvedTarget, from source: DataSource, at now: Duration) {
        request = .success(resolved)
        checkedTarget = resolved.checkedTarget
        (lookup, decisions, storage, outcome) = (nil, [], nil, nil)
        (sentRequest, attempts, self.source) = (nil, 0, source)
        server.awaitResponse(since: now)
    }

    /// The approximate memory of its bodies and their trees, in bytes.
    var heldMemory: Int { cache.heldMemory + server.heldMemory }

    subscript(side: PaneSide) -> ResponseState {
        get { side == .cache ? cache : server }
        set { if side == .cache { cache = newValue } else { server = newValue } }
    }

    /// What a batch or a chain will do in the state's environment, or why it cannot.
    enum Plan {
        case batch(titles: [String], concurrency: Int, rate: BatchRate? = nil)
        case chain([ResolvedChain.Step], layout: ChainLayout? = nil)
        case problem(CatalogError)
    }

    /// How a target's last run ended, in a few columns.
    enum Outcome: Equatable {
        case status(Int, isFromCache: Bool)
        case failed
        case cancelled
    }
}

/// One of the two panes.
enum PaneSide: Hashable, Sendable {
    case cache, server
}

/// One response's pane.
struct ResponseState {
    /// What there is to show.
    enum Content {
        /// No request yet.
        case empty
        /// The cache has no response, for this reason.
        case missed(CacheMissReason)
        /// Waiting for a response.
        case waiting
        /// The cache answered, so the server was not asked.
        case notAsked
        /// The server said that the cached response is still right.
        case notModified
        /// A response whose body is still arriving, with what has arrived.
        case receiving(Response)
        /// A response.
        case response(Response)
        /// The request failed; the error has what was received.
        case failed(ApusError)
    }

    var content = Content.empty
    /// The selected tab, and its lines; the lines of the body are in `document`.
    var tab = ResponseTab.body
    var page: ResponsePage?
    /// Whether the tab TLS shows all fields of the certificates.
    var showsAllFields = false
    /// For a recorded response: the size that its body had when it came, before its secrets were masked.
    var recordedSize: Int?
    /// The body's rows and cursor.
    var document = DocumentPane(.engine)
    /// What came of what is expected of the response; nil if nothing is, or it is not checked yet.
    var checked: CheckedResponse?
    /// The command whose output is shown in place of the body; nil for the body itself.
    var filter: BodyFilter?
    /// The error from opening the body.
    var bodyProblem: String?
    /// When a new response was requested.
    ///
    /// The old one is shown a moment longer, so that a quick response does not make the pane flicker.
    var awaitedSince: Duration?
    /// Counts responses, so that a body that arrives late is not shown under another response.
    var generation = 0

    /// The approximate memory of the body, as received and as shown, in bytes.
    var heldMemory: Int {
        (response?.body.count ?? 0) + (filter?.output?.count ?? 0)
            + (document.body?.heldMemory ?? 0)
    }

    /// Waits for a new response; what is shown stays until it comes.
    mutating func awaitResponse(since now: Duration) {
        awaitedSince = now
        if case .empty = content { content = .waiting }
    }

    /// Whether there is anything to show besides a body.
    var hasResponse: Bool { response != nil || failure != nil || isNotModified }

    /// Whether a command is running on the body.
    var isFiltering: Bool { filter.map { $0.ending == nil } ?? false }

    /// Whether more of the body may arrive.
    var isReceiving: Bool { if case .receiving = content { true } else { false } }

    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// Why there is no response; nil if there is one or none was requested.
    var failure: ApusError? {
        if case .failed(let error) = content { error } else { nil }
    }

    /// The response, complete or partial.
    var response: Response? { content.response }
}

extension ResponseState.Content {
    /// The response in it, complete or partial; nil if there is none.
    var response: Response? {
        switch self {
        case .response(let response), .receiving(let response): response
        case .failed(let error): error.response
        case .empty, .missed, .waiting, .notAsked, .notModified: nil
        }
    }
}

extension ApusError {
    /// What a pane says about it: what happened, what is known, what to do, what was received.
    var paneTexts: [String] {
        let message = workspaceMessage
        let detail = message.detail.isEmpty ? nil : message.detail.asSentence
        return [message.title, detail, paneAdvice, receivedText].compactMap(\.self)
    }

    /// What to do, and the key for it.
    var paneAdvice: String {
        let key =
            if case .cacheMiss = reason { "s chooses the source." } else { "r sends it again." }
        return workspaceMessage.advice.map { "\($0) \(key)" } ?? key
    }

    /// How much of a response was received; nil if nothing was.
    var receivedText: String? {
        guard let response, !response.body.isEmpty else { return nil }
        let size = Readable.bytes(response.body.count)
        let part = response.announced.map { Readable.part(response.body.count, of: $0) } ?? size
        return response.isComplete ? "The response, \(size):" : "Received before that, \(part):"
    }
}

/// The states of the targets that were looked at last.
struct RecentTargets {
    /// The most states that are kept; older ones are dropped, with their bodies and files.
    static let limit = 64
    /// The most bytes that all bodies and trees may take; the newest state is always kept.
    static let memoryLimit = 64 << 20

    /// A target in an environment, with its own responses.
    private struct Key: Hashable {
        var id: CatalogID
        var environment: Int
    }

    private var views: [Key: TargetState] = [:]
    private var recent: [Key] = []

    /// A target's state in an environment; nil if it was never looked at or has been dropped.
    subscript(id: CatalogID, environment: Int) -> TargetState? {
        views[Key(id: id, environment: environment)]
    }

    mutating func removeAll() {
        (views, recent) = ([:], [])
    }

    /// Keeps the state of a target, or of those in a group, under its new path; what it sends is made again.
    mutating func move(_ old: String, to new: String) {
        for (index, key) in recent.enumerated() {
            guard let moved = key.id.moved(from: old, to: new) else { continue }
            let movedKey = Key(id: moved, environment: key.environment)
            recent[index] = movedKey
            views[movedKey] = views.removeValue(forKey: key)
            views[movedKey]?.request = nil
            views[movedKey]?.plan = nil
        }
    }

    /// Drops all requests and plans, so that they are made again when they are looked at.
    mutating func forgetRequests() {
        for key in recent {
            views[key]?.request = nil
            views[key]?.plan = nil
        }
    }

    /// Drops a target's request, so that it is made again when it is looked at.
    mutating func forgetRequest(of id: CatalogID) {
        for key in recent where key.id == id { views[key]?.request = nil }
    }

    /// Changes a state, making it first if there is none.
    mutating func update(
        _ id: CatalogID,
        environment: Int,
        _ change: (inout TargetState) -> Void
    ) {
        let key = Key(id: id, environment: environment)
        var view = views[key] ?? TargetState(environment: environment)
        change(&view)
        views[key] = view
        recent.removeAll { $0 == key }
        recent.append(key)
        while recent.count > Self.limit { views[recent.removeFirst()] = nil }
        var held = views.values.reduce(0) { $0 + $1.heldMemory }
        while held > Self.memoryLimit, recent.count > 1 {
            let oldest = recent.removeFirst()
            held -= views.removeValue(forKey: oldest)?.heldMemory ?? 0
        }
    }
}
