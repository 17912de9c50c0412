import Apus
import Documents
import FoundationEssentials
import HTTPTypes

struct HAREntry {
    let path: String
    let number: Int
    let json: JSON

    func fault(_ place: String, _ detail: String) -> SessionFileError {
        SessionFileError(path, at: "entry \(number), \(place)", detail)
    }

    // MARK: messages

    func exchange(isOwn: Bool) throws(SessionFileError) -> ImportedExchange {
        let request = try request()
        let text = json["startedDateTime"]
        guard let started = text.exists ? text.string.flatMap(ExportedFacts.date) : Date()
        else {
            throw fault("startedDateTime", "not an ISO 8601 time")
        }
        var phases = TransferMetrics.Phases(timings: json["timings"])
        if isOwn { phases.redirects = .zero }
        let time =
            json["time"].milliseconds ?? phases.total
            + (json["timings", "blocked"].milliseconds ?? .zero)
        var record = ExchangeRecord(
            started: started,
            request: request,
            result: .failure(ApusError(.transport(code: 0, detail: ""))),
            duration: time
        )
        if let response = try response(
            to: request,
            phases,
            started.addingTimeInterval(time / .seconds(1))
        ) {
            record.result = .success(response)
        } else {
            let error = json["response", "_error"].string ?? json["_error"].string
            record.imported.errorText = error ?? "The browser got no response."
            record.imported.errorCode = 2901
        }
        record.imported.source = json["_fromCache"].string.flatMap {
            ["memory", "disk", "shared"].contains($0) ? $0 : nil
        }
        try readSizes(into: &record)
        var exchange = ImportedExchange(record)
        exchange.note = json["comment"].string.flatMap { $0.isEmpty ? nil : $0 }
        if isOwn { readFacts(into: &exchange) }
        exchange.record.settleResult()
        return exchange
    }

    func request() throws(SessionFileError) -> PreparedRequest {
        let request = json["request"]
        guard request.kind == .object else { throw fault("request", "it is missing") }
        guard let method = request["method"].string.flatMap({ HTTPRequest.Method($0) }) else {
            throw fault("request.method", "not a valid method")
        }
        let text = request["url"].string ?? ""
        // A WebSocket begins as a request of HTTP (RFC 6455, section 4.1).
        let url = text.prefix(2).asciiLowercased == "ws" ? "http" + text.dropFirst(2) : text
        guard let parts = RecordedURL(url) else { throw fault("request.url", "not a valid URL") }
        var fields = try fields("request")
        let body = try requestBody(&fields)
        return PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: parts.scheme,
                authority: parts.authority,
                path: parts.path,
                headerFields: fields
            ),
            body: body
        )
    }

    /// Reads the entry as a redirect before the final response.
    func hop() throws(SessionFileError) -> TransferMetrics.Redirect {
        let response = json["response"]
        guard let status = response["status"].int, (300...399).contains(status) else {
            throw fault("response.status", "a redirect needs a status from 300 to 399")
        }
        let location = response["redirectURL"].string ?? ""
        let withheld = (json["_apus", "withheld"].string ?? "").split(separator: ", ")
        // In a session folder, each is a line or part of a line, so it must not have line ends.
        guard !location.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw fault("response.redirectURL", "a URL has no control characters")
        }
        guard withheld.allSatisfy({ HTTPField.Name(String($0)) != nil }) else {
            throw fault("_apus.withheld", "not header field names")
        }
        return TransferMetrics.Redirect(
            status: status,
            location: location,
            url: try request().url,
            fields: try fields("response"),
            withheldFields: withheld.map { String($0) }
        )
    }

    private func response(
        to request: PreparedRequest,
        _ phases: TransferMetrics.Phases,
        _ received: Date
    ) throws(SessionFileError) -> Response? {
        let response = json["response"]
        let number = response["status"]
        // Browsers write 0 or less if there was no response.
        guard let status = number.int ?? number.double.map({ $0 > 0 ? Int.max : 0 }), status > 0
        else { return nil }
        guard (100...999).contains(status) else {
            let text = number.numberText ?? "\(status)"
            throw fault("response.status", "\(text.prefix(40)) is not a valid status")
        }
        var fields = try fields("response")
        if fields[.contentType] == nil, let type = response["content", "mimeType"].string,
            !type.isEmpty, type != "x-unknown"
        {
            fields[.contentType] = type
        }
        let metrics = TransferMetrics(
            phases: phases,
            bytesSent: size(json["request", "bodySize"]),
            bytesReceived: size(response["bodySize"]),
            negotiatedVersion: version,
            remoteAddress: remoteAddress(of: request),
            reusedConnection: json["timings", "connect"].milliseconds == nil
        )
        return Response(
            request: request,
            head: HTTPResponse(
                status: HTTPResponse.Status(
                    code: status,
                    reasonPhrase: response["statusText"].string ?? ""
                ),
                headerFields: fields
            ),
            body: .bytes(try responseBody()),
            source: .server,
            received: received,
            metrics: metrics
        )
    }

    /// A size in bytes; 0 for -1, which means unknown.
    private func size(_ json: JSON) -> Int {
        min(max(0, json.int ?? 0), ExportedFacts.sizeLimit)
    }

    private func responseBody() throws(SessionFileError) -> [UInt8] {
        let content = json["response", "content"]
        guard let text = content["text"].string else { return [] }
        switch content["encoding"].string?.asciiLowercased {
        case nil, "": return Array(text.utf8)
        case "base64": return try decoded(text, at: "response.content.text")
        case .some(let name): throw fault("response.content.encoding", "“\(name)” is not known")
        }
    }

    func decoded(_ text: String, at place: String) throws(SessionFileError) -> [UInt8] {
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw fault(place, "not valid Base64")
        }
        return [UInt8](data)
    }

    /// Reads the sizes of bodies that the file does not contain.
    private func readSizes(into record: inout ExchangeRecord) throws(SessionFileError) {
        let content = json["response", "content"]
        if let size = content["size"].int, size > 0, !content["text"].exists,
            (try? record.result.get()) != nil
        {
            record.imported.unkeptSize = min(size, ExportedFacts.sizeLimit)
        }
        if let size = json["request", "bodySize"].int, size > 0, case .none = record.request.body {
            record.imported.unkeptRequestSize = min(size, ExportedFacts.sizeLimit)
        }
    }

    // MARK: fields

    private func fields(_ message: String) throws(SessionFileError) -> HTTPFields {
        var fields = HTTPFields()
        var size = 0
        for (place, header) in json[message]["headers"].elements.enumerated() {
            let at = "\(message).headers[\(place)]"
            guard let name = header["name"].string else { throw fault(at, "it has no name") }
            // A pseudo-header field of HTTP/2 or HTTP/3 (RFC 9113, section 8.3).
            if name.hasPrefix(":") { continue }
            guard let fieldName = HTTPField.Name(name) else {
                throw fault(at, "“\(name.prefix(80))” is not a header field name")
            }
            let value = header["value"].string ?? header["value"].numberText ?? ""
            size += name.utf8.count + value.utf8.count
            guard size <= 1 << 20 else { throw fault(at, "the fields are more than 1 MiB") }
            let isLatin1 = header["_isLatin1"].bool == true
            // Chrome joins the values of fields with the same name with line feeds.
            for line in value.unicodeScalars.split(
                omittingEmptySubsequences: false,
                whereSeparator: { $0 == "\n" || $0 == "\r" || $0 == "\0" }
            ) {
                let text = String(line)
                let coded = isLatin1 ? HTTPField(name: fieldName, latin1: text) : nil
                let field = coded ?? HTTPField(name: fieldName, value: text)
                guard fields.appendForeign(field) else {
                    throw fault(at, "there are more than \(FieldLimits.mostLines) fields")
                }
            }
        }
        return fields
    }

    /// The HTTP version: "2" for "http/2.0", "HTTP/2" or "h2"; nil if it is unknown.
    private var version: String? {
        let text = json["response", "httpVersion"].string ?? json["request", "httpVersion"].string
        let number = (text ?? "").asciiLowercased.drop { !$0.isNumber }
        switch number {
        case "1.0", "1.1", "2", "3": return String(number)
        case "2.0": return "2"
        case "3.0": return "3"
        default: return nil
        }
    }

    private func remoteAddress(of request: PreparedRequest) -> String? {
        guard let text = json["serverIPAddress"].string else { return nil }
        let address = text.filter { $0.isASCII && ($0.isHexDigit || ".:".contains($0)) }
        guard !address.isEmpty, address.utf8.count < 64 else { return nil }
        let host = request.head.authority ?? ""
        let port = host.split(separator: ":").last.flatMap { UInt16($0) }
        let standard: UInt16 = request.head.scheme == "https" ? 443 : 80
        let shown = address.contains(":") ? "[\(address)]" : address
        return "\(shown):\(port ?? standard)"
    }

    // MARK: ours

    /// Reads the facts that this program adds to its own files.
    private func readFacts(into exchange: inout ImportedExchange) {
        if let port = json["connection"].string, let address = json["serverIPAddress"].string {
            let host = address.contains(":") ? "[\(address)]" : address
            exchange.record.changeMetrics { $0.remoteAddress = "\(host):\(port)" }
        }
        for (name, value) in json["_apus"].members {
            let texts = value.array ?? [value]
            for text in texts.compactMap(\.string) {
                // Ignore unknown facts, which a later version may have written.
                _ = ExportedFacts.apply((name, text), to: &exchange)
            }
        }
    }
}
