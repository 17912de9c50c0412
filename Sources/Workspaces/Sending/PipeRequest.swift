import Apus
package import Documents
import FoundationEssentials
package import HTTPTypes
import Secrets

/// A request on a line of `apus pipe`'s input.
package struct PipeRequest: Sendable {
    /// What a line asks to be sent.
    package enum Subject: Sendable {
        /// A request that the line describes itself.
        case url(String, HTTPRequest.Method, HTTPFields, body: [UInt8]?)
        /// A target of the workspace, with values that override its variables.
        case target(String, values: [(name: String, value: JSON)])
    }

    /// What the line asks to be sent.
    package let subject: Subject
    /// Whether redirects are followed; nil for the default.
    let followsRedirects: Bool?
    /// Where the response comes from; nil for the command's choice.
    let source: SourceName?
    /// The time limit in milliseconds; nil for the default, 0 for none.
    let timeout: Int?
}

extension PipeRequest {
    /// Reads a request.
    ///
    /// Unknown members are refused; `null` counts as missing.
    package init(_ json: JSON) throws(PipeError) {
        guard json.kind == .object else { throw PipeError("a request must be a JSON object") }
        try Self.checkNames(of: json)
        subject = try Self.subject(json)
        followsRedirects =
            switch try Self.text("redirect", in: json) {
            case nil: nil
            case "follow": true
            case "manual": false
            default: throw PipeError("redirect must be “follow” or “manual”", at: json["redirect"])
            }
        source = try Self.source(json)
        timeout = try Self.timeout(json)
    }

    /// The members that a request may have.
    private static let names = [
        "id", "url", "method", "headers", "body", "bodyBase64", "redirect", "source", "timeout",
        "target", "set",
    ]

    /// What other programs call some of them.
    private static let otherNames = [
        "json": "body", "data": "body", "content": "body", "payload": "body", "uri": "url",
        "verb": "method", "variables": "set", "values": "set", "followRedirects": "redirect",
    ]

    private static func checkNames(of json: JSON) throws(PipeError) {
        guard let unknown = json.members.first(where: { !names.contains($0.key) }) else { return }
        let shown = CredentialMask().masking(argument: unknown.key)
        let meant = Suggestion.nearest(to: unknown.key, among: names) ?? otherNames[unknown.key]
        let advice =
            meant.map { "did you mean “\($0)”?" }
            ?? "a request has \(names.joined(separator: ", "))"
        throw PipeError("a request has no member “\(shown)”; \(advice)", at: unknown.value)
    }

    private static func subject(_ json: JSON) throws(PipeError) -> Subject {
        guard let target = try text("target", in: json) else { return try ownRequest(json) }
        for name in ["url", "method", "headers", "body", "bodyBase64"] where json.has(name) {
            throw PipeError("\(name) cannot be combined with target; use set", at: json[name])
        }
        let values = json["set"]
        guard !json.has("set") || values.kind == .object else {
            throw PipeError("set must be an object of names and values", at: values)
        }
        return .target(target, values: values.members.map { ($0.key, $0.value) })
    }

    private static func ownRequest(_ json: JSON) throws(PipeError) -> Subject {
        guard let url = try text("url", in: json).map(URLFault.trimmed) else {
            throw PipeError("a request needs a url or a target")
        }
        guard let scheme = url.firstRange(of: "://").map({ url[..<$0.lowerBound].asciiLowercased }),
            scheme == "http" || scheme == "https"
        else { throw PipeError("url must begin with http:// or https://", at: json["url"]) }
        let name = try text("method", in: json) ?? "GET"
        guard let method = HTTPRequest.Method(name) else {
            throw PipeError("“\(name)” is not a valid method", at: json["method"])
        }
        let fields = try fields(json["headers"])
        let body = try body(json)
        try check(fields, against: body, json["headers"])
        return .url(url, method, fields, body: body)
    }

    private static func fields(_ json: JSON) throws(PipeError) -> HTTPFields {
        guard json.exists, !json.isNull else { return [:] }
        guard json.kind == .array else {
            throw PipeError("headers must be a list of [name, value]", at: json)
        }
        var fields = CountedFields()
        for pair in json.elements {
            guard pair.kind == .array, pair.count == 2, let name = pair[0].string,
                let value = pair[1].string
            else { throw PipeError("a header must be [name, value], both strings", at: pair) }
            do {
                try fields.append(FieldText.field(name, value))
            } catch {
                throw PipeError("\(error)", at: pair)
            }
        }
        return fields.fields
    }

    private static func body(_ json: JSON) throws(PipeError) -> [UInt8]? {
        let text = try text("body", in: json)
        guard let coded = try self.text("bodyBase64", in: json) else {
            return text.map { Array($0.utf8) }
        }
        guard text == nil else {
            throw PipeError("body and bodyBase64 cannot be combined", at: json["bodyBase64"])
        }
        guard let data = Data(base64Encoded: coded) else {
            throw PipeError("bodyBase64 is not Base64 (RFC 4648, 4)", at: json["bodyBase64"])
        }
        return Array(data)
    }

    /// Checks that the fields that frame the body match it.
    ///
    /// Otherwise the server would wait for bytes that never come, or read the next request as a body (RFC 9112,
    /// 6.3).
    private static func check(
        _ fields: HTTPFields,
        against body: [UInt8]?,
        _ json: JSON
    ) throws(PipeError) {
        let count = String(body?.count ?? 0)
        if let wrong = fields[values: .contentLength].first(where: { $0 != count }) {
            throw PipeError("Content-Length is \(wrong), but the body has \(count) bytes", at: json)
        }
        if body == nil, fields[.transferEncoding] != nil {
            throw PipeError("Transfer-Encoding needs a body", at: json)
        }
    }

    private static func source(_ json: JSON) throws(PipeError) -> SourceName? {
        guard let word = try text("source", in: json) else { return nil }
        guard let source = SourceName(rawValue: word) else {
            let words = SourceName.allCases.map(\.rawValue).joined(separator: ", ")
            throw PipeError("source must be one of \(words)", at: json["source"])
        }
        return source
    }

    private static func timeout(_ json: JSON) throws(PipeError) -> Int? {
        guard json.has("timeout") else { return nil }
        guard let milliseconds = json["timeout"].double, milliseconds >= 0, milliseconds < 1e12
        else { throw PipeError("timeout must be a number of milliseconds", at: json["timeout"]) }
        return Int(milliseconds.rounded(.up))
    }

    private static func text(_ name: String, in json: JSON) throws(PipeError) -> String? {
        guard json.has(name) else { return nil }
        guard let text = json[name].string else {
            throw PipeError("\(name) must be a string", at: json[name])
        }
        return text
    }
}

extension JSON {
    /// Whether there is a member of this name that is not null.
    fileprivate func has(_ name: String) -> Bool {
        let value = self[name]
        return value.exists && !value.isNull
    }
}

extension PipeError {
    /// An error at the column of a value in the line.
    fileprivate init(_ message: String, at value: JSON) {
        let column = value.source.map { document, node in
            document.position(of: document.valueRange(of: node).lowerBound).column
        }
        self.init(message, column: column)
    }
}

/// Why a line of the input is not a valid request.
package struct PipeError: Error, Sendable, Hashable {
    /// What is wrong with the line, in words.
    package let message: String
    /// The column in characters, from 1; nil if the fault concerns the whole line.
    package let column: Int?

    /// Makes an error.
    package init(_ message: String, column: Int? = nil) {
        self.message = message
        self.column = column
    }
}
