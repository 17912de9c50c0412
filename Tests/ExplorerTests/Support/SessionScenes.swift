import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal

@testable import Explorer
@testable import Recordings
@testable import TreeView

extension RecordedExchange {
    /// An exchange of the demo's, so many seconds before now.
    static func make(
        _ id: Int64,
        _ target: String? = "Users/Show user",
        _ method: String = "GET",
        _ path: String = "/users/7",
        host: String = "127.0.0.1:8080",
        workspace: String = "demo",
        secondsAgo: Double = 10,
        status: Int? = 200,
        errorCode: Int? = nil,
        source: String? = "server",
        environment: String? = "local",
        milliseconds: Int = 12,
        lasting: Duration? = nil,
        size: Int = 416,
        run: RecordedRun.ID? = nil,
        step: String? = nil,
        isMarked: Bool = false,
        note: String? = nil
    ) -> RecordedExchange {
        let total = Duration.milliseconds(milliseconds)
        return RecordedExchange(
            id: id,
            session: nil,
            started: .sampleNow - secondsAgo,
            duration: lasting ?? total,
            attempts: 1,
            request: ApusError.RequestLine(method: method, url: "http://\(host)\(path)"),
            origin: ExchangeOrigin(
                target: target,
                workspace: workspace,
                environment: environment,
                run: run,
                step: step
            ),
            status: status,
            errorCode: errorCode,
            source: source,
            size: size,
            phases: source == "server"
                ? TransferMetrics.Phases(
                    nameLookup: .zero,
                    connect: total / 10,
                    secureConnect: .zero,
                    preTransfer: total / 10,
                    firstByte: total * 8 / 10,
                    total: total,
                    redirects: .zero
                ) : nil,
            isMarked: isMarked,
            note: note
        )
    }
}

extension HistoryPage {
    /// A page of exchanges, with nothing behind it.
    init(_ exchanges: [RecordedExchange]) {
        self.init()
        entries = exchanges.map { .exchange($0) }
    }

    /// Some lines of the demo's history: of today, of yesterday, and of last year.
    static var sample: HistoryPage {
        var page = HistoryPage()
        let run = RecordedRun.ID(1)
        page.entries = [
            .exchange(.make(12, secondsAgo: 10, milliseconds: 1)),
            .exchange(
                .make(
                    11,
                    "Orders/Order",
                    "PATCH",
                    "/orders/3",
                    secondsAgo: 60,
                    status: 304,
                    size: 0
                )
            ),
            .exchange(
                .make(
                    10,
                    secondsAgo: 90,
                    status: nil,
                    errorCode: 2101,
                    source: nil,
                    environment: "staging",
                    size: 0
                )
            ),
            .run(
                RecordedRun(
                    id: run,
                    kind: .batch,
                    name: "Load the catalogue",
                    environment: "local",
                    started: .sampleNow - 120,
                    ended: .sampleNow - 117.9,
                    total: 83,
                    count: 83,
                    failedCount: 9,
                    size: 39_000
                )
            ),
            .exchange(
                .make(
                    9,
                    "Users/Create user",
                    "POST",
                    "/users",
                    secondsAgo: 90_000,
                    status: 201,
                    isMarked: true
                )
            ),
            .exchange(.make(8, secondsAgo: 90_010, source: "memory", note: "slow today")),
            .exchange(.make(7, secondsAgo: 400 * 86_400, status: 500, milliseconds: 900)),
        ]
        page.errors = [10: "Cannot resolve api.staging.example: no such host"]
        return page
    }
}

extension Model {
    fileprivate mutating func showHistory() {
        session.hasHistory = true
        panes.focus = .progress
        session.append(.sample)
        arrangeSession()
        fitPanes()
    }

    mutating func showSession() {
        showHistory()
        session.status = SessionStatus(name: "checkout-bug", count: 14)
        session.open(
            RecordedRun.ID(1),
            HistoryPage([
                .make(
                    5,
                    "Products/Product 1",
                    "PUT",
                    "/products/1",
                    secondsAgo: 120,
                    run: RecordedRun.ID(1)
                )
            ])
        )
        begin(.single(.make("/stream/100")), "Orders/Order")
    }

    mutating func showSessionFilter() {
        showHistory()
        var field = TextField()
        field.paste("status:5xx user")
        session.filter = ListFilter(field: field)
        session.restart()
        var page = HistoryPage()
        page.entries = [.exchange(.make(7, secondsAgo: 400 * 86_400, status: 500))]
        session.append(page)
    }

    mutating func showThen() {
        showHistory()
        panes.focus = .cache
        func answer(_ body: String) -> Response { .make(body, source: .replay) }
        responses.shown = .exchange(
            OpenedExchange(
                then: .make(8, secondsAgo: 90_010, note: "slow today"),
                thenResult: .success(answer(Scene.cachedBody)),
                request: PreparedRequest(
                    head: HTTPRequest(method: .get, scheme: "http", authority: "h", path: "/")
                ),
                now: .make(12)
            )
        )
        updateShown { view in
            view.cache = .make(answer(Scene.cachedBody))
            view.server = .make(answer(Scene.freshBody))
        }
    }

    mutating func showOverTime() {
        showHistory()
        panes.focus = .server
        var past = PastValues(
            shownPath: "balance",
            path: "$['balance']",
            series: .like(1),
            generation: 1
        )
        let numbers: [Double?] = [98, 98, 120.5, nil, 80]
        past.show(
            numbers.enumerated().map { index, number in
                PastValue(
                    exchange: .make(Int64(20 - index), secondsAgo: Double(index) * 40_000),
                    text: number.map { "\($0)" },
                    number: number
                )
            },
            isWhole: true
        )
        layers.pastValues = past
        fitPanes()
    }

    private mutating func updateShown(_ change: (inout TargetState) -> Void) {
        guard let id = shownItem else { return }
        responses.views.update(id, environment: workspace.environment, change)
    }
}
