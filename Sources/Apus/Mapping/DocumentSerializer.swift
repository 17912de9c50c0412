public import Documents

/// Reads a tree out of a body of any format: JSON, XML, HTML, YAML, CSV, forms, multipart, events.
public struct DocumentSerializer: ResponseSerializer {
    /// The format; nil for what the Content-Type names, or what the body looks like.
    public var format: DocumentFormat?

    /// Makes a serializer.
    public init(as format: DocumentFormat? = nil) { self.format = format }

    /// The tree.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.document` (`.xml` or `.json` if the
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
    public static var xml: DocumentSerializer { DocumentSerializer(as: .xml) }

    /// A tree of any format.
    public static func document(as format: DocumentFormat? = nil) -> DocumentSerializer {
        DocumentSerializer(as: format)
    }
}

/// Reads JSON without a declared form: any value, fragments too.
public struct JSONSerializer: JSONValueSerializer {
    /// Which value; nil for the whole body.
    public var path: String?
    /// Whether an empty body is an error, or `null`.
    public var failsOnEmpty: Bool

    /// Makes a serializer.
    public init(at path: String? = nil, failsOnEmpty: Bool = true) {
        self.path = path
        self.failsOnEmpty = failsOnEmpty
    }

    /// The value.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.json`, `.empty` or `.path`.
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
    public static var json: JSONSerializer { JSONSerializer() }

    /// JSON without a declared form, or the value at a path.
    public static func json(at path: String?, failsOnEmpty: Bool = true) -> JSONSerializer {
        JSONSerializer(at: path, failsOnEmpty: failsOnEmpty)
    }
}

/// Reads text: the whole body, or the string at a path in it.
///
/// The encoding is the byte order mark's, then that of the Content-Type, then UTF-8. At a path a
/// number or a boolean is read as it is written; null, arrays and objects are no text.
public struct StringSerializer: JSONValueSerializer {
    /// What a value of the body is read; nil for the whole body as text.
    public var path: String?
    /// The encoding; nil for the answer's own.
    public var charset: String?
    /// Whether U+FFFD stands for bytes that are not of the encoding, instead of an error.
    public var repairs: Bool

    /// Makes a serializer.
    public init(at path: String? = nil, charset: String? = nil, repairs: Bool = false) {
        self.path = path
        self.charset = charset
        self.repairs = repairs
    }

    /// The text.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.string`, `.json` or `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> String {
        if path != nil {
            return try value(from: response.json(), of: response)
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
    /// Text, or the string at a path.
    public static var string: StringSerializer { StringSerializer() }

    /// Text, or the string at a path.
    public static func string(
        at path: String?,
        charset: String? = nil,
        repairs: Bool = false
    ) -> StringSerializer {
        StringSerializer(at: path, charset: charset, repairs: repairs)
    }
}
