/// Splits a `multipart/form-data` body (RFC 7578) at its boundary.
struct Multipart {
    struct Part {
        let name: String
        let filename: String?
        let contentType: String?
        let content: ArraySlice<UInt8>
    }

    /// nil when the body is not framed by the boundary.
    static func parts(of body: [UInt8], boundary: String) -> [Part]? {
        let mark = Array("--\(boundary)".utf8)
        var found: [Part] = []
        guard var start = body[...].firstRange(of: mark)?.upperBound else { return nil }
        while !body[start...].starts(with: Array("--".utf8)) {
            guard let end = body[start...].firstRange(of: Array("\r\n".utf8) + mark) else {
                return nil
            }
            guard let part = part(of: body[start..<end.lowerBound]) else { return nil }
            found.append(part)
            start = end.upperBound
        }
        return found
    }

    /// The boundary named by a Content-Type such as `multipart/form-data; boundary=…`.
    static func boundary(of contentType: String) -> String? {
        guard contentType.lowercased().hasPrefix("multipart/") else { return nil }
        return attribute("boundary", of: contentType)
    }

    private static func part(of bytes: ArraySlice<UInt8>) -> Part? {
        guard let blank = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        var disposition = ""
        var type: String?
        for line in String(decoding: bytes[..<blank.lowerBound], as: UTF8.self).split(
            separator: "\r\n"
        ) {
            let words = line.split(separator: ":", maxSplits: 1)
            guard words.count == 2 else { continue }
            let value = String(words[1].drop(while: \.isWhitespace))
            switch words[0].lowercased() {
            case "content-disposition": disposition = value
            case "content-type": type = value
            default: continue
            }
        }
        return Part(
            name: attribute("name", of: disposition) ?? "",
            filename: attribute("filename", of: disposition),
            contentType: type,
            content: bytes[blank.upperBound...]
        )
    }

    /// The pieces between the semicolons that do not stand in quotation marks.
    private static func pieces(of value: String) -> [Substring] {
        var isQuoted = false
        return value.split(omittingEmptySubsequences: false) { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
    }

    private static func attribute(_ name: String, of value: String) -> String? {
        for piece in pieces(of: value).dropFirst() {
            let words = piece.drop(while: \.isWhitespace).split(separator: "=", maxSplits: 1)
            guard words.count == 2, words[0].lowercased() == name else { continue }
            let text = words[1]
            return text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
                ? String(text.dropFirst().dropLast()) : String(text)
        }
        return nil
    }
}
