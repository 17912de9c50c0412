import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal

/// All that is known of an answer beside its body: the request as it was sent, redirects, the head, where the
/// time went, who answered; secrets masked.
struct AnswerDetails {
    /// A line of the page.
    struct Line: Equatable {
        enum Kind: Equatable {
            case title
            /// A name and what it says.
            case fact
            case blank
        }
        var kind: Kind
        var name = ""
        var text = ""
    }

    /// The answer, or nil if none came.
    let response: Response?
    /// The request as it was sent; of a recorded one that of the record.
    let request: PreparedRequest?
    /// Why there is no answer.
    var error: ApusError?
    /// What the history says of it; nil for an answer of this program.
    var exchange: RecordedExchange?
    /// The variables that the request was made of, of a recorded one.
    var variables: [String: String] = [:]
    /// Of a recorded one whose body was too large to be kept: its size, and its SHA-256 if that is known.
    var unkeptSize: Int?
    var unkeptDigest: String?
    /// When a recorded one was sent, in words.
    var sent: String?

    /// The page's lines.
    var lines: [Line] {
        [history, requestLines, redirects, answer, timing, certificates]
            .filter { !$0.isEmpty }
            .joined(separator: [Line(kind: .blank)])
            .map { $0 }
    }

    private func fact(_ name: String, _ text: String?) -> [Line] {
        text.map { [Line(kind: .fact, name: name, text: $0)] } ?? []
    }

    private func title(_ text: String) -> Line { Line(kind: .title, text: text) }

    private var mask: CredentialMask { request?.mask ?? CredentialMask() }

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

    private var requestLines: [Line] {
        guard let request else { return [] }
        let masked = mask.maskingParts(of: request)
        return [title("Request")] + fact(masked.head.method.rawValue, masked.url)
            + lines(of: masked.head.headerFields) + fact("body", body(of: masked.body))
    }

    private func body(of body: PreparedRequest.Body) -> String? {
        switch body {
        case .none: nil
        case .bytes(let bytes): bytes.isEmpty ? nil : Readable.bytes(bytes.count)
        case .file(let path): "the file \(path)"
        case .multipart: "a form in parts"
        case .stream: "a stream"
        }
    }

    private func lines(of fields: HTTPFields) -> [Line] {
        fields.map { field in
            Line(kind: .fact, name: field.name.rawName, text: field.value)
        }
    }

    private var redirects: [Line] {
        guard let hops = response?.metrics.map({ mask.masking($0).redirects }), !hops.isEmpty else {
            return []
        }
        return [title("Redirects")]
            + hops.flatMap { hop in
                fact("\(hop.status)", "\(hop.url) → \(hop.location)")
                    + fact("", hop.withheldText)
            }
    }

    private var answer: [Line] {
        guard let response else {
            guard let error else { return [] }
            return [title("No answer")]
                + fact("error", mask.masking(line: error.errorDescription ?? ""))
        }
        let version = response.metrics?.negotiatedVersion.map { "HTTP/\($0) " } ?? ""
        let size = Readable.bytes(unkeptSize ?? response.body.count)
        let lack = unkeptSize != nil ? ", not kept" : response.isComplete ? "" : ", incomplete"
        return [title("Answer")]
            + fact("status", "\(version)\(response.status) \(response.reasonPhrase)")
            + lines(of: mask.masking(response.head.headerFields))
            + fact("body", size + lack)
            + fact("SHA-256", unkeptDigest)
            + fact("cache", response.decision.map { mask.masking(line: $0.description) })
    }

    private var timing: [Line] {
        let phases = response?.metrics?.phases ?? exchange?.phases
        guard let phases else { return [] }
        let metrics = response?.metrics
        return [title("Transfer")]
            + TransferPhase.parts(of: phases).flatMap {
                fact($0.name, Readable.duration($0.duration))
            }
            + fact("total", Readable.duration(phases.total))
            + fact("sent", bytes(metrics?.bytesSent))
            + fact("received", bytes(metrics?.bytesReceived))
            + fact("server", metrics?.remoteAddress)
            + fact("connection", metrics.map { $0.reusedConnection ? "used before" : "new" })
    }

    private func bytes(_ count: Int?) -> String? {
        count.flatMap { $0 > 0 ? Readable.bytes($0) : nil }
    }

    private var certificates: [Line] {
        guard let chain = response?.metrics?.certificates, !chain.isEmpty else { return [] }
        return chain.enumerated().flatMap { index, certificate in
            [title(index == 0 ? "Certificate" : "Issued by")]
                + certificate.fields.filter { !$0.value.contains("BEGIN CERTIFICATE") }
                .flatMap { fact($0.name, $0.value) }
        }
    }

    /// The lines, each no wider than so many columns.
    func lines(columns: Int) -> [Line] {
        let start = Self.nameColumns(columns)
        return lines.flatMap { line -> [Line] in
            guard line.kind == .fact else { return [line] }
            let texts = Paragraph.wrap(line.text, columns: max(8, columns - start), rows: 100)
            return texts.enumerated().map { index, text in
                Line(kind: .fact, name: index == 0 ? line.name : "", text: text)
            }
        }
    }

    /// The columns of the names.
    static func nameColumns(_ columns: Int) -> Int { min(28, columns / 3) }
}

extension Model {
    /// The details of the answer that has the focus, or of the server's; nil if there is none.
    var answerDetails: AnswerDetails? {
        guard let view = selectedView else { return nil }
        let hasServer = view.server.response != nil || view.server.failure != nil
        let side = focusedSide ?? (hasServer ? .server : .cache)
        if let opened, side == .cache || view.server.response?.source == .replay {
            let isThen = side == .cache
            guard let exchange = isThen ? opened.then : opened.now else { return nil }
            let result = isThen ? opened.thenResult : opened.nowResult
            let days = DayNames(now: now.wall, zone: timeZone)
            return AnswerDetails(
                response: result?.response,
                request: isThen ? opened.request : result?.response?.request,
                error: result.flatMap { if case .failure(let error) = $0 { error } else { nil } },
                exchange: exchange,
                variables: isThen ? opened.variables : [:],
                unkeptSize: isThen ? opened.thenUnkeptSize : opened.nowUnkeptSize,
                unkeptDigest: isThen ? opened.thenUnkeptDigest : opened.nowUnkeptDigest,
                sent: days.time(of: exchange.started)
            )
        }
        let error = view[side].failure
        guard view[side].response != nil || error != nil else { return nil }
        let response = view[side].response
        return AnswerDetails(response: response, request: response?.request, error: error)
    }
}
