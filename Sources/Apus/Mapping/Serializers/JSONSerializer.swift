public import Documents

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
