import Documents
import HTTPServing

extension Call {
    /// The largest body in bytes that a handler can get as a whole.
    static let bodyLimit = 64 << 20

    /// Reads the whole body, even one above the limit, which is refused, so that the connection can be reused.
    func wholeBody() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var isTooLarge = false
        for try await piece in body {
            if bytes.count + piece.count > Self.bodyLimit { isTooLarge = true }
            if !isTooLarge { bytes += piece }
        }
        if isTooLarge {
            throw Problem(status: 413, detail: "A body may have at most \(Self.bodyLimit) bytes.")
        }
        return bytes
    }

    /// Decodes the body as JSON; throws a 400 if it is not JSON, and a 422 if it has another shape.
    func decoded<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        let body = try await wholeBody()
        do {
            return try DocumentDecoder().decode(type, from: body)
        } catch let error as DecodingError {
            throw Self.problem(of: error)
        }
    }

    private static func problem(of error: DecodingError) -> Problem {
        switch error {
        case .keyNotFound(let key, let context):
            .invalid([.init(path(context.codingPath + [key]), "is needed")])
        case .typeMismatch(let type, let context):
            .invalid([.init(path(context.codingPath), "must be \(word(for: type))")])
        case .valueNotFound(let type, let context):
            .invalid([.init(path(context.codingPath), "must be \(word(for: type)), not null")])
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            .invalid([.init(path(context.codingPath), "is not one of the values allowed")])
        default: Problem(status: 400, detail: "The body is not JSON.")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let text = keys.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text.isEmpty ? "body" : text
    }

    private static func word(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Int.Type: "a whole number"
        case is Double.Type: "a number"
        case is Bool.Type: "true or false"
        default: type is any Collection.Type ? "a list" : "an object"
        }
    }
}

/// Splits a `multipart/form-data` body (RFC 7578) at its boundary.
struct Multipart {
    struct Part {
        let name: String
        let filename: String?
        let contentType: String?
        let content: ArraySlice<UInt8>
    }

    /// The parts of a body; nil if the boundary does not frame it.
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
            switch words[0].asciiLowercased {
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

    /// Splits a value at the semicolons outside quotation marks.
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
            guard words.count == 2, words[0].asciiLowercased == name else { continue }
            let text = words[1]
            return text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
                ? String(text.dropFirst().dropLast()) : String(text)
        }
        return nil
    }
}
