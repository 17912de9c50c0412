import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// The request body of a HAR entry: `postData`.
extension HAREntry {
    /// Reads the body, and adds its media type to `fields` if they have no `Content-Type`.
    ///
    /// Browsers write the pairs of a form instead of its text, and for a form with files often only the names.
    /// The body is rebuilt from them as far as possible.
    func requestBody(
        _ fields: inout HTTPFields
    ) throws(SessionFileError) -> PreparedRequest.Body {
        let data = json["request", "postData"]
        var type = fields[.contentType] ?? data["mimeType"].string ?? ""
        guard let bytes = try requestBytes(data, &type), !bytes.isEmpty else { return .none }
        if !type.isEmpty, type != "x-unknown", type != fields[.contentType] {
            fields[.contentType] = type
        }
        return .bytes(bytes)
    }

    private func requestBytes(
        _ data: JSON,
        _ type: inout String
    ) throws(SessionFileError) -> [UInt8]? {
        if let text = data["text"].string, !text.isEmpty {
            guard data["_encoding"].string == "base64" else { return Array(text.utf8) }
            return try decoded(text, at: "request.postData.text")
        }
        let pairs = data["params"].arrayValue
        guard !pairs.isEmpty else { return nil }
        let name = type.asciiLowercased.prefix { $0 != ";" }
        if name.hasPrefix("multipart/") { return Self.parts(pairs, &type) }
        guard type.isEmpty || name == "application/x-www-form-urlencoded" else { return nil }
        if type.isEmpty { type = "application/x-www-form-urlencoded" }
        let form = pairs.map { ($0["name"].string ?? "", $0["value"].string ?? "") }
        return Array(PercentEncoding.formText(form).utf8)
    }

    /// Builds a multipart form (RFC 7578) with the boundary of the type, to which one is added if it has none.
    private static func parts(_ pairs: [JSON], _ type: inout String) -> [UInt8] {
        let values = pairs.map { $0["value"].string ?? "" }
        var boundary = "apus-form"
        if case .multipart(let known)? = DocumentFormat(contentType: type) {
            boundary = known
        } else {
            while values.contains(where: { $0.contains(boundary) }) { boundary += "-" }
            type = "\(type.prefix { $0 != ";" }); boundary=\(boundary)"
        }
        var text = ""
        for (pair, value) in zip(pairs, values) {
            text += "--\(boundary)\r\nContent-Disposition: form-data"
            text += "; name=\"\(quoted(pair["name"].string ?? ""))\""
            if let file = pair["fileName"].string { text += "; filename=\"\(quoted(file))\"" }
            if let type = pair["contentType"].string, !type.isEmpty {
                text += "\r\nContent-Type: \(line(type))"
            }
            text += "\r\n\r\n\(value)\r\n"
        }
        return Array("\(text)--\(boundary)--\r\n".utf8)
    }

    /// A name as browsers quote it (WHATWG HTML, "multipart/form-data encoding algorithm").
    private static func quoted(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { quoted, scalar in
            switch scalar {
            case "\"": quoted += "%22"
            case "\r": quoted += "%0D"
            case "\n": quoted += "%0A"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
    }

    private static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }))
    }
}
