public import Documents

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
