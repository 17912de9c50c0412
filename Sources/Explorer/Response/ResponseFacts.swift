import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal
import TreeView

/// The row of facts above a body: freshness, version, etag, content type, size.
struct ResponseFacts {
    let pane: ResponsePane

    private var look: Look { pane.look }
    /// With little room the gauge has half of its pips, so that the size fits.
    private func pipCount(in row: Rect) -> Int { row.columns < 36 ? 4 : 8 }

    func draw(in row: Rect, into grid: inout Grid) {
        guard let response = pane.pane.response, !row.isEmpty else { return }
        var row = row
        if let hit = response.source.cacheHit {
            let freshness = ShownFreshness(response, hit, now: pane.model.clock.now.wall)
            guard !response.isRevalidated else {
                drawRevalidated(response, hit, in: row, into: &grid)
                return
            }
            row = row.inset(left: draw(freshness, in: row, into: &grid))
        }
        FittingLine(
            leading: pieces(of: response).map { StyledText($0, look[.textMuted]) },
            trailing: receivedSize(of: response).map { StyledText($0, look[.text]) }
        ).draw(in: row, into: &grid)
    }

    /// The size of the body; while it is being received, how much there is, how fast, and how long it takes.
    private func receivedSize(of response: Response) -> [String] {
        guard pane.pane.isReceiving else { return [pane.pane.sizeText(of: response)] }
        if let item = pane.model.shownItem,
            case .single(let single)? = pane.model.runs.latest(
                of: item,
                in: pane.model.workspace.environment
            )?.state,
            let progress = single.progress, progress.bytesToReceive ?? 0 > 0
        {
            let rate = single.rate.bytesPerSecond
            let left = ProgressText.remaining(progress, rate: rate)
            return [
                left.map { "\(ProgressText.elapsed($0)) left" }, rate.map(Readable.rate),
                ProgressText.amount(progress),
            ].compactMap(\.self)
        }
        let size = Readable.bytes(response.body.count)
        let isHeld = response.body.count >= LiveBody.limit
        return [isHeld ? "the first \(size)" : "\(size) so far"]
    }

    /// Draws `revalidated 3 s ago`, and the other facts.
    private func drawRevalidated(
        _ response: Response,
        _ hit: CacheHit,
        in row: Rect,
        into grid: inout Grid
    ) {
        let age = Readable.age(
            .seconds(max(0, pane.model.clock.now.wall.timeIntervalSince(hit.read)))
        )
        FittingLine(
            leading: [StyledText("revalidated", look[.freshnessFresh])]
                + ([age] + pieces(of: response)).map { StyledText($0, look[.textMuted]) },
            trailing: [StyledText(pane.pane.sizeText(of: response), look[.text])]
        ).draw(in: row, into: &grid)
    }

    /// Draws `fresh ▰▰▱▱▱▱▱▱ 58 s left`; returns the columns used.
    private func draw(
        _ freshness: ShownFreshness,
        in row: Rect,
        into grid: inout Grid
    ) -> Int {
        let style = look[freshness.isFresh ? .freshnessFresh : .freshnessStale]
        var x = row.x
        x += grid.draw(
            freshness.isFresh ? "fresh " : "stale ",
            x: x,
            y: row.y,
            width: row.columns,
            style: style
        )
        let pips = Rect(
            x: x,
            y: row.y,
            columns: min(pipCount(in: row), max(0, row.maxX - x)),
            rows: 1
        )
        let fraction =
            freshness.left.map { freshness.lifetime > 0 ? $0 / freshness.lifetime : 0 } ?? 1
        Gauge.drawPips(fraction: fraction, in: pips, into: &grid, look: look, fill: style)
        x = pips.maxX + 1
        // As wide as the widest text, so that the following facts stay in place.
        let text = TextWidth.padded(freshnessText(freshness.left), to: 12)
        x += grid.draw(text, in: row.from(x: x), style: look[.text])
        return min(row.columns, x + 1 - row.x)
    }

    private func freshnessText(_ left: Double?) -> String {
        guard let left else { return "forever" }
        if left > 0 { return Readable.remaining(.seconds(left.rounded(.up))) }
        return "for \(Readable.duration(.seconds(max(1, -left))))"
    }

    private func pieces(of response: Response) -> [String] {
        let isCached = response.source.cacheHit != nil
        let type = shownType(of: response)
        let tag = response.head.headerFields[.eTag].map { "etag \($0)" }
        let version = response.metrics?.negotiatedVersion.map { "HTTP/\($0)" }
        let encoding = response.head.headerFields[.contentEncoding]
        let redirects = response.metrics?.redirects.count ?? 0
        let hops = redirects > 0 ? (redirects == 1 ? "1 redirect" : "\(redirects) redirects") : nil
        let withheld = response.withheldTexts.first
        // Facts that both responses share are shown only for the server's, which has room.
        // A body that is not what its field says is not what a reader expects.
        let isUndecoded = response.undecodedReason != nil
        let doubt: String? = isUndecoded ? "not decoded: \(encoding ?? "")" : nil
        let coding = isUndecoded ? nil : encoding
        let all: [String?] =
            isCached ? [type, doubt] : [version, withheld, doubt, type, tag, hops, coding]
        // If bytes are shown, their type is more important than the version.
        return (showsBytes ? [type] + all.filter { $0 != type } : all).compactMap(\.self)
    }

    /// The media type without "application/": "json".
    private func shownType(of response: Response) -> String? {
        guard let type = response.mediaType else { return nil }
        let short = type.hasPrefix("application/") ? String(type.dropFirst(12)) : type
        return showsBytes ? "\(short), as bytes" : short
    }

    private var showsBytes: Bool {
        let document = pane.pane.document
        return document.body?.form == .hex && !document.showsPicture
    }
}

extension ResponseState {
    /// The size of the response's body, as it was when it came.
    func sizeText(of response: Response) -> String {
        guard response.isComplete, let recordedSize else { return response.receivedSize }
        return Readable.bytes(recordedSize)
    }
}

extension Response {
    /// The size of its body; for an incomplete one, the part that arrived.
    var receivedSize: String {
        guard !isComplete else { return Readable.bytes(body.count) }
        guard let announced else { return "\(Readable.bytes(body.count)), incomplete" }
        return Readable.part(body.count, of: announced)
    }

    /// The size that the server announced; nil if there is none, it counts encoded bytes, or no more than arrived.
    var announced: Int? {
        guard head.headerFields[.contentEncoding] == nil,
            let size = head.headerFields[.contentLength].flatMap({ Int($0) }), size > body.count
        else { return nil }
        return size
    }
}

/// The freshness of a cached response, as its pane shows it.
struct ShownFreshness {
    /// Seconds until it is stale, negative if it is stale; nil if it never will be.
    let left: Double?
    /// Seconds for which it is fresh in all; 0 if that is not known.
    let lifetime: Double

    var isFresh: Bool { left.map { $0 > 0 } ?? true }

    /// Uses the decision by the rules of HTTP if there is one, else the expiry of the entry.
    init(_ response: Response, _ hit: CacheHit, now: Date) {
        guard let decision = response.decision else {
            left = hit.expires.map { $0.timeIntervalSince(now) }
            lifetime = hit.expires.map { $0.timeIntervalSince(hit.stored) } ?? 0
            return
        }
        var (left, lifetime) = (0.0, 0.0)
        for finding in decision.findings {
            switch finding {
            case .freshFor(let time): left = time / .seconds(1)
            case .staleness(let time): left = -(time / .seconds(1))
            case .lifetime(let time, _): lifetime = time / .seconds(1)
            default: break
            }
        }
        self.left = left - max(0, now.timeIntervalSince(hit.read))
        self.lifetime = lifetime
    }
}
