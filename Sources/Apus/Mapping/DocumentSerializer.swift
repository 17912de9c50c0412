public import Documents

/// Reads a body as a tree, in any format: JSON, XML, HTML, YAML, CSV, forms, multipart, events.
public struct DocumentSerializer: ResponseSerializer {
    let format: DocumentFormat?

    /// Reads the body as a tree.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping` and the position of the first fault. The kind is
    ///   `.empty` for an empty body, else `.document` (`.xml` or `.json` if that format was asked for).
    public func serialize(_ response: Response) throws(ApusError) -> FormattedDocument {
        let kind: ApusError.MappingFault.Kind =
            switch format {
            case .xml: .xml
            case .json: .json
            default: .document
            }
        return try response.opened(as: format, for: kind)
    }
}

extension ResponseSerializer where Self == DocumentSerializer {
    /// Reads an XML tree.
    public static var xml: DocumentSerializer { .document(as: .xml) }

    /// Reads a tree in the format that the Content-Type names, or else that the bytes look like.
    public static var document: DocumentSerializer { DocumentSerializer(format: nil) }

    /// Reads a tree in this format, whatever the Content-Type says.
    public static func document(as format: DocumentFormat) -> DocumentSerializer {
        DocumentSerializer(format: format)
    }
}

/// Reads any JSON value, including fragments, without a declared type.
public struct JSONSerializer: JSONValueSerializer {
    let path: String?
    let failsOnEmpty: Bool

    /// Reads the JSON at the path, or the whole body if there is no path.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.json`, `.empty` or `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> JSON {
        if !failsOnEmpty && response.body.isEmpty { return .null }
        return try value(from: JSON(document: response.openedJSON(for: .json)), of: response)
    }

    /// Finds the value at the path, or returns the JSON itself if there is no path.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> JSON {
        try response.present(response.value(at: path, in: json, for: .json), for: .json)
    }
}

extension ResponseSerializer where Self == JSONSerializer {
    /// Reads the whole body as JSON.
    public static var json: JSONSerializer { .json() }

    /// Reads JSON without a declared type.
    ///
    /// - Parameters:
    ///   - path: where the value is, such as `data>users` or `$..users[0]`; nil for the whole body.
    ///   - failsOnEmpty: true to throw for an empty body; false to read it as `null`.
    /// - Returns: the serializer.
    public static func json(at path: String? = nil, failsOnEmpty: Bool = true) -> JSONSerializer {
        JSONSerializer(path: path, failsOnEmpty: failsOnEmpty)
    }
}

/// Reads text: the whole body, or the string at a path in it.
///
/// The encoding is that of the byte order mark, else `charset` or that of the Content-Type, else UTF-8. At a
/// path, numbers and booleans are read as they are written; null, arrays and objects are errors.
public struct StringSerializer: JSONValueSerializer {
    let path: String?
    let charset: String?
    let repairs: Bool

    /// Reads the body as text, or the text at the path.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.string`, `.json` or `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> String {
        if path != nil {
            return try value(from: response.value(using: .json), of: response)
        }
        let bytes = try response.ownBytes()
        let (text, fault) = bytes.decodedText(charset: charset ?? response.charset)
        guard let fault, !repairs else { return text }
        throw response.failure(
            ApusError.MappingFault(
                .string,
                offset: fault.offset,
                line: fault.position.line,
                column: fault.position.column,
                detail: MappingMessages.notText(fault)
            )
        )
    }

    /// Reads the text at the path, or the JSON itself if there is no path.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> String {
        let found = try response.present(
            response.value(at: path, in: json, for: .string),
            for: .string
        )
        switch found.kind {
        case .string, .integer, .decimal, .true, .false: return found.stringValue
        default:
            let detail = MappingMessages.noText(found.kind)
            throw response.failure(.init(.string, at: found, detail: detail))
        }
    }
}

extension ResponseSerializer where Self == StringSerializer {
    /// Reads the body as text.
    public static var string: StringSerializer { .string() }

    /// Reads the body as text, or the string, number or boolean at a path.
    ///
    /// - Parameters:
    ///   - path: where the value is; nil for the whole body.
    ///   - charset: the encoding; nil for that of the response.
    ///   - repairs: true to replace bytes that are invalid in the encoding by U+FFFD; false to throw.
    /// - Returns: the serializer.
    public static func string(
        at path: String? = nil,
        charset: String? = nil,
        repairs: Bool = false
    ) -> StringSerializer {
        StringSerializer(path: path, charset: charset, repairs: repairs)
    }
}
