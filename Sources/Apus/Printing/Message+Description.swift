import Documents
import HTTPTypes
import Secrets

// What `print`, `debugPrint` and `dump` show of a request and of its response. Secrets are masked in all of it.

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The request, the status, the source, the size and the type:
    /// "GET https://api.test/users/7 · 200 · server · 27 B of application/json".
    public var description: String {
        let facts = [
            request.line.description, "\(status)", source.description,
            isStreamed ? "body follows" : body.isEmpty ? "no body" : bodyWords,
            isComplete || isStreamed ? nil : "incomplete",
            serverFailure.map { "server failed: \($0.message.title)" },
        ]
        return facts.compactMap(\.self).joined(separator: " · ")
    }

    /// The description, the header fields, and the first part of the body.
    public var debugDescription: String {
        MessageText.whole(description, maskedFields, bodyText)
    }

    /// The parts by the names of the properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "request": request, "status": status, "source": source,
                "fields": MessageText.lines(of: maskedFields), "body": bodyText,
                "isComplete": isComplete, "received": received,
            ],
            displayStyle: .struct
        )
    }

    private var bodyWords: String {
        Readable.bytes(body.count)
            + (mediaType.map { " of \(request.mask.masking(text: $0))" } ?? "")
    }

    private var maskedFields: HTTPFields { request.mask.masking(head.headerFields) }

    private var bodyText: String {
        guard !body.isEmpty else { return "" }
        return LoggedBody(body, head.headerFields, mask: request.mask)
            .text(limit: MessageText.bodyLimit)
    }
}

extension PreparedRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The method and the URL, and what the body is: "POST https://api.test/users · 27 B of application/json".
    public var description: String {
        [line.description, bodyWords].compactMap(\.self).joined(separator: " · ")
    }

    /// The description, the header fields, and the first part of the body.
    public var debugDescription: String {
        MessageText.whole(description, maskedFields, bodyText)
    }

    /// The parts by the names of the properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "method": head.method.rawValue, "url": line.url,
                "headerFields": MessageText.lines(of: maskedFields), "body": bodyText,
            ],
            displayStyle: .struct
        )
    }

    private var maskedFields: HTTPFields { mask.masking(head.headerFields) }

    /// What the body is and how large, without its bytes; nil if there is none.
    private var bodyWords: String? {
        switch body {
        case .none: return nil
        case .bytes(let bytes):
            let type = head.headerFields[.contentType].map { mask.masking(text: $0) }
            return Readable.bytes(bytes.count) + (type.map { " of \($0)" } ?? "")
        case .file(let path): return "the file \(mask.masking(text: path))"
        case .multipart(let form):
            return "a multipart form of \(form.parts.count) part\(form.parts.count == 1 ? "" : "s")"
        case .stream(let stream): return stream.remark
        }
    }

    private var bodyText: String {
        switch body {
        case .none: ""
        case .bytes(let bytes): bodyText(bytes)
        case .multipart(let form): bodyText(form.outline)
        case .file, .stream: bodyWords ?? ""
        }
    }

    private func bodyText(_ bytes: [UInt8]) -> String {
        LoggedBody(.bytes(bytes), head.headerFields, mask: mask).text(limit: MessageText.bodyLimit)
    }
}

/// The text of a message that has several lines.
enum MessageText {
    /// How many bytes of a body are shown.
    static let bodyLimit = 1000

    /// A first line, the fields, and, after an empty line, the body.
    static func whole(_ first: String, _ fields: HTTPFields, _ body: String) -> String {
        ([first] + lines(of: fields) + (body.isEmpty ? [] : ["", body])).joined(separator: "\n")
    }

    static func lines(of fields: HTTPFields) -> [String] {
        fields.map { "\($0.name): \($0.value)" }
    }
}

extension QuickTarget: CustomStringConvertible {
    /// The method and the URL or path, with secrets masked.
    public var description: String {
        ApusError.RequestLine(method: method.rawValue, url: path).description
    }
}

extension ResponseBody: CustomStringConvertible {
    /// The size, and the file if it is in one; never the bytes, which may contain a secret.
    public var description: String {
        switch self {
        case .bytes(let bytes): Readable.bytes(bytes.count)
        case .file(let file): "\(Readable.bytes(file.count)) in \(file.path)"
        }
    }
}

extension ResponseSource: CustomStringConvertible {
    /// "server", "memory", "disk", "shared cache", "cache" (for `gateway`), "stub", "replay" or "synthetic".
    public var description: String {
        switch self {
        case .server: "server"
        case .memory: "memory"
        case .disk: "disk"
        case .shared: "shared cache"
        case .gateway: "cache"
        case .stub: "stub"
        case .replay: "replay"
        case .synthetic: "synthetic"
        }
    }
}

extension ApusError: CustomReflectable {
    /// What the error says, without secrets, instead of how it is stored.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "message": message.description, "request": request as Any,
                "response": response as Any,
            ],
            displayStyle: .struct
        )
    }
}
