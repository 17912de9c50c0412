import Documents
import FlyingFox
import FoundationEssentials

extension Call {
    /// Bodies that are looked into are kept up to this size.
    static let bodyLimit = 64 << 20

    /// The whole body; one over the limit is read to its end, so that the connection can go on,
    /// and refused.
    func body() async throws -> Data {
        var body = Data()
        var isTooLarge = false
        for try await piece in request.bodySequence {
            if body.count + piece.count > Self.bodyLimit { isTooLarge = true }
            if !isTooLarge { body.append(piece) }
        }
        if isTooLarge {
            throw Problem(status: 413, detail: "A body may have \(Self.bodyLimit) bytes.")
        }
        return body
    }

    /// The body as JSON of the given shape: 400 when it is no JSON, 422 when it is of another
    /// shape.
    func decoded<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        let body = try await body()
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
