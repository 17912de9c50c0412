import Apus
import Documents
import Terminal

/// What the two panes show for one target.
struct TargetState {
    /// The request, or why there is none; resolved again when the environment changes.
    var request: Result<ResolvedTarget, CatalogProblem>?
    /// The environment that `request` and the panes are for.
    var environment: Int
    /// What the cache held when the target was last looked at or sent.
    var cache = AnswerState()
    /// What the server said last.
    var server = AnswerState()
    /// What the cache said to the last request.
    var lookup: CacheLookup?
    /// What the HTTP cache decided about the last request, in order.
    var decisions: [CacheDecision] = []
    /// What became of the server's answer in the cache.
    var storage: CacheStoreOutcome?
    /// Where the last run took answers from.
    var source: DataSource?
    /// The request as it was sent last, and how often.
    var sentRequest: PreparedRequest?
    var attempts = 0
    /// How the last run ended, for the list.
    var outcome: Outcome?
    /// What a batch or a chain will do, to be shown before it runs.
    var plan: Plan?
    /// The step of a chain that was chosen, by its place in the plan.
    var chosenStep: Int?
    /// What is looked at of a batch.
    var batch = BatchChoice()
    /// The two bodies beside each other, when that was asked for.
    var comparison: Comparison?

    /// Whether it changes without an event.
    var isMoving: Bool {
        cache.document.isMoving || server.document.isMoving || cache.isFiltering
            || server.isFiltering
            || (comparison.map { $0.rows == nil } ?? false)
    }

    init(environment: Int) { self.environment = environment }

    /// About the bytes that its bodies and their trees take.
    var heldMemory: Int { cache.heldMemory + server.heldMemory }

    /// The pane of one side.
    subscript(side: PaneSide) -> AnswerState {
        get { side == .cache ? cache : server }
        set { if side == .cache { cache = newValue } else { server = newValue } }
    }

    /// What a batch or a chain will do in the view's environment, or why it cannot.
    enum Plan {
        case batch(titles: [String], concurrency: Int, rate: BatchRate? = nil)
        case chain([ResolvedChain.Step], layout: ChainLayout? = nil)
        case problem(CatalogProblem)
    }

    /// How a target's last run ended, in a few columns.
    enum Outcome: Equatable {
        case status(Int, isFromCache: Bool)
        case failed
        case cancelled
    }
}

/// Which of the two panes.
enum PaneSide: Hashable, Sendable {
    case cache, server
}

/// One answer's pane.
struct AnswerState {
    /// What there is to show.
    enum Content {
        /// No request yet.
        case empty
        /// The cache has no answer, for this reason.
        case missed(CacheMissReason)
        /// An answer is awaited.
        case waiting
        /// The cache has answered, and the server was not asked.
        case notAsked
        /// The server said that what the cache has is still right.
        case notModified
        /// An answer whose body is still coming: as much of it as there is.
        case receiving(Response)
        /// An answer.
        case answer(Response)
        /// No answer; what was received of one is in the error.
        case failed(ApusError)
    }

    /// What there is to show.
    var content = Content.empty
    /// What is shown of it, and that as lines; of the body there is `document`.
    var tab = AnswerTab.body
    var page: AnswerPage?
    /// The body: its rows and the cursor.
    var document = DocumentPane()
    /// The command whose output stands in the body's place; nil for the body itself.
    var filter: BodyFilter?
    /// The error that opening the body met.
    var bodyProblem: String?
    /// When a new answer was requested; the old one is shown a moment longer, so
    /// that a quick answer does not make the pane flicker.
    var awaitedSince: Duration?
    /// Which answer the body belongs to, so that a late body is not shown under
    /// another answer.
    var generation = 0

    /// About the bytes that the body and its tree take: once as it came, once to be shown.
    var heldMemory: Int {
        (response?.body.count ?? 0) + (filter?.output?.count ?? 0)
            + (document.body?.heldMemory ?? 0)
    }

    /// Whether there is something to know of it beside a body.
    var hasAnswer: Bool { response != nil || failure != nil || isNotModified }

    /// Whether a command is at work on the body.
    var isFiltering: Bool { filter.map { $0.ending == nil } ?? false }

    /// Whether more of the body may come.
    var isReceiving: Bool { if case .receiving = content { true } else { false } }

    var isNotModified: Bool { if case .notModified = content { true } else { false } }

    /// Why there is no answer; nil if there is one, or none was asked for.
    var failure: ApusError? {
        if case .failed(let error) = content { error } else { nil }
    }

    /// The answer, whole or in part.
    var response: Response? {
        switch content {
        case .answer(let response), .receiving(let response): response
        case .failed(let error): error.response
        case .empty, .missed, .waiting, .notAsked, .notModified: nil
        }
    }
}

extension ApusError {
    /// What a pane says of it: what happened, what is known, what to do, what was received.
    var paneTexts: [String] {
        let detail = message.detail.isEmpty ? nil : message.detail.asSentence
        return [message.title, detail, paneAdvice, receivedText].compactMap(\.self)
    }

    /// What to do, and the key for it.
    var paneAdvice: String {
        let key =
            if case .cacheMiss = reason { "s chooses the source." } else { "r sends it again." }
        return message.advice.map { "\($0) \(key)" } ?? key
    }

    /// How much of an answer there is; nil without one.
    var receivedText: String? {
        guard let response, !response.body.isEmpty else { return nil }
        let size = Readable.bytes(response.body.count)
        let part = response.announced.map { Readable.part(response.body.count, of: $0) } ?? size
        return response.isComplete ? "The answer, \(size):" : "Received before that, \(part):"
    }
}

/// The views of the targets that were looked at last.
struct RecentTargets {
    /// Older ones are dropped, with their bodies and files.
    static let limit = 64
    /// What the bodies and their trees may take together; the one on the screen is always kept.
    static let memoryLimit = 64 << 20

    /// A target in an environment: each has answers of its own.
    private struct Key: Hashable {
        var id: CatalogID
        var environment: Int
    }

    /// The environment that is shown.
    var environment = 0
    private var views: [Key: TargetState] = [:]
    private var recent: [Key] = []

    /// The view of a target in the environment that is shown; nil if it was never looked at or long ago.
    subscript(id: CatalogID) -> TargetState? { self[id, environment] }

    /// The view of a target in an environment.
    subscript(id: CatalogID, environment: Int) -> TargetState? {
        views[Key(id: id, environment: environment)]
    }

    /// Forgets everything.
    mutating func removeAll() {
        (views, recent) = ([:], [])
    }

    /// Has all requests and plans made again when they are looked at.
    mutating func forgetRequests() {
        for key in recent {
            views[key]?.request = nil
            views[key]?.plan = nil
        }
    }

    /// Has the request of a target made again when it is looked at.
    mutating func forgetRequest(of id: CatalogID) {
        for key in recent where key.id == id { views[key]?.request = nil }
    }

    /// Changes a view, making it first if there is none for the environment.
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
