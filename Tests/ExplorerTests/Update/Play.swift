import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal

@testable import Explorer

/// Plays keys and messages to a model, and keeps the effects.
struct Play {
    var model: Model
    private(set) var effects: [Effect] = []
    private var uptime = Duration.zero
    /// What the calendar says.
    var wall = Date.distantPast

    /// Begins with a loaded catalog.
    init(
        size: Size = Size(columns: 120, rows: 40),
        catalog: Catalog? = .sample,
        hasHistory: Bool = false
    ) {
        model = Model(sourceName: "test.apus.yaml")
        model.session.hasHistory = hasHistory
        model.clock.zone = .gmt
        send(.resize(size))
        if let catalog { send(.message(.catalogLoaded(catalog))) }
    }

    /// One event.
    mutating func send(_ event: TerminalEvent<Message>) {
        uptime += .milliseconds(1)
        effects = update(&model, event, at: Moment(wall: wall, uptime: uptime))
    }

    /// Keys by name, separated by spaces.
    mutating func type(_ keys: String) {
        for name in keys.split(separator: " ") {
            if let key = Key(String(name)) { send(.key(key)) }
        }
    }

    /// Time passes.
    mutating func wait(_ duration: Duration) {
        uptime += duration
        send(.tick)
    }

    mutating func receive(_ message: Message) { send(.message(message)) }

    /// The run that the last key began.
    var firedRun: RunID? {
        for effect in effects {
            switch effect {
            case .send(let id, _, _, _, _), .runBatch(let id, _, _, _),
                .runChain(let id, _, _, _, _):
                return id
            default: continue
            }
        }
        return nil
    }

    /// The work on the history that the last event asked for.
    var historyEffects: [HistoryEffect] {
        effects.compactMap { if case .history(let effect) = $0 { effect } else { nil } }
    }

    /// The bodies that are to be opened.
    var openedBodies: [PaneAddress] {
        effects.compactMap { if case .openBody(let address, _, _) = $0 { address } else { nil } }
    }
}

struct PlayTarget: TargetType {
    var path = "/"
    var task = RequestTask.plain
    var baseURL: URL {
        guard let url = URL(string: "http://api.test") else { preconditionFailure() }
        return url
    }
}

extension Catalog {
    /// Two groups, a batch and a chain.
    static var sample: Catalog {
        Catalog(
            name: "Sample",
            environments: ["local", "staging"],
            nodes: [
                .group(
                    name: "Users",
                    [
                        .target(.sample("Users/List users", "List users")),
                        .target(.sample("Users/Show user", "Show user")),
                    ]
                ),
                .group(name: "Orders", [.target(.sample("Orders/Order", "Order"))]),
                .batch(
                    CatalogBatch(id: CatalogID("batch/Warm"), name: "Warm") { _ in
                        ResolvedBatch(
                            batch: Batch([PlayTarget(), PlayTarget()], concurrency: 2),
                            titles: ["GET /a", "GET /b"]
                        )
                    }
                ),
                .chain(
                    CatalogChain(id: CatalogID("chain/Sign up"), name: "Sign up") { _ in
                        ResolvedChain(
                            chain: Chain(startingWith: PlayTarget()) { _ in nil },
                            steps: [.init(name: "register", title: "POST /users")]
                        )
                    }
                ),
            ],
            source: SampleSource()
        )
    }
}

extension CatalogTarget {
    static func sample(_ id: String, _ name: String) -> CatalogTarget {
        CatalogTarget(id: CatalogID(id), name: name, method: "GET")
    }
}

extension ResolvedTarget {
    static func sample(_ environment: Int) -> ResolvedTarget {
        ResolvedTarget(
            target: PlayTarget(path: "/\(environment)"),
            source: nil,
            url: "http://api.test/\(environment)",
            details: []
        )
    }
}

extension Response {
    static func sample(_ text: String, status: Int = 200, hit: CacheHit? = nil) -> Response {
        Response(
            request: PreparedRequest(
                head: HTTPRequest(
                    method: .get,
                    scheme: "http",
                    authority: "api.test",
                    path: "/"
                )
            ),
            head: HTTPResponse(status: .init(code: status)),
            body: .bytes(Array(text.utf8)),
            source: hit.map { .disk($0) } ?? .server,
            received: .distantPast
        )
    }
}
