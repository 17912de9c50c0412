import Documents
import Foundation
import Testing

/// What a decoder made of a text: the value as Swift prints it, or the kind of error.
enum DecodingOutcome: Equatable {
    case value(String)
    case error(String)

    init<T>(_ decode: () throws -> T) {
        do {
            self = .value(Self.text(try decode()))
        } catch DecodingError.typeMismatch {
            self = .error("typeMismatch")
        } catch DecodingError.valueNotFound {
            self = .error("valueNotFound")
        } catch DecodingError.keyNotFound(let key, _) {
            self = .error("keyNotFound \(key.stringValue)")
        } catch DecodingError.dataCorrupted {
            self = .error("dataCorrupted")
        } catch {
            self = .error("\(error)")
        }
    }

    /// Sets and dictionaries have an order of their own each.
    private static func text(_ value: Any) -> String {
        if let set = value as? Set<Int> { return "\(set.sorted())" }
        if let members = value as? [String: Int?] {
            return "\(members.sorted { $0.key < $1.key })"
        }
        return String(reflecting: value)
    }
}

/// Decodes a text with both decoders and expects the same.
func expectSame<T: Decodable>(
    _ type: T.Type,
    _ text: String,
    ours: DocumentDecoder = DocumentDecoder(),
    theirs: JSONDecoder = JSONDecoder(),
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let our = DecodingOutcome { try ours.decode(type, from: text) }
    let their = DecodingOutcome { try theirs.decode(type, from: Data(text.utf8)) }
    #expect(our == their, "\(type) from \(text)", sourceLocation: sourceLocation)
}
