public import Documents

/// Reads a tree out of a body of any format: JSON, XML, HTML, YAML, CSV, forms, multipart, events.
public struct DocumentSerializer: ResponseSerializer {
    let format: DocumentFormat?

    /// The body as a tree.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.document` (`.xml` or `.json` if the
    ///   format is that) or `.empty`, with the place of the first fault.
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
    /// A tree of XML.
    public static var xml: DocumentSerializer { .document(as: .xml) }

    /// A tree of the format that the Content-Type names, or that the body looks like.
    public static var document: DocumentSerializer { DocumentSerializer(format: nil) }

    /// A tree of this format, whatever the Content-Type says.
    public static func document(as format: DocumentFormat) -> DocumentSerializer {
        DocumentSerializer(format: format)
    }
}

/// Reads JSON without a declared form: any value, fragments too.
public struct JSONSerializer: JSONValueSerializer {
    let path: String?
    let failsOnEmpty: Bool

    /// The JSON at the path, or of the whole body.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.json`, `.empty` or `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> JSON {
        if !failsOnEmpty && response.body.isEmpty { return .null }
        return try value(from: JSON(document: response.openedJSON(for: .json)), of: response)
    }

    /// The value at the path, or the value itself.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> JSON {
        try response.present(response.value(at: path, in: json, for: .json), for: .json)
    }
}

extension ResponseSerializer where Self == JSONSerializer {
    /// JSON without a declared form.
    public static var json: JSONSerializer { .json() }

    /// JSON without a declared form.
    ///
    /// - Parameters:
    ///   - path: where it stands, such as `data>users` or `$..users[0]`; nil for the whole body.
    ///   - failsOnEmpty: whether an empty body is an error, or `null`.
    /// - Returns: the serializer.
    public static func json(at path: String? = nil, failsOnEmpty: Bool = true) -> JSONSerializer {
        JSONSerializer(path: path, failsOnEmpty: failsOnEmpty)
    }
}

/// Reads text: the whole body, or the string at a path in it.
///
/// The encoding is the byte order mark's, then that of the Content-Type, then UTF-8. At a path a
/// number or a boolean is read as it is written; null, arrays and objects are no text.
public struct StringSerializer: JSONValueSerializer {
    let path: String?
    let charset: String?
    let repairs: Bool

    /// The body as text, or the text at the path.
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

    /// The text at the path, or the value itself.
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
    /// The body as text.
    public static var string: StringSerializer { .string() }

    /// The body as text, or the string, number or boolean at a path.
    ///
    /// - Parameters:
    ///   - path: where it stands; nil for the whole body.
    ///   - charset: the encoding; nil for the answer's own.
    ///   - repairs: whether U+FFFD stands for bytes that are not of the encoding, instead of an
    ///     error.
    /// - Returns: the serializer.
    public static func string(
        at path: String? = nil,
        charset: String? = nil,
        repairs: Bool = false
    ) -> StringSerializer {
        StringSerializer(path: path, charset: charset, repairs: repairs)
    }
}
