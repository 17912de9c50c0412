import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal

/// Prints everything that the history has of an exchange.
struct ExchangePrinter {
    let whole: ExchangeDetails
    /// The name of its session; nil if it has none.
    let session: String?

    private var exchange: RecordedExchange { whole.exchange }

    private var requestBody: ResponseBody {
        if case .bytes(let bytes) = whole.request.body { .bytes(bytes) } else { .bytes([]) }
    }

    /// The response, with the server as its source if it came from there.
    private var response: Response? {
        whole.response.map { response in
            var response = response
            // The history keeps the source as a word. Only a response from the server has timings.
            if exchange.source == "server" { response.source = .server }
            return response
        }
    }

    // MARK: for people

    /// Prints the facts, then the request and the response in HTTP form; on a terminal JSON is indented.
    func print() throws {
        try text(facts.map { "\($0)\n" }.joined() + "\n")
        let fields = whole.request.head.headerFields
        try text("\(exchange.request)\n" + Self.lines(of: fields) + "\n")
        try print(requestBody)
        if !requestBody.isEmpty { try text("\n") }
        guard let response else { return }
        for interim in response.metrics?.interimResponses ?? [] {
            try text(head(interim, of: response))
        }
        let malformed = response.metrics?.malformedHeaderLines ?? []
        try text(head(response.head, of: response, malformed))
        if let size = whole.unkeptSize {
            let digest = whole.unkeptDigest.map { ", SHA-256 \($0)" } ?? ""
            let reason = whole.absence ?? "too large to be kept"
            try text("(\(Readable.bytes(size)): \(reason.inOneLine)\(digest))\n")
        } else {
            try print(response.body)
        }
        let trailers = response.metrics?.trailers ?? []
        if !trailers.isEmpty {
            try text("\n" + trailers.map { "\($0.inOneLine)\n" }.joined())
        }
    }

    /// A head in lines, with those lines at its end that are not fields, and an empty line.
    private func head(
        _ head: HTTPResponse,
        of response: Response,
        _ malformed: [String] = []
    ) -> String {
        let version = response.metrics?.negotiatedVersion ?? "1.1"
        let reason = head.status.reasonPhrase
        return "HTTP/\(version) \(head.status.code)\(reason.isEmpty ? "" : " \(reason)")\n"
            + Self.lines(of: head.headerFields) + malformed.map { "\($0.inOneLine)\n" }.joined()
            + "\n"
    }

    private var facts: [String] {
        let origin = exchange.origin
        let style = Date.ISO8601FormatStyle(timeZone: .local(at: exchange.started))
        var facts = [("exchange", "\(exchange.id)"), ("sent", exchange.started.formatted(style))]
        func add(_ name: String, _ text: String?) {
            if let text { facts.append((name, text)) }
        }
        add("target", origin.target)
        add("workspace", origin.workspace)
        add("environment", origin.environment)
        for (name, value) in whole.variables.sorted(by: { $0.key < $1.key }) {
            add("variable", "\(name)=\(value)")
        }
        add("step", origin.step)
        add("session", session)
        add("source", exchange.source)
        add("took", Readable.duration(exchange.duration) + times)
        if exchange.attempts > 1 { add("attempts", "\(exchange.attempts)") }
        let refused = whole.refusedConnection
        if let tls = refused?.tls ?? response?.metrics?.tls {
            let certificates = refused?.certificates ?? response?.metrics?.certificates ?? []
            for line in TLSJSON.lines(of: tls, certificates) {
                let parts = line.split(separator: ": ", maxSplits: 1)
                add(parts.first.map(String.init) ?? "", parts.last.map(String.init))
            }
        }
        add("cache", whole.decision)
        add("error", whole.errorText)
        if exchange.isMarked { add("marked", "yes") }
        add("note", exchange.note)
        return facts.map { name, text in
            let padding = String(repeating: " ", count: 13 - name.count)
            return name + padding + text.inOneLine
        }
    }

    private var times: String {
        guard let phases = exchange.phases else { return "" }
        let named = [
            ("name", phases.nameLookup), ("connected", phases.connect),
            ("TLS", phases.secureConnect), ("first byte", phases.firstByte), ("all", phases.total),
        ]
        return " (" + named.map { "\($0) \(Readable.duration($1))" }.joined(separator: ", ") + ")"
    }

    private static func lines(of fields: HTTPFields) -> String {
        fields.map { "\($0.name.rawName): \($0.text)\n" }.joined()
    }

    private func text(_ text: String) throws {
        var output = StandardOutput(.text)
        try output.write(text)
        try output.flush()
    }

    /// Prints the body and a line end.
    private func print(_ body: ResponseBody) throws {
        guard !body.isEmpty else { return }
        guard !StandardOutput.isTerminal else { return try ResponsePrinter.printText(of: body) }
        var output = StandardOutput(.text)
        try FileCopy.copy(body, to: &output)
        try output.write("\n")
        try output.flush()
    }

    // MARK: for programs

    /// Prints the exchange as a JSON object.
    func printJSON() throws {
        var object = ResponseObject(
            [("version", 1)]
                + ExchangeJSON.members(of: exchange, session: session, error: whole.errorText)
        )
        var request = ResponseObject([
            ("method", JSON(exchange.request.method)), ("url", JSON(exchange.request.url)),
        ])
        request += try ResponseJSON.content(whole.request.head.headerFields, requestBody)
        object.append("request", .object(request))
        if let response {
            object.append("reason", JSON(response.head.status.reasonPhrase))
            object += try ResponseJSON.content(of: response)
            if let metrics = response.metrics {
                for (key, value) in ResponseJSON.irregular(metrics) { object.append(key, value) }
            }
            object.append("finalURL", JSON(response.finalURL))
            object.append("redirected", JSON(response.metrics?.redirects.isEmpty == false))
            object.append("complete", JSON(response.isComplete))
            if let size = whole.unkeptSize { object.append("unkeptSize", JSON(size)) }
            if let digest = whole.unkeptDigest { object.append("unkeptDigest", JSON(digest)) }
        }
        let refused = whole.refusedConnection
        if let tls = refused?.tls ?? response?.metrics?.tls {
            let certificates = refused?.certificates ?? response?.metrics?.certificates ?? []
            object.append("tls", TLSJSON.value(of: tls, certificates))
        }
        object.append(
            "variables",
            JSON(members: whole.variables.sorted { $0.key < $1.key }.map { ($0, JSON($1)) })
        )
        if let decision = whole.decision { object.append("decision", JSON(decision)) }
        object.append("timings", ResponseJSON.timings(of: response, total: exchange.duration))
        try OutputLine.print(object)
    }
}
