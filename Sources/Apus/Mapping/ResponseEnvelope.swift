public import Documents

/// How an API wraps its data: where its own code, its message and the data stand, and which codes
/// mean success.
///
/// ```swift
/// // {"status": {"code": 0, "text": "fine"}, "data": {…}}
/// let envelope = ResponseEnvelope(code: "status>code", message: "status>text", data: "data", success: "0")
/// ```
///
/// A path is short, such as `a>b` or `a.b[0]`, or a JSONPath; "" is the whole body.
public struct ResponseEnvelope: Sendable, Hashable {
    /// Where the code stands: a string, a number or a boolean.
    public var codePath: String
    /// Where the message stands.
    public var messagePath: String
    /// Where the data stands.
    public var dataPath: String
    /// The codes that mean success, as texts: `200` and `"200"` are both "200".
    ///
    /// An empty text never means success, and neither does a code that is missing.
    public var successCodes: Set<String>
    /// Whether an answer without data, or with `null` for it, is a failure whatever its code.
    public var requiresData: Bool

    /// Describes an envelope.
    public init(
        code: String,
        message: String,
        data: String = "",
        success: String...,
        requiresData: Bool = false
    ) {
        codePath = code
        messagePath = message
        dataPath = data
        successCodes = Set(success)
        self.requiresData = requiresData
    }

    /// What the envelope of an answer says.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.envelope` if the body is no JSON,
    ///   `.empty` or `.path`. A refusal is no error here.
    public func read(_ response: Response) throws(ApusError) -> EnvelopeResult {
        let root = JSON(document: try response.openedJSON(for: .envelope))
        let code = Self.text(try response.value(at: codePath, in: root, for: .envelope))
        let data = try response.value(at: dataPath, in: root, for: .envelope)
        let message = Self.text(try response.value(at: messagePath, in: root, for: .envelope))
        return EnvelopeResult(
            isSuccess: isSuccess(code: code, data: data),
            code: code,
            message: message,
            data: data
        )
    }

    /// A body in this form, nested as its paths are, such as a synthetic answer has.
    ///
    /// Steps of a path that are no names, such as those of a query, are left out.
    public func body(code: JSON, message: String, data: JSON = .null) -> JSON {
        var body = JSON(members: [])
        Self.put(data, at: dataPath, in: &body)
        Self.put(JSON(message), at: messagePath, in: &body)
        Self.put(code, at: codePath, in: &body)
        return body
    }

    private func isSuccess(code: String?, data: JSON) -> Bool {
        guard let code, !code.isEmpty, successCodes.contains(code) else { return false }
        return !requiresData || (data.exists && !data.isNull)
    }

    /// A scalar as text; nil for anything else.
    private static func text(_ json: JSON) -> String? {
        switch json.kind {
        case .integer: json.integer(as: Int.self).map { "\($0)" } ?? json.numberText
        case .string, .decimal, .true, .false: json.stringValue
        default: nil
        }
    }

    private static func put(_ value: JSON, at path: String, in body: inout JSON) {
        guard let query = try? JSONPath(parsing: path), let steps = query.steps else { return }
        body[path: steps] = value
    }
}

/// A value out of an envelope, and what the envelope says of it.
public struct Enveloped<Value> {
    /// What the envelope says.
    public let result: EnvelopeResult
    /// The value; nil if the envelope says that the server refused.
    public let value: Value?

    /// Puts a value and its envelope together.
    public init(result: EnvelopeResult, value: Value?) {
        self.result = result
        self.value = value
    }

    /// Whether the envelope means success.
    public var isSuccess: Bool { result.isSuccess }
    /// The envelope's code as text; nil if there is none.
    public var code: String? { result.code }
    /// The envelope's message; nil if there is none.
    public var message: String? { result.message }
}

extension Enveloped: Sendable where Value: Sendable {}
extension Enveloped: Equatable where Value: Equatable {}

/// What the envelope of an answer says.
public struct EnvelopeResult: Sendable, Hashable {
    /// Whether its code means success, and there is data if there must be.
    public let isSuccess: Bool
    /// The code as text; nil if there is none.
    public let code: String?
    /// The message; nil if there is none.
    public let message: String?
    /// The data; missing if there is none.
    public let data: JSON

    /// What an envelope says, put together by hand, as for a test.
    public init(isSuccess: Bool, code: String?, message: String?, data: JSON) {
        self.isSuccess = isSuccess
        self.code = code
        self.message = message
        self.data = data
    }
}

/// Reads what the envelope of an answer says.
public struct EnvelopeSerializer: ResponseSerializer {
    let envelope: ResponseEnvelope?

    /// Success, code, message and data; a refusal is a value.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.envelope`, `.empty` or `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> EnvelopeResult {
        guard let envelope else {
            throw response.failure(.init(.envelope, detail: MappingMessages.noEnvelope))
        }
        return try envelope.read(response)
    }

    /// The same, with this envelope if it has none.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self {
        if let envelope = self.envelope ?? envelope() { return Self(envelope: envelope) }
        throw ApusError(.mapping(.init(.envelope, detail: MappingMessages.noEnvelope)))
    }
}

/// Reads the data of an envelope by another serializer, with what the envelope says; a refusal is a
/// value.
public struct EnvelopedResultSerializer<Base: JSONValueSerializer>: ResponseSerializer {
    let base: Base
    let envelope: EnvelopeSerializer

    /// What the envelope says, and the value of the data if it means success.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`.
    public func serialize(_ response: Response) throws(ApusError) -> Enveloped<Base.Value> {
        let result = try envelope.serialize(response)
        guard result.isSuccess else { return Enveloped(result: result, value: nil) }
        return Enveloped(result: result, value: try base.value(from: result.data, of: response))
    }

    /// The same, with this envelope if it has none.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self {
        Self(base: base, envelope: try self.envelope.resolvingEnvelope(envelope()))
    }
}

/// Reads the data of an envelope by another serializer; a refusal is an error.
public struct EnvelopedSerializer<Base: JSONValueSerializer>: ResponseSerializer {
    let result: EnvelopedResultSerializer<Base>

    /// The value of the data.
    ///
    /// - Throws: ``ApusError`` with the reason `.envelope` if the server refused, or `.mapping`.
    public func serialize(_ response: Response) throws(ApusError) -> Base.Value {
        let enveloped = try result.serialize(response)
        if let value = enveloped.value { return value }
        throw ApusError(
            response.request.mask.masking(
                .envelope(code: enveloped.code, message: enveloped.message)
            ),
            request: response.request.line,
            response: response
        )
    }

    /// The same, with this envelope if it has none.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self {
        Self(result: try result.resolvingEnvelope(envelope()))
    }
}

/// Without an envelope a ``Provider`` gives them the target's, or else its own; where there is none,
/// as on a ``Response``, they fail with the reason `.mapping`, kind `.envelope`.
extension ResponseSerializer {
    /// The data of an envelope, read by another serializer; a refusal is an error.
    ///
    /// ```swift
    /// let user = try response.value(using: .enveloped(.decodable(User.self), in: envelope))
    /// ```
    /// A path of the other one leads on from the data.
    public static func enveloped<Base>(
        _ base: Base,
        in envelope: ResponseEnvelope? = nil
    ) -> Self where Self == EnvelopedSerializer<Base> {
        EnvelopedSerializer(result: .envelopedResult(base, in: envelope))
    }

    /// The data of an envelope, read by another serializer, with what the envelope says; a refusal
    /// is a value.
    public static func envelopedResult<Base>(
        _ base: Base,
        in envelope: ResponseEnvelope? = nil
    ) -> Self where Self == EnvelopedResultSerializer<Base> {
        EnvelopedResultSerializer(base: base, envelope: .envelope(envelope))
    }
}

extension ResponseSerializer where Self == EnvelopeSerializer {
    /// What the envelope says: success, code, message, data.
    public static var envelope: EnvelopeSerializer { .envelope(nil) }

    /// What an envelope says: success, code, message, data.
    public static func envelope(_ envelope: ResponseEnvelope?) -> EnvelopeSerializer {
        EnvelopeSerializer(envelope: envelope)
    }
}
