public import Documents
import HTTPTypes

/// Where in an answer a value is: `$.user.roles[0]`, `header:X-Token`, `status`.
public enum CapturePath: Sendable, Hashable {
    /// The status, a number.
    case status
    /// A header field; several of one name are one text with commas between them.
    case header(String)
    /// A value in the body.
    ///
    /// A path that can find more than one, such as `$.users[*].id`, gives the list
    /// of all that it finds.
    case body(JSONPath)

    /// Reads a path: `status`, `header:Name`, or a query into the body (RFC 9535),
    /// which may leave out its `$`, name members as they are (`$.user-id`) and have
    /// `>` between its steps.
    ///
    /// - Throws: `JSONPathError`, with the column.
    public init(_ text: String) throws(JSONPathError) {
        if text == "status" {
            self = .status
        } else if text.hasPrefix("header:") {
            let name = text.dropFirst("header:".count).drop { $0 == " " }
            guard HTTPField.Name(String(name)) != nil else {
                throw Self.noFieldName(in: text, at: name.startIndex)
            }
            self = .header(String(name))
        } else {
            self = .body(try Self.query(text))
        }
    }

    /// RFC 9535 has no `-` in a name after a dot; people do.
    private static func query(_ text: String) throws(JSONPathError) -> JSONPath {
        do throws(JSONPathError) {
            return try JSONPath(parsing: text)
        } catch {
            let rest = text.dropFirst()
            guard text.hasPrefix("$."), text.count > 2 || text.hasPrefix("$["),
                !rest.hasPrefix(".."),
                let path = try? JSONPath(shortPath: String(rest.drop { $0 == "." }))
            else { throw error }
            return path
        }
    }

    /// Whether the name of the field, or of a member on the way, is that of a credential.
    var namesCredential: Bool {
        switch self {
        case .status: false
        case .header(let name): HTTPField.Name(name).map(SecretFields.contains) ?? false
        case .body(let query):
            // The canonical form has each name in quotes.
            query.description.split(separator: "'").contains {
                CredentialMask.isSecret(parameter: $0)
            }
        }
    }

    private static func noFieldName(in text: String, at index: String.Index) -> JSONPathError {
        JSONPathError(
            .unexpected(found: String(text[index...].prefix(1)), expected: "a field's name"),
            utf8Offset: text.utf8.distance(from: text.startIndex, to: index),
            column: text.unicodeScalars.distance(from: text.startIndex, to: index) + 1
        )
    }
}

extension CapturePath: CustomStringConvertible {
    /// The path as it is written; a query in its canonical form.
    public var description: String {
        switch self {
        case .status: "status"
        case .header(let name): "header:\(name)"
        case .body(let query): query.description
        }
    }
}
