public import Documents
import Secrets

/// How an API wraps its data: the paths of its code, its message and the data, and which codes mean success.
///
/// ```swift
/// // {"status": {"code": 0, "text": "fine"}, "data": {…}}
/// let envelope = ResponseEnvelope(code: "status>code", message: "status>text", data: "data", success: "0")
/// ```
///
/// A path is short, such as `a>b` or `a.b[0]`, or a JSONPath. "" is the whole body.
public struct ResponseEnvelope: Sendable, Hashable {
    /// The path of the code, which is a string, a number or a boolean.
    public var codePath: String
    /// The path of the message.
    public var messagePath: String
    /// The path of the data.
    public var dataPath: String
    /// The codes that mean success, as text: `200` and `"200"` are both "200".
    ///
    /// An empty or missing code never means success.
    public var successCodes: Set<String>
    /// Whether a response with missing or `null` data is a failure, whatever its code.
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

    /// Reads the envelope of a response.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.envelope` if the body is not JSON, `.empty`
    ///   or `.path`. A refusal by the server does not throw.
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

    /// A body in this form, nested as the paths say, for example for a synthetic response.
    ///
    /// A part whose path can match more than one value, such as a query, is left out.
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

/// A value from an envelope, and what the envelope says.
public struct Enveloped<Value> {
    /// The code, message and data that the envelope has, and whether it means success.
    public let result: EnvelopeResult
    /// The value; nil if the envelope says that the server refused.
    public let value: Value?

    /// Combines a value with its envelope.
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

/// What the envelope of a response says.
public struct EnvelopeResult: Sendable, Hashable {
    /// Whether the code means success, and data is present if it is required.
    public let isSuccess: Bool
    /// The code as text; nil if there is none.
    public let code: String?
    /// The message; nil if there is none.
    public let message: String?
    /// The data; a missing value if there is none.
    public let data: JSON

    /// Creates a result from known parts, for example for a test.
    public init(isSuccess: Bool, code: String?, message: String?, data: JSON) {
        self.isSuccess = isSuccess
        self.code = code
        self.message = message
        self.data = data
    }
}

/// Reads the envelope of a response.
public struct EnvelopeSerializer: ResponseSerializer {
    let envelope: ResponseEnvelope?

    /// Reads success, code, message and data; a refusal is a value.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.envelope`, `.empty` or `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> EnvelopeResult {
        guard let envelope else {
            throw response.failure(.init(.envelope, detail: MappingMessages.noEnvelope))
        }
        return try envelope.read(response)
    }

    /// A copy of this serializer that reads `envelope`, unless it has an envelope of its own.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self {
        if let envelope = self.envelope ?? envelope() { return Self(envelope: envelope) }
        throw ApusError(.mapping(.init(.envelope, detail: MappingMessages.noEnvelope)))
    }
}

/// Reads the data of an envelope with another serializer, and what the envelope says; a refusal is a value.
public struct EnvelopedResultSerializer<Base: JSONValueSerializer>: ResponseSerializer {
    let base: Base
    let envelope: EnvelopeSerializer

    /// Reads the envelope, and the value of its data if it means success.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`.
    public func serialize(_ response: Response) throws(ApusError) -> Enveloped<Base.Value> {
        let result = try envelope.serialize(response)
        guard result.isSuccess else { return Enveloped(result: result, value: nil) }
        return Enveloped(result: result, value: try base.value(from: result.data, of: response))
    }

    /// A copy of this serializer whose base reads `envelope`, unless it has an envelope of its own.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self {
        Self(base: base, envelope: try self.envelope.resolvingEnvelope(envelope()))
    }

    /// A copy of this serializer whose base decodes with `decoder`, unless it has a decoder of its own.
    public func resolvingDecoder(_ decoder: DocumentDecoder) -> Self {
        Self(base: base.resolvingDecoder(decoder), envelope: envelope)
    }
}

/// Reads the data of an envelope with another serializer; a refusal is an error.
public struct EnvelopedSerializer<Base: JSONValueSerializer>: ResponseSerializer {
    let result: EnvelopedResultSerializer<Base>

    /// Reads the value of the data.
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

    /// A copy of this serializer whose base reads `envelope`, unless it has an envelope of its own.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self {
        Self(result: try result.resolvingEnvelope(envelope()))
    }

    /// A copy of this serializer whose base decodes with `decoder`, unless it has a decoder of its own.
    public func resolvingDecoder(_ decoder: DocumentDecoder) -> Self {
        Self(result: result.resolvingDecoder(decoder))
    }
}

/// Without an envelope of their own, these serializers use the target's or else the provider's when they are
/// given to a ``Provider``.
///
/// If there is none, as on a ``Response``, they fail with the reason `.mapping`, kind `.envelope`.
extension ResponseSerializer {
    /// Reads the data of an envelope with another serializer; a refusal is an error.
    ///
    /// ```swift
    /// let user = try response.value(using: .enveloped(.decodable(User.self), in: envelope))
    /// ```
    /// A path of the other serializer starts at the data.
    public static func enveloped<Base>(
        _ base: Base,
        in envelope: ResponseEnvelope? = nil
    ) -> Self where Self == EnvelopedSerializer<Base> {
        EnvelopedSerializer(result: .envelopedResult(base, in: envelope))
    }

    /// Reads the data of an envelope with another serializer, and what the envelope says; a refusal is a
    /// value.
    public static func envelopedResult<Base>(
        _ base: Base,
        in envelope: ResponseEnvelope? = nil
    ) -> Self where Self == EnvelopedResultSerializer<Base> {
        EnvelopedResultSerializer(base: base, envelope: .envelope(envelope))
    }
}

extension ResponseSerializer where Self == EnvelopeSerializer {
    /// Reads the envelope: success, code, message, data.
    public static var envelope: EnvelopeSerializer { .envelope(nil) }

    /// Reads an envelope of this form: success, code, message, data.
    public static func envelope(_ envelope: ResponseEnvelope?) -> EnvelopeSerializer {
        EnvelopeSerializer(envelope: envelope)
    }
}
