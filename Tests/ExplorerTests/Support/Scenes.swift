import Apus
import Documents
import FoundationEssentials
import Sharing
import Terminal
import Workspaces

@testable import Explorer
@testable import Sharing
@testable import TreeView

/// The situations that are drawn in the tests, each for a size.
enum Scene: String, CaseIterable {
    case loading, fresh, responses, failure, batch, batchDone, workers, chain, chainPlan, help,
        filter, busy
    case graph, zoomed, text, hex, group, waiting, brokenPlan, why
    case session, sessionFilter, then, overTime
    case headers, cookies, timing, tls, request, raw, notModified
    case requestHeaders, requestBody, requestTyping, requestPreview, requestFound
    case jump, danger, cookieList, bodyFilter
    case emptyWorkspace, newGroup, deleting, variables, variableTyping
    case expectations, unexpected, asExpected, expecting, batchExpected, signInCode, signInPage
    case sharedUp, sharedDown, sharedHit, sharedRefusal, sharedVariants
    case sessionList, noServer, serverGone, shareTyping

    static let cachedBody = """
        {"id": 7, "name": "Ada Lovelace", "balance": 120.50, "active": true, "manager": null,
        "address": {"street": "12 St James's Sq", "city": "London", "zip": "SW1Y"},
        "roles": ["admin", "editor"]}
        """
    static let freshBody = """
        {"id": 7, "name": "Ada Lovelace", "balance": 98.00, "active": true, "manager": null,
        "address": {"street": "12 St James's Sq", "city": "London", "zip": "SW1Y"},
        "roles": ["admin"], "bio": "First line.\\nSecond line with a very long text that goes on",
        "last_seen": "2026-11-21T03:12:44Z"}
        """

    static let expectedBody = """
        {"id": 7, "name": "Ada Lovelace", "balance": 120.50, "manager": {"id": 3}, "roles": ["admin", "editor"]}
        """

    func model(_ columns: Int, _ rows: Int) -> Model {
        var model = Model.make(
            size: Size(columns: columns, rows: rows),
            hasCatalog: self != .loading
        )
        switch self {
        case .loading, .fresh: break
        case .responses: model.showResponses()
        case .failure: model.showFailure()
        case .batch: model.showBatch(isRunning: true)
        case .batchDone: model.showBatch(isRunning: false)
        case .workers: model.showWorkers()
        case .chain: model.showChain()
        case .chainPlan: model.showChainPlan()
        case .graph: model.showGraph()
        case .brokenPlan: model.showBrokenPlan()
        case .help: model.layers.open(.help(HelpPage()))
        case .filter: model.showFilter()
        case .busy: model.showBusy()
        case .zoomed:
            model.showResponses()
            model.panes.isZoomed = true
        case .text: model.showBody("Hello\nworld, this is text\n\nwith four lines", "text/plain")
        case .hex:
            model.showBody("\u{1}\u{2}PNG" + String(repeating: "apus ", count: 40), "image/png")
        case .why: model.showWhy()
        case .group: model.select("Orders")
        case .waiting: model.showWaiting()
        case .session: model.showSession()
        case .sessionFilter: model.showSessionFilter()
        case .then: model.showThen()
        case .overTime: model.showOverTime()
        case .headers, .cookies, .timing, .tls, .request, .raw: model.showTab(self)
        case .notModified: model.showNotModified()
        case .requestHeaders:
            model.showRequest(keys: "H j c", "blue", "enter g x G n", "X-Trace:on", "enter")
        case .requestBody:
            model.showRequest(keys: "B j c", "ada@new.example", "enter j n", "city", "enter")
        case .requestTyping: model.showRequest(keys: "H n", "if", "")
        case .requestPreview: model.showRequest(keys: "B h", "", "")
        case .requestFound: model.showFound()
        case .jump:
            model.showResponses()
            model.showJump()
        case .danger: model.showDanger()
        case .cookieList: model.showCookieList()
        case .bodyFilter: model.showBodyFilter()
        case .emptyWorkspace: model.showWorkspace(NewWorkspaceFile.emptyText, keys: "")
        case .newGroup: model.showWorkspace(Model.changedWorkspace, keys: "+", "Users/Admin")
        case .deleting: model.showWorkspace(Model.changedWorkspace, keys: "home -")
        case .expectations: model.showExpecting(keys: "3 i e j")
        case .unexpected: model.showExpecting(keys: "3 j j j")
        case .asExpected: model.showExpecting(Scene.expectedBody, keys: "")
        case .expecting: model.showExpecting(keys: "3 j j j A tab tab tab")
        case .batchExpected:
            model.showBatch(isRunning: false)
            model.judge(Model.batchJudgement, of: model.runs.runs[0].id)
        case .sharedUp: model.showShared(isUp: true)
        case .sharedDown: model.showShared(isUp: false)
        case .sharedHit: model.showSharedHit()
        case .sharedRefusal: model.showSharedRefusal()
        case .sharedVariants: model.showSharedVariants()
        case .sessionList: model.showSessionList(.found(StreamedSession.samples))
        case .noServer: model.showSessionList(nil)
        case .serverGone:
            model.showSessionList(.failed("no connection: connection refused"))
        case .shareTyping: model.showShareTyping()
        case .signInCode: model.showSignIn(withCode: true)
        case .signInPage: model.showSignIn(withCode: false)
        case .variables: model.showWorkspace(Model.changedWorkspace, keys: "V end up tab")
        case .variableTyping:
            model.showWorkspace(
                Model.changedWorkspace,
                keys: "V end up tab n",
                "key={ env: SHOP_KEY }"
            )
        }
        model.arrangeSession()
        return model
    }
}

extension Model {
    fileprivate mutating func showResponses() {
        panes.focus = .server
        updateView { view in
            view.cache = .make(.make(Scene.cachedBody, source: .makeDisk()))
            view.server = .make(.make(Scene.freshBody), selection: 8)
            view.storage = .stored(
                .memoryAndDisk,
                expires: .sampleNow.addingTimeInterval(300)
            )
            view.outcome = .status(200, isFromCache: false)
        }
        responses.views.update(CatalogID("Users/List users"), environment: 0) {
            $0.outcome = .status(200, isFromCache: true)
        }
        responses.views.update(CatalogID("Orders/List orders"), environment: 0) {
            $0.outcome = .status(304, isFromCache: false)
        }
        responses.views.update(CatalogID("Orders/Order"), environment: 0) { $0.outcome = .failed }
        let id = begin(.single(.make(ending: 200)), "Users/Show user")
        runs.end(id, at: clock.now.uptime - .seconds(1.9882))
    }

    fileprivate mutating func showWhy() {
        showResponses()
        updateView { view in
            view.lookup = .hit(.make(Scene.cachedBody, source: .makeDisk()))
            view.decisions = [
                CacheDecision(
                    outcome: .revalidate,
                    rule: .stale,
                    findings: [
                        .currentAge(.seconds(242)), .lifetime(.seconds(60), .maxAge),
                        .staleness(.seconds(182)),
                    ]
                ),
                CacheDecision(outcome: .updated, rule: .notModified, findings: [.status(304)]),
            ]
        }
        layers.explanation = PageScroll()
    }

    fileprivate mutating func showFailure() {
        let part = Response.make(
            #"{"users": [{"id": 1, "name": "Ada"}, {"id": 2, "na"#,
            isComplete: false
        )
        let error = ApusError(
            .connectionLost(received: 48, expected: 1200, detail: "the server closed it"),
            response: part
        )
        panes.focus = .server
        updateView { view in
            view.cache.content = .missed(.notFound)
            view.server = .make(error)
            view.storage = .notStored(.incomplete)
            view.outcome = .failed
        }
        var run = SingleRun.make(ending: 200)
        run.ending = .failed(error)
        let id = begin(.single(run), "Users/Show user")
        runs.end(id, at: clock.now.uptime - .seconds(1.5))
    }

    fileprivate mutating func showBatch(isRunning: Bool) {
        select("Load the catalogue")
        if layout.arrangement == .single { panes.focus = .server }
        let id = begin(
            .batch(.make(isRunning: isRunning)),
            "Batches/Load the catalogue",
            secondsAgo: 12
        )
        if !isRunning { runs.end(id, at: clock.now.uptime) }
    }

    fileprivate mutating func showWorkers() {
        showBatch(isRunning: true)
        var lanes = WorkerLanes()
        for (place, name) in ["alpha/4711", "beta/833", "gamma.cluster/1"].enumerated() {
            var report = WorkReport(worker: name, instance: name, number: 1)
            (report.running, report.concurrency) = (place == 1 ? 3 : 8, 8)
            report.again = place == 2 ? 100 : 0
            report.results = (0..<400 * (place + 1)).map { index in
                let failure = WorkResult.Failure(
                    name: "timed out",
                    code: 23,
                    reason: 2000,
                    message: "the server did not respond within 10 s"
                )
                return WorkResult(
                    index: index,
                    method: "GET",
                    url: "http://shop.example/products/\(index)",
                    status: index == 17 ? nil : 200,
                    failure: index == 17 ? failure : nil,
                    duration: .milliseconds(3 + index % 40),
                    size: 1200
                )
            }
            lanes.add(report)
        }
        lanes.lose("beta/833")
        runs.update(runs.runs[0].id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.slots = []
            batch.workers = (lanes, "redis://10.0.0.5:6379/0")
            run.state = .batch(batch)
        }
    }

    fileprivate mutating func showChain() {
        select("Sign up")
        if layout.arrangement == .single { panes.focus = .server }
        let steps: [ChainRunState.Step] = [
            .init(
                name: "register",
                title: "POST /users",
                state: .done(status: 201, .milliseconds(48)),
                captures: [.init(name: "id", value: "7")]
            ),
            .init(
                name: "verify",
                title: "POST /users/7/verify",
                state: .done(status: 200, .milliseconds(12))
            ),
            .init(
                name: "profile",
                title: "GET /users/7",
                state: .running(since: clock.now.uptime - .milliseconds(300))
            ),
        ]
        begin(.chain(ChainRunState(steps: steps)), "Chains/Sign up", secondsAgo: 0.4)
    }

    fileprivate mutating func showGraph() {
        select("Sign up")
        panes.focus = .server
        updateView { $0.chosenStep = 4 }
        let steps: [ChainRunState.Step] = [
            .init(
                name: "register",
                title: "POST /register",
                state: .done(status: 201, .milliseconds(48)),
                captures: [.init(name: "id", value: "7"), .init(name: "code", value: "••••••")]
            ),
            .init(
                name: "lamps",
                title: "GET /products",
                state: .done(status: 200, .milliseconds(9)),
                captures: [.init(name: "found", value: "[3]")]
            ),
            .init(
                name: "verify",
                title: "POST /verify",
                state: .running(since: clock.now.uptime - .milliseconds(300))
            ),
            .init(name: "prices", title: "GET /products/1", state: .done(status: nil, .zero)),
            .init(name: "coupon", title: "GET /status/503", state: .failed("503", .zero)),
            .init(name: "order", title: "POST /orders"),
            .init(name: "gift", title: "GET /users/1", state: .skipped(because: "coupon failed")),
            .init(name: "goodbye", title: "GET /me"),
        ]
        let needs = [[], [], [0], [1], [1], [2, 3], [4], [5, 6]]
        let plan = ChainPlan(
            steps.indices.map { index in
                .init(steps[index].name, needs: needs[index].map { steps[$0].name }) { _ in
                    throw CancellationError()
                }
            }
        )
        let layout = try? ChainGraph(plan).layout
        begin(
            .chain(ChainRunState(steps: steps, layout: layout)),
            "Chains/Sign up",
            secondsAgo: 0.4
        )
    }

    fileprivate mutating func showChainPlan() {
        select("Sign up")
        updateView {
            $0.plan = .chain([
                .init(name: "register", title: "POST /users"),
                .init(name: "verify", title: "POST /verify"),
            ])
        }
    }

    fileprivate mutating func showBrokenPlan() {
        select("All statuses")
        updateView {
            $0.plan = .problem(CatalogError("demo.apus.yaml:12:7: {{ user }} is unknown"))
        }
    }

    fileprivate mutating func showFilter() {
        var field = TextField()
        field.paste("order")
        targets.filter = ListFilter(field: field)
        targets.arrange(.make())
    }

    fileprivate mutating func showBusy() {
        showResponses()
        panes.focus = .targets
        session.status = SessionStatus(name: "checkout-bug", count: 14)
        notice = Notice(kind: .information, text: "cache+server: the cache at once, and the server")
        var big = SingleRun.make("/big?megabytes=200")
        big.progress = TransferProgress(bytesReceived: 124_000_000, bytesToReceive: 200_000_000)
        big.rate.record(93_000_000, at: clock.now.uptime - .milliseconds(100))
        big.rate.record(124_000_000, at: clock.now.uptime)
        begin(.single(big), "Orders/Order")
        var stream = SingleRun.make("/stream/100")
        stream.progress = TransferProgress(bytesReceived: 38_000)
        begin(.single(stream), "Orders/List orders")
        begin(.single(.make("/delay/3")), "Users/List users", secondsAgo: 0.3)
        begin(.batch(.make(isRunning: true)), "Batches/Load the catalogue", secondsAgo: 12)
        begin(
            .chain(
                ChainRunState(steps: [
                    .init(
                        name: "register",
                        title: "POST /users",
                        state: .done(status: 201, .milliseconds(48))
                    ),
                    .init(name: "verify", title: "POST /verify", state: .failed("409", .zero)),
                    .init(name: "profile", title: "GET /me", state: .skipped()),
                ])
            ),
            "Chains/Sign up",
            secondsAgo: 0.4
        )
    }

    fileprivate mutating func showBody(_ body: String, _ type: String) {
        panes.focus = .server
        updateView { $0.server = .make(.make(body, type: type)) }
    }

    fileprivate mutating func showWaiting() {
        updateView {
            $0.cache.content = .missed(.expired(since: .sampleNow.addingTimeInterval(-90)))
            $0.server.content = .waiting
        }
        var run = SingleRun.make("/users/7")
        run.progress = TransferProgress(bytesReceived: 400_000, bytesToReceive: 1_000_000)
        begin(.single(run), "Users/Show user", secondsAgo: 1.5)
    }
}

extension SingleRun {
    static func make(_ target: String = "/users/7", ending status: Int? = nil) -> SingleRun {
        var run = SingleRun(method: "GET", target: target)
        if let status {
            run.ending = .answered(status: status, isFromCache: false)
            run.metrics = .make()
        }
        return run
    }
}

extension BatchRunState {
    static func make(isRunning: Bool) -> BatchRunState {
        let titles = (1...1000).map { "GET /products/\($0)" }
        var batch = BatchRunState(
            titles: titles,
            concurrency: 5,
            progress: BatchProgress(
                total: 1000,
                succeeded: isRunning ? 639 : 996,
                failed: isRunning ? 1 : 4
            ),
            slots: []
        )
        batch.bytesReceived = 41_200_000
        let bad: [Int: Result<Response, ApusError>] = [
            12: .success(.make("{}", status: 404)), 100: .success(.make("{}", status: 404)),
            212: .failure(ApusError(.timeout(.waiting, limit: .seconds(1)))),
            500: .success(.make("{}", status: 404)),
        ]
        for index in 0..<(isRunning ? 640 : 1000) {
            let took = Duration.microseconds(8000 + (index * index * 7919) % 40000)
            let status = index % 125 == 7 ? 304 : 200
            let result = bad[index] ?? .success(.make("{}", status: status))
            batch.endings.record(.sample(result, after: took), of: index, title: titles[index])
            batch.latency.record(took)
            batch.course.record(at: .milliseconds(12 * index), took: took, isBad: bad[index] != nil)
        }
        batch.latency.record(.milliseconds(620))
        guard isRunning else { return batch }
        batch.slots = (0..<5).map { slot in
            slot == 3
                ? nil
                : Slot(
                    index: 640 + slot,
                    title: titles[640 + slot],
                    started: .seconds(60) - .milliseconds(100 * (slot + 1)),
                    progress: slot == 1
                        ? TransferProgress(bytesReceived: 41_000, bytesToReceive: 70_000) : nil
                )
        }
        return batch
    }
}
