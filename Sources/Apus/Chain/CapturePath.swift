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

/// An answer from which values are taken; its body is parsed at most once.
struct CapturedAnswer {
    /// Why no value is looked for.
    enum Refusal: Error {
        case tooLarge(size: Int, limit: Int)
        case tooManyValues
    }

    /// What the tree of a body may take.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 8)

    private let response: Response
    private let limit: Int
    private lazy var document: Result<Document?, Refusal> = {
        let size = response.body.count
        guard size <= limit else { return .failure(.tooLarge(size: size, limit: limit)) }
        // A body that cannot be read has nothing to take, and the capture says so.
        guard let bytes = try? response.body.documentBytes() else { return .success(nil) }
        let document = Document.parse(bytes, memory: Self.treeLimit)
        // What stands behind the limit would be missed without a word.
        if document.fault?.kind == .treeTooLarge { return .failure(.tooManyValues) }
        return .success(document.nodeCount > 0 ? document : nil)
    }()

    /// Looks into an answer, into its body only if that has no more bytes than `limit`.
    init(_ response: Response, limit: Int) {
        self.response = response
        self.limit = limit
    }

    /// The value at a path, independent of the answer's bytes; nil if there is none.
    mutating func value(at path: CapturePath) throws(Refusal) -> JSON? {
        switch path {
        case .status: JSON(response.status)
        case .header(let name):
            HTTPField.Name(name).flatMap { response.head.headerFields[$0] }.map { JSON($0) }
        case .body(let query): try document.get().flatMap { Self.value(at: query, in: $0) }
        }
    }

    private static func value(at query: JSONPath, in document: Document) -> JSON? {
        guard !query.isSingular else {
            return JSON(document: document).at(query).detached
        }
        let found = document.nodes(matching: query).map {
            JSON(document: document, node: $0).detached
        }
        let whole = found.compactMap(\.self)
        return whole.count == found.count ? JSON(whole) : nil
    }
}

extension CapturePath {
    /// The value in an answer, independent of its bytes; nil if there is none, or if the body has
    /// more values than a tree can take (64 MiB + 8 times the body).
    public func value(in response: Response) -> JSON? {
        var answer = CapturedAnswer(response, limit: .max)
        return try? answer.value(at: self)
    }
}

extension JSON {
    /// The value without the document that it is in; nil if it is missing or broken off.
    fileprivate var detached: JSON? {
        guard exists, let bytes = try? bytes() else { return nil }
        return try? JSON(parsing: bytes)
    }
}
