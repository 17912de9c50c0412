import Apus
import Recordings
import Terminal

/// An exchange of the history, and a later one beside it.
struct OpenedExchange: Sendable {
    /// The exchange that was opened.
    var then: RecordedExchange
    /// Its result.
    var thenResult: Result<Response, ApusError>
    /// The size of its body, if that was too large to be kept.
    var thenUnkeptSize: Int?
    /// The SHA-256 of that body, if it is known.
    var thenUnkeptDigest: String?
    /// Why its body is missing, in words after “the body is”; nil for one that was too large to keep.
    var thenAbsence: String?
    /// The request as it was sent, secrets masked.
    var request: PreparedRequest
    /// The variables that the request was made with, secrets masked.
    var variables: [String: String] = [:]
    /// The later exchange; nil if there is none.
    var now: RecordedExchange?
    /// The result of the later exchange.
    var nowResult: Result<Response, ApusError>?
    var nowUnkeptSize: Int?
    var nowUnkeptDigest: String?
    var nowAbsence: String?
    /// The sides whose bodies are still where their sessions were pulled from.
    var remoteSides: Set<PaneSide> = []
    /// Whether the second one was chosen too, and is not just the latest.
    var isPair = false

    /// The ID of its panes, which no target has.
    var item: CatalogID { CatalogID("exchange \(then.id)") }
}

extension OpenedExchange {
    fileprivate mutating func set(then whole: ExchangeDetails) {
        (then, thenResult) = (whole.exchange, whole.result)
        (thenUnkeptSize, thenUnkeptDigest) = (whole.unkeptSize, whole.unkeptDigest)
        thenAbsence = whole.absence
    }

    fileprivate mutating func set(now whole: ExchangeDetails) {
        (now, nowResult) = (whole.exchange, whole.result)
        (nowUnkeptSize, nowUnkeptDigest) = (whole.unkeptSize, whole.unkeptDigest)
        nowAbsence = whole.absence
    }
}

extension HistoryRunner {
    /// Opens an exchange as `open` does, and then fetches its bodies that are not here.
    nonisolated static func show(
        _ exchange: RecordedExchange,
        beside neighbor: HistoryEffect.Neighbor,
        _ comparing: Bool,
        in history: History,
        _ send: @Sendable (HistoryMessage) -> Void
    ) async throws(RecordingError) {
        let message = try await open(exchange, beside: neighbor, comparing, in: history)
        guard case .opened(var opened, let comparing) = message, !opened.remoteSides.isEmpty else {
            return send(message)
        }
        // Nobody waits for a network; two bodies are compared once both are there.
        var first = opened
        let fetching = " and is being fetched"
        if first.remoteSides.contains(.cache) { first.thenAbsence?.append(fetching) }
        if first.remoteSides.contains(.server) { first.nowAbsence?.append(fetching) }
        send(.opened(first, comparing: false))
        if let whole = try await history.fetchedExchange(opened.then.id) { opened.set(then: whole) }
        if let now = opened.now, let whole = try await history.fetchedExchange(now.id) {
            opened.set(now: whole)
        }
        if !Task.isCancelled { send(.fetched(opened, comparing: comparing)) }
    }

    /// Reads an exchange, or the one before or after it, and the one to show beside it.
    nonisolated static func open(
        _ exchange: RecordedExchange,
        beside neighbor: HistoryEffect.Neighbor,
        _ comparing: Bool,
        in history: History
    ) async throws(RecordingError) -> HistoryMessage {
        let series = ExchangeSeries(exchange)
        var (then, now): (RecordedExchange, RecordedExchange?) = (exchange, nil)
        switch neighbor {
        case .none: break
        case .latest:
            now = try await history.exchanges(in: series, limit: 1).first
            if now?.id == exchange.id { now = nil }
        case .exchange(let other):
            (then, now) = other.id < exchange.id ? (other, exchange) : (exchange, other)
        case .older:
            let older = try await history.exchanges(in: series, before: exchange.id, limit: 1)
            guard let first = older.first else { return .notice(end("there is no older response")) }
            (then, now) = (first, exchange)
        case .newer:
            guard let newer = try await history.exchange(in: series, after: exchange.id),
                let next = try await history.exchange(in: series, after: newer.id)
            else { return .notice(end("there is no newer response")) }
            (then, now) = (newer, next)
        }
        guard let whole = try await history.readableExchange(then.id) else {
            return .notice(end("it is no longer in the history"))
        }
        var opened = OpenedExchange(
            then: whole.exchange,
            thenResult: whole.result,
            request: whole.request,
            variables: whole.variables
        )
        opened.set(then: whole)
        if whole.remoteBody != nil { opened.remoteSides.insert(.cache) }
        if let now, let later = try await history.readableExchange(now.id) {
            opened.set(now: later)
            if later.remoteBody != nil { opened.remoteSides.insert(.server) }
            if case .exchange = neighbor {
                opened.isPair = true
            } else {
                // One step back from the latest, the right one is no longer the latest itself.
                let latest = try await history.exchanges(in: series, limit: 1).first
                opened.isPair = latest.map { $0.id != now.id } ?? false
            }
        }
        return .opened(opened, comparing: comparing && opened.now != nil)
    }
}
