import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Secrets
import Terminal
import TreeView
import Workspaces

/// Everything known about a response except its body, as the lines of its tabs; secrets are masked.
struct ResponseDetails {
    typealias Line = ResponsePage.Line

    /// The response; nil if none arrived.
    let response: Response?
    /// The request as sent; for a recorded exchange, the recorded request.
    let request: PreparedRequest?
    /// The fields that the transport adds to the request.
    var addedFields = HTTPFields()
    /// Why there is no response.
    var error: ApusError?
    /// How often the request was sent; 0 if unknown.
    var attempts = 0
    /// Whether the server answered 304: what is stored is still right.
    var isNotModified = false
    /// The recorded exchange; nil if the response is not from the history.
    var exchange: RecordedExchange?
    /// The variables of a recorded request.
    var variables: [String: String] = [:]
    /// For a recorded body that was too large to keep: its size, and its SHA-256 if known.
    var unkeptSize: Int?
    var unkeptDigest: String?
    /// When a recorded request was sent, as text.
    var sent: String?
    /// How long the exchange took in all; nil if it has not ended or is not known.
    var duration: Duration?
    /// What came of what is expected of the response; nil if it was not checked.
    var checked: CheckedResponse?
    /// Whether something is expected of it, and the key that expects more.
    var isExpecting = false
    var expectKey: String?
    /// Whether the tab with it is there.
    var hasExpectations = false
    /// Whether all fields of the certificates are shown, and the key that shows or hides them.
    var showsAllFields = false
    var allFieldsKey: String?
    /// The time from which the remaining days of a certificate are counted.
    var now: Date

    /// The lines of a tab.
    func lines(of tab: ResponseTab) -> [Line] {
        let parts: [[Line]] =
            switch tab {
            case .body: []
            case .expectations: expectations
            case .headers: [responseLines, coding, trailers, redirects]
            case .cookies: cookies
            case .timing: [timing, connection, storage]
            case .tls: tls
            case .request: [requestLines, requestBody, history]
            case .raw: raw
            }
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [Line(kind: .blank)]))
    }

    /// The number of items that a tab lists.
    var counts: [ResponseTab: Int] {
        let expected = hasExpectations ? [ResponseTab.expectations: checked?.items.count ?? 0] : [:]
        guard let response else { return expected }
        return expected.merging([
            .headers: response.head.headerFields.count,
            .cookies: (response.redirects.map(\.fields) + [response.head.headerFields])
                .reduce(0) { $0 + $1[values: .setCookie].count },
        ]) { $1 }
    }

    func fact(_ name: String, _ text: String?) -> [Line] {
        text.map { [Line(kind: .fact, name: name, text: $0)] } ?? []
    }

    func title(_ text: String) -> Line { Line(kind: .title, name: text) }

    func remark(_ text: String) -> [Line] { [Line(kind: .remark, text: text)] }

    /// The fields with secrets masked; in cookies only the values are.
    private func lines(of fields: HTTPFields) -> [Line] {
        zip(fields, mask.masking(fields)).map { field, masked in
            let isHidden = field.value != masked.value
            let text = isHidden ? cookieText(of: field) ?? masked.value : masked.value
            return Line(kind: .fact, name: field.name.rawName, text: text)
        }
    }

    /// `session=••••••; Path=/; HttpOnly`; nil for other fields.
    private func cookieText(of field: HTTPField) -> String? {
        guard field.name == .setCookie || field.name == .cookie else { return nil }
        let parts = field.value.split(separator: ";", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            let isAttribute = index > 0 && field.name == .setCookie
            guard !isAttribute, let sign = part.firstIndex(of: "=") else {
                return mask.masking(line: String(part))
            }
            return mask.masking(line: String(part[...sign])) + CredentialMask.mask
        }.joined(separator: ";")
    }

    private var mask: CredentialMask { request?.mask ?? CredentialMask() }

    var metrics: TransferMetrics? { response?.metrics.map { mask.masking($0) } }

    // MARK: Headers

    private var responseLines: [Line] {
        guard let response else {
            if isNotModified { return notModified }
            guard let error else { return [] }
            return [title("No response")]
                + fact("error", mask.masking(line: error.errorDescription ?? ""))
        }
        let size = Readable.bytes(unkeptSize ?? recordedSize ?? response.body.count)
        let lack = unkeptSize != nil ? ", not kept" : response.isComplete ? "" : ", incomplete"
        return [title(statusLine(of: response))]
            + lines(of: response.head.headerFields)
            + [Line(kind: .blank), title("Body")]
            + fact("size", size + lack)
            + fact("SHA-256", unkeptDigest)
    }

    /// The size that the body had when it came; what the history keeps may be longer or shorter, because its
    /// secrets are masked.
    private var recordedSize: Int? {
        exchange.flatMap { response?.isComplete == true ? $0.size : nil }
    }

    private var notModified: [Line] {
        [title("304 Not Modified")]
            + remark(
                "The stored response is still valid; its header fields include those received."
            )
    }

    private func statusLine(of response: Response) -> String {
        let version = response.metrics?.negotiatedVersion.map { "HTTP/\($0) " } ?? ""
        return "\(version)\(response.status) \(response.phrase)"
    }

    /// Why the body is shown as it came.
    private var coding: [Line] {
        guard let reason = metrics?.undecoded else { return [] }
        return [title("Body as received")] + remark("\(mask.masking(text: reason)).")
    }

    private var trailers: [Line] {
        guard let irregular = metrics?.irregularHeaderLines, !irregular.isEmpty else { return [] }
        return [title("Trailers, and lines that are not header fields")]
            + irregular.map { Line(kind: .text, text: $0) }
    }

    private var redirects: [Line] {
        guard let hops = metrics?.redirects, !hops.isEmpty else { return [] }
        let parts = hops.enumerated().map { index, hop in
            [title("Redirect \(index + 1): \(HTTPStatus(hop.status).description)")]
                + fact("from", hop.url.isEmpty ? nil : hop.url)
                + fact("to", hop.location)
                + fact("", hop.withheldText.map { mask.masking(line: $0) })
                + lines(of: hop.fields)
        }
        return Array(parts.joined(separator: [Line(kind: .blank)]))
    }

    // MARK: Cookies

    private var cookies: [[Line]] {
        // Not the masked fields of `metrics`, which hide the names of cookies too.
        let hops = (response?.redirects ?? []).enumerated().map { index, hop in
            let from = hop.url.isEmpty ? "" : ", \(mask.masking(url: hop.url))"
            return setCookies(by: hop.fields, "Set by redirect \(index + 1): \(hop.status)\(from)")
        }
        let last = setCookies(by: response?.head.headerFields ?? [:], "Set by the response")
        let set = (hops + [last]).filter { !$0.isEmpty }
        let pairs = lines(of: request?.head.headerFields ?? [:])
            .filter { $0.name.asciiLowercased == "cookie" }.flatMap {
                $0.text.split(separator: ";")
            }
        let nothing =
            hops.isEmpty
            ? "The response sets no cookies." : "Neither the response nor a redirect sets cookies."
        return (set.isEmpty ? [remark(nothing)] : set) + [
            pairs.isEmpty
                ? []
                : [title("Sent with the request")] + pairs.flatMap { pair($0, alone: "") }
        ]
    }

    /// The cookies that a hop sets, under a title; empty if it sets none.
    private func setCookies(by fields: HTTPFields, _ name: String) -> [Line] {
        let set = lines(of: fields).filter { $0.name.asciiLowercased == "set-cookie" }.flatMap {
            line in
            let parts = line.text.split(separator: ";", omittingEmptySubsequences: false)
            return pair(parts.first ?? "", alone: "")
                + parts.dropFirst().flatMap { pair($0, alone: "yes", indent: "  ") }
        }
        return set.isEmpty ? [] : [title(name)] + set
    }

    private func pair(_ text: Substring, alone: String, indent: String = "") -> [Line] {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = (parts.first ?? "").drop { $0 == " " }
        guard !name.isEmpty else { return [] }
        return fact(indent + name, parts.count > 1 ? String(parts[1]) : alone)
    }

    // MARK: Timing

    private var timing: [Line] {
        guard let phases = response?.metrics?.phases ?? exchange?.phases else {
            guard let duration = wholeDuration else { return remark("No timing is available.") }
            return [title("Where the time went")] + fact("total", Readable.duration(duration))
        }
        let whole = max(phases.total, wholeDuration ?? .zero)
        let total = whole / .seconds(1)
        var start = phases.redirects / .seconds(1)
        let hops = start > 0 && total > 0
        let rest = whole - phases.total
        return [title("Where the time went")]
            + (hops ? [bar("redirects", phases.redirects, from: 0, of: total)] : [])
            + TransferPhase.parts(of: phases).map { phase -> Line in
                defer { start += phase.duration / .seconds(1) }
                return bar(phase.name, phase.duration, from: start, of: total)
            }
            + (rest >= TransferPhase.shortest
                ? [bar("elsewhere", rest, from: phases.total / .seconds(1), of: total)] : [])
            + fact("total", Readable.duration(whole))
            + (rest >= TransferPhase.shortest ? remark(elsewhere) : [])
            + unverified
    }

    /// The time of the whole exchange, which is that of the title and of the session's row.
    private var wholeDuration: Duration? { duration ?? exchange?.duration }

    /// What the time outside of the last transfer was for.
    private var elsewhere: String {
        max(attempts, exchange?.attempts ?? 0) > 1
            ? "Elsewhere: earlier attempts and the waits between them, preparing and storing."
            : "Elsewhere: preparing the request, waiting for a turn, storing the response."
    }

    private func bar(
        _ name: String,
        _ time: Duration,
        from start: Double,
        of total: Double
    ) -> Line {
        let text = Readable.duration(time)
        guard total > 0 else { return Line(kind: .fact, name: name, text: text) }
        let low = min(1, max(0, start / total))
        let high = min(1, max(low, (start + time / .seconds(1)) / total))
        return Line(kind: .fact, name: name, text: text, bar: low...high)
    }

    private var connection: [Line] {
        guard let metrics else { return [] }
        let attempts = max(attempts, exchange?.attempts ?? 0)
        return [title("Connection")]
            + fact("version", metrics.negotiatedVersion.map { "HTTP/\($0)" })
            + fact("server", metrics.remoteAddress)
            + fact("connection", metrics.reusedConnection ? "used before" : "new")
            + fact("attempts", attempts > 0 ? "\(attempts)" : nil)
            + metrics.redirects.flatMap {
                fact("redirect", "\($0.status) to \($0.location)")
            }
            + fact("answered by", metrics.redirects.isEmpty ? nil : metrics.effectiveURL)
            + fact("sent", bytes(metrics.bytesSent))
            + fact("received", bytes(metrics.bytesReceived))
    }

    private var storage: [Line] {
        guard let decision = response?.decision else { return [] }
        return [title("Cache")] + fact("decision", mask.masking(line: decision.description))
    }

    private func bytes(_ count: Int) -> String? { count > 0 ? Readable.bytes(count) : nil }

    // MARK: Request

    private var requestLines: [Line] {
        guard let request else { return remark("The request is not known.") }
        let masked = mask.maskingParts(of: request)
        let isFromCache = response?.source.cacheHit != nil && exchange == nil
        return (isFromCache ? remark("The cache answered: it was not sent.") : [])
            + [title("\(masked.head.method.rawValue) \(masked.url)")]
            + lines(of: request.head.headerFields)
            + lines(of: addedFields)
    }

    /// The most bytes of a request's body that are shown.
    private static let shownBody = 256 << 10

    private var requestBody: [Line] {
        guard let request else { return [] }
        switch mask.maskingParts(of: request).body {
        case .none: return []
        case .bytes(let bytes):
            guard !bytes.isEmpty else { return [] }
            let size = Readable.bytes(bytes.count)
            guard let text = String(validating: bytes.prefix(Self.shownBody), as: UTF8.self) else {
                return fact("body", "\(size) of binary data")
            }
            let isCut = bytes.count > Self.shownBody
            return [title("Body, \(size)\(isCut ? ", truncated" : "")")]
                + [Line(kind: .text, text: text)]
        case .file(let path): return fact("body", "the file \(mask.masking(line: path))")
        case .multipart: return fact("body", "a multipart form")
        case .stream: return fact("body", "a stream")
        }
    }

    private var history: [Line] {
        guard let exchange else { return [] }
        return [title("Exchange \(exchange.id)")]
            + fact("sent", sent)
            + fact("target", exchange.origin.target)
            + fact("environment", exchange.origin.environment)
            + fact("step", exchange.origin.step)
            + fact("attempts", exchange.attempts > 1 ? "\(exchange.attempts)" : nil)
            + fact("source", exchange.source)
            + fact("note", exchange.note)
            + variables.sorted { $0.key < $1.key }.flatMap { fact("variable", "\($0)=\($1)") }
    }

    // MARK: Raw

    private var raw: [[Line]] {
        if let trace = metrics?.trace, !trace.isEmpty {
            return [
                trace.map { entry in
                    let sign =
                        switch entry.kind {
                        case .remark: "* "
                        case .headerOut: "> "
                        case .headerIn: "< "
                        }
                    return Line(
                        kind: entry.kind == .remark ? .remark : .text,
                        text: sign + entry.text
                    )
                }
            ]
        }
        let note =
            "No wire trace was recorded; `trace: true` in the target records one. The known parts:"
        return [remark(note), rawRequest, rawResponse]
    }

    private var rawRequest: [Line] {
        guard let request else { return [] }
        let masked = mask.maskingParts(of: request)
        let version = metrics?.negotiatedVersion ?? "1.1"
        let first = "> \(masked.head.method.rawValue) \(masked.head.path ?? "/") HTTP/\(version)"
        let fields = lines(of: request.head.headerFields) + lines(of: addedFields)
        return ([first] + fields.map { "> \($0.name): \($0.text)" })
            .map { Line(kind: .text, text: $0) }
    }

    private var rawResponse: [Line] {
        guard let response else { return [] }
        return
            (["< \(statusLine(of: response))"]
            + lines(of: response.head.headerFields).map { "< \($0.name): \($0.text)" }
            + (metrics?.irregularHeaderLines ?? []).map { "< \($0)" })
            .map { Line(kind: .text, text: $0) }
    }
}

extension Response {
    /// The server's reason phrase, or the standard one: HTTP/2 has none.
    var phrase: String {
        reasonPhrase.isEmpty ? HTTPStatus(status).phrase ?? "" : reasonPhrase
    }
}

extension Model {
    /// The side that a key about a response applies to: the focused one, or the one that has a response.
    var responseSide: PaneSide {
        if let focusedSide = panes.focusedSide { return focusedSide }
        guard let view = selectedView else { return .server }
        return view.server.hasResponse || !view.cache.hasResponse ? .server : .cache
    }

    /// What is known about a side's response; nil if there is none.
    func responseDetails(_ side: PaneSide) -> ResponseDetails? {
        guard let view = selectedView else { return nil }
        if let opened = responses.opened, side == .cache || view.server.response?.source == .replay
        {
            let isThen = side == .cache
            guard let exchange = isThen ? opened.then : opened.now else { return nil }
            let result = isThen ? opened.thenResult : opened.nowResult
            let days = DayNames(now: clock.now.wall, zone: clock.zone)
            return ResponseDetails(
                response: result?.response,
                request: isThen ? opened.request : result?.response?.request,
                error: result.flatMap { if case .failure(let error) = $0 { error } else { nil } },
                exchange: exchange,
                variables: isThen ? opened.variables : [:],
                unkeptSize: isThen ? opened.thenUnkeptSize : opened.nowUnkeptSize,
                unkeptDigest: isThen ? opened.thenUnkeptDigest : opened.nowUnkeptDigest,
                sent: days.time(of: exchange.started),
                showsAllFields: view[side].showsAllFields,
                allFieldsKey: keys.hint(for: .showAllFields, in: [.page])?.key,
                now: clock.now.wall
            )
        }
        guard view[side].hasResponse else { return nil }
        let response = view[side].response
        let isServer = side == .server
        let request = response?.request ?? (isServer ? view.sentRequest : nil)
        return ResponseDetails(
            response: response,
            request: request,
            addedFields: isServer ? request.map(responses.addedFields) ?? [:] : [:],
            error: view[side].failure,
            attempts: isServer ? view.attempts : 0,
            isNotModified: view[side].isNotModified,
            duration: isServer ? view.duration : nil,
            checked: view[side].checked,
            isExpecting: view.checkedTarget != nil,
            expectKey: workspace.catalog?.source.changeRefusal == nil && responses.showsSelection
                ? keys.hint(for: .expect, in: [.page])?.key : nil,
            hasExpectations: view[side].checked != nil || view[side].tab == .expectations,
            showsAllFields: view[side].showsAllFields,
            allFieldsKey: keys.hint(for: .showAllFields, in: [.page])?.key,
            now: clock.now.wall
        )
    }
}
