import Documents
import HTTPTypes

/// The words of a log.
struct LogFormat: Sendable {
    let options: LoggerPlugin.Options
    let maximumBodySize: Int
    let showsSecrets: Bool

    private func mask(of request: PreparedRequest) -> CredentialMask {
        showsSecrets ? .nothing : request.mask
    }

    func text(of request: PreparedRequest, attempt: Int) -> String {
        if options.contains(.curlCommand) {
            return CurlCommand(request, showsSecrets: showsSecrets).text
        }
        var lines: [String] = []
        if options.contains(.method) {
            let again = attempt > 1 ? " (attempt \(attempt))" : ""
            lines.append(line(request) + again)
        }
        if options.contains(.requestFields) {
            lines += Self.lines(mask(of: request).masking(request).head)
        }
        if options.contains(.requestBody) {
            lines += body(of: request).map { ["", $0] } ?? []
        }
        return lines.joined(separator: "\n")
    }

    func text(of response: Response, after time: Duration) -> String {
        let request = line(response.request)
        let first = [
            request, "\(response.status)", Self.word(response.source),
            options.contains(.duration) ? Self.text(of: time) : nil,
            "\(response.body.count) bytes",
        ]
        let lines = [first.compactMap { $0 }.joined(separator: " · ")] + parts(of: response)
        return lines.joined(separator: "\n")
    }

    func text(of error: ApusError, request: PreparedRequest?, after time: Duration) -> String {
        let first = [
            request.map(line) ?? error.request?.description,
            Self.words(error),
            options.contains(.duration) ? Self.text(of: time) : nil,
        ]
        let lines = [first.compactMap { $0 }.joined(separator: " · ")]
        guard let response = error.response else { return lines.joined(separator: "\n") }
        return (lines + parts(of: response, isError: true)).joined(separator: "\n")
    }

    /// Fields and body, as far as they are asked for.
    private func parts(of response: Response, isError: Bool = false) -> [String] {
        var lines: [String] = []
        if options.contains(.answerFields) {
            lines += mask(of: response.request).masking(response.head.headerFields)
                .map { "\($0.name): \($0.value)" }
        }
        let isWanted = options.contains(
            isError || response.status >= 400 ? .errorBody : .successBody
        )
        if isWanted, !response.body.isEmpty {
            lines += ["", body(response.body, response.head.headerFields, response.request)]
        }
        return lines
    }

    private func line(_ request: PreparedRequest) -> String {
        "\(request.head.method.rawValue) \(mask(of: request).masking(url: request.url))"
    }

    private static func lines(_ head: HTTPRequest) -> [String] {
        head.headerFields.map { "\($0.name): \($0.value)" }
    }

    private func body(of request: PreparedRequest) -> String? {
        switch request.body {
        case .none: nil
        case .bytes(let bytes): body(.bytes(bytes), request.head.headerFields, request)
        case .file(let path): "the file \(mask(of: request).masking(text: path))"
        case .multipart(let form): body(.bytes(form.outline), request.head.headerFields, request)
        }
    }

    private func body(
        _ body: ResponseBody,
        _ fields: HTTPFields,
        _ request: PreparedRequest
    ) -> String {
        LoggedBody(body, fields, mask: showsSecrets ? nil : request.mask).text(
            limit: maximumBodySize
        )
    }

    private static func word(_ source: ResponseSource) -> String {
        switch source {
        case .server: "server"
        case .memory: "memory"
        case .disk: "disk"
        case .gateway: "cache"
        case .stub: "stub"
        case .replay: "replay"
        case .synthetic: "synthetic"
        }
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

/// A body as a log shows it: as text if it is some, without credentials, and not
/// all of it.
struct LoggedBody {
    /// A larger body is only named: all of it would have to be searched for secrets.
    private static let searchLimit = 1 << 20

    private let body: ResponseBody
    private let type: String
    /// Nil if secrets are shown.
    private let mask: CredentialMask?

    init(_ body: ResponseBody, _ fields: HTTPFields, mask: CredentialMask?) {
        self.body = body
        type = (fields[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        self.mask = mask
    }

    /// At most `limit` bytes of text, or a word about what it is.
    func text(limit: Int) -> String {
        // A log is not worth a failure: a file that cannot be read is only named.
        guard body.count <= Self.searchLimit, let bytes = try? body.load(),
            let text = String(validating: mask.map { masked(bytes, $0) } ?? bytes, as: UTF8.self),
            !text.utf8.contains(0)
        else { return "\(body.count) bytes\(type.isEmpty ? "" : " of \(type)")" }
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: max(0, limit))
        while !text.unicodeScalars.indices.contains(end) { end = text.utf8.index(before: end) }
        return "\(text[..<end])… (\(text.utf8.count) bytes)"
    }

    private func masked(_ bytes: [UInt8], _ mask: CredentialMask) -> [UInt8] {
        if type == "application/x-www-form-urlencoded" {
            return mask.masking(bytes, isForm: true)
        }
        // Also where the type does not say so: what looks like JSON may hold a password.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let first = bytes[start...].first(where: { $0 > 0x20 }), "{[".utf8.contains(first)
        else { return mask.masking(bytes) }
        return mask.masking(CredentialMask.maskingMembers(of: bytes))
    }
}
