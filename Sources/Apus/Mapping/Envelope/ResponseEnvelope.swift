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
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.envelope` if the body is no JSON,
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
