import Documents
import HTTPTypes
import Secrets

/// Chooses what a logger puts into an entry, and writes the entry's text.
struct LogLayout: Sendable {
    let options: LoggerPlugin.Options
    let maximumBodySize: Int
    let showsSecrets: Bool

    private func mask(of request: PreparedRequest) -> CredentialMask {
        showsSecrets ? .nothing : request.mask
    }

    // MARK: values

    /// Adds a request, including the fields that the transport adds to it.
    func put(_ request: PreparedRequest, adding added: HTTPFields, into entry: inout LogEntry) {
        let mask = mask(of: request)
        entry.line = "\(request.head.method.rawValue) \(mask.masking(url: request.url))"
        var sent = request
        sent.body = .none
        sent.head.headerFields.append(contentsOf: added)
        entry.request = mask.masking(sent).head
        if options.contains(.requestBody) { entry.requestBody = body(of: request) }
        if options.contains(.curlCommand) {
            entry.curlCommand = CurlCommand(request, showsSecrets: showsSecrets).text
        }
    }

    /// Adds the response or the failure.
    func put(_ result: Result<Response, ApusError>, into entry: inout LogEntry) {
        switch result {
        case .success(let response):
            entry.source = response.source
            put(response, isError: response.status >= 400, into: &entry)
        case .failure(let error):
            entry.line = entry.line ?? error.request?.description
            entry.failure = Self.words(error)
            if let response = error.response { put(response, isError: true, into: &entry) }
        }
    }

    private func put(_ response: Response, isError: Bool, into entry: inout LogEntry) {
        entry.response = response.head
        entry.response?.headerFields = mask(of: response.request)
            .masking(response.head.headerFields)
        entry.responseSize = response.isStreamed ? nil : response.body.count
        if options.contains(isError ? .errorBody : .successBody), !response.body.isEmpty {
            entry.responseBody = body(
                response.body,
                response.head.headerFields,
                response.request
            )
        }
    }

    private func body(of request: PreparedRequest) -> String? {
        switch request.body {
        case .none: nil
        case .bytes(let bytes): body(.bytes(bytes), request.head.headerFields, request)
        case .file(let path): "the file \(mask(of: request).masking(text: path))"
        case .multipart(let form): body(.bytes(form.outline), request.head.headerFields, request)
        case .stream(let stream): stream.remark
        }
    }

    private func body(
        _ body: ResponseBody,
        _ fields: HTTPFields,
        _ request: PreparedRequest
    ) -> String {
        LoggedBody(body, fields, mask: showsSecrets ? nil : request.mask)
            .text(limit: maximumBodySize, isPretty: options.contains(.prettyBodies))
    }

    // MARK: text

    /// The logger's own text of an entry.
    func text(of entry: LogEntry) -> String {
        guard entry.kind != .request else {
            return ([first(of: entry)].compactMap { $0 } + requestLines(of: entry))
                .joined(separator: "\n")
        }
        guard options.contains(.cards) else {
            return ([summary(of: entry)] + responseLines(of: entry)).joined(separator: "\n")
        }
        let lines =
            Self.marked(requestLines(of: entry), ">") + Self.marked(responseLines(of: entry), "<")
        return ([summary(of: entry)] + lines).joined(separator: "\n")
    }

    private func first(of entry: LogEntry) -> String? {
        guard options.contains(.method), entry.curlCommand == nil else { return nil }
        return entry.line.map { $0 + (entry.attempt > 1 ? " (attempt \(entry.attempt))" : "") }
    }

    private func summary(of entry: LogEntry) -> String {
        let isResponse = entry.kind == .response
        let parts = [
            entry.line, entry.failure,
            isResponse ? entry.response.map { "\($0.status.code)" } : nil,
            entry.source?.description,
            options.contains(.duration) ? entry.duration.map(Self.text) : nil,
            isResponse ? entry.responseSize.map { "\($0) bytes" } : nil,
        ]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    private func requestLines(of entry: LogEntry) -> [String] {
        if let command = entry.curlCommand { return [command] }
        let fields = options.contains(.requestFields) ? entry.request?.headerFields : nil
        return Self.lines(fields, entry.requestBody)
    }

    private func responseLines(of entry: LogEntry) -> [String] {
        let fields = options.contains(.responseFields) ? entry.response?.headerFields : nil
        return Self.lines(fields, entry.responseBody)
    }

    private static func lines(_ fields: HTTPFields?, _ body: String?) -> [String] {
        (fields ?? [:]).map { "\($0.name): \($0.value)" } + (body.map { ["", $0] } ?? [])
    }

    private static func marked(_ lines: [String], _ mark: String) -> [String] {
        // By bytes, because a carriage return and a line feed are one character.
        lines.flatMap {
            $0.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        }
        .map { $0.isEmpty ? mark : "\(mark) \(Substring($0))" }
    }

    private static func words(_ error: ApusError) -> String {
        let message = error.message
        let detail = message.detail.isEmpty ? "" : ": \(message.detail)"
        return "[\(error.code)] \(message.title)\(detail)"
    }

    private static func text(of time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
    }
}

/// A body as a log shows it: as text if possible, without credentials, and cut to a limit.
struct LoggedBody {
    /// For a larger body only the size and type are logged, because it would have to be searched for secrets.
    private static let searchLimit = 1 << 20

    private let body: ResponseBody
    private let type: String
    private let isForm: Bool
    /// Nil if secrets are shown.
    private let mask: CredentialMask?

    init(_ body: ResponseBody, _ fields: HTTPFields, mask: CredentialMask?) {
        self.body = body
        type = (fields[.contentType] ?? "").prefix { $0 != ";" }.asciiLowercased
        isForm = fields.declareForm
        self.mask = mask
    }

    /// At most `limit` bytes of text, or the size and type of the body.
    func text(limit: Int, isPretty: Bool = false) -> String {
        // A file that cannot be read does not make the log fail; only its size and type are logged.
        guard body.count <= Self.searchLimit, let bytes = try? body.load() else { return word }
        // Masked before it is reformatted, because the mask searches for secrets as they are sent.
        let shown = mask.map { masked(bytes, $0) } ?? bytes
        let pretty = isPretty ? self.pretty(shown) : nil
        guard let text = String(validating: pretty ?? shown, as: UTF8.self), !text.utf8.contains(0)
        else {
            return word
        }
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: max(0, limit))
        while !text.unicodeScalars.indices.contains(end) { end = text.utf8.index(before: end) }
        return "\(text[..<end])… (\(text.utf8.count) bytes)"
    }

    private var word: String { "\(body.count) bytes\(type.isEmpty ? "" : " of \(type)")" }

    /// JSON with indentation, and a form as JSON; nil for anything else.
    private func pretty(_ bytes: [UInt8]) -> [UInt8]? {
        let document =
            isForm
            ? FormattedDocument.opening(DocumentBytes(bytes), as: .form).document
            : Document.parse(DocumentBytes(bytes))
        guard document.fault == nil else { return nil }
        return try? DocumentWriter(.pretty).bytes(in: document)
    }

    private func masked(_ bytes: [UInt8], _ mask: CredentialMask) -> [UInt8] {
        if isForm { return mask.masking(bytes, isForm: true) }
        // Whatever the declared type, anything that looks like JSON may contain a password.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let first = bytes[start...].first(where: { $0 > 0x20 }), "{[".utf8.contains(first)
        else { return mask.masking(bytes) }
        return mask.masking(CredentialMask.maskingMembers(of: bytes, with: mask))
    }
}
