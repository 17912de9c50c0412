public import Documents
import HTTPTypes
import Secrets

/// Where in a response a value is: `$.user.roles[0]`, `header:X-Token`, `status`.
public enum CapturePath: Sendable, Hashable {
    /// The status as a number.
    case status
    /// A header field; several fields of one name are joined with commas.
    case header(String)
    /// A value in the body.
    ///
    /// A path that can match several values, such as `$.users[*].id`, gives a list of all matches.
    case body(JSONPath)

    /// Parses a path: `status`, `header:Name`, or a query into the body (RFC 9535).
    ///
    /// A query may leave out its `$`, use member names without quotes (`$.user-id`), and separate its steps
    /// with `>`.
    ///
    /// - Throws: `JSONPathError` with the column.
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

    /// Parses a query that may have `-` in a name after a dot, which RFC 9535 does not allow.
    private static func query(_ text: String) throws(JSONPathError) -> JSONPath {
        do throws(JSONPathError) {
            return try JSONPath(parsing: text)
        } catch {
            let rest = text.dropFirst()
            guard text.hasPrefix("$.") || text.hasPrefix("$["),
                !rest.hasPrefix(".."),
                let path = try? JSONPath(shortPath: String(rest.drop { $0 == "." }))
            else { throw error }
            return path
        }
    }

    /// Whether evaluating the path may take long even for a small body.
    var isQuery: Bool { if case .body(let query) = self { !query.isSingular } else { false } }

    /// The minimum length in bytes for the value to count as a credential, judged by the field's name or the
    /// member names in the path; `Int.max` if none of them is a credential's name.
    var shortestCredential: Int {
        switch self {
        case .status: .max
        case .header(let name):
            HTTPField.Name(name).map(SecretFields.contains) == true
                ? CapturedCredentials.shortest : .max
        case .body(let query):
            // The canonical form puts each name in quotes.
            query.description.split(separator: "'").map(CapturedCredentials.shortest(named:)).min()
                ?? .max
        }
    }

    private static func noFieldName(in text: String, at index: String.Index) -> JSONPathError {
        JSONPathError(
            .unexpected(found: String(text[index...].prefix(1)), expected: "a header field name"),
            utf8Offset: text.utf8.distance(from: text.startIndex, to: index),
            column: text.unicodeScalars.distance(from: text.startIndex, to: index) + 1
        )
    }
}

extension CapturePath: CustomStringConvertible {
    /// The path as text; a query in its canonical form.
    public var description: String {
        switch self {
        case .status: "status"
        case .header(let name): "header:\(name)"
        case .body(let query): query.description
        }
    }
}

extension CapturePath {
    /// Returns the value in a response, as a copy unless it is most of the body.
    ///
    /// Returns nil if there is no such value or a limit is exceeded: 64 MiB plus 8 times the body for its tree,
    /// 100,000 matches, 64 MiB of matches, or 5 seconds of CPU time plus 1 second per 4 MiB of body.
    public func value(in response: Response) -> JSON? {
        var answer = CaptureExtractor(response, limit: .max)
        return try? answer.value(at: self)
    }
}
