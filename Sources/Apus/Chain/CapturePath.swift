public import Documents
import HTTPTypes

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
            guard text.hasPrefix("$."), text.count > 2 || text.hasPrefix("$["),
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
            .unexpected(found: String(text[index...].prefix(1)), expected: "a field's name"),
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

/// Extracts values from one response, whose body is parsed at most once.
struct CapturedAnswer {
    /// Why a value was not extracted.
    enum Refusal: Error, Equatable {
        case tooLarge(size: Int, limit: Int)
        case tooManyValues
        case tooManyMatches
        case interrupted(QueryInterruption)
    }

    /// The memory limit for the tree of a body, or of the values taken from it.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 8)
    /// The largest number of values that a path may find, and of their bytes in all: a value inside another
    /// match counts again, so that their total may be the square of the body's size.
    private static let maximumMatches = 100_000
    private static let maximumMatchedBytes = 64 << 20

    private let response: Response
    private let limit: Int
    /// Shared by all paths of this response.
    private let budget: ReadingBudget
    /// The credentials in the values captured so far.
    private(set) var credentials: [String] = []
    private lazy var document: Result<Document?, Refusal> = {
        let size = response.body.count
        guard size <= limit else { return .failure(.tooLarge(size: size, limit: limit)) }
        // A body that cannot be read has no values, and the capture reports that.
        guard let bytes = try? response.body.documentBytes() else { return .success(nil) }
        let document = Document.parse(bytes, memory: Self.treeLimit)
        // Values beyond the limit would be missed silently.
        if document.fault?.kind == .treeTooLarge { return .failure(.tooManyValues) }
        return .success(document.nodeCount > 0 ? document : nil)
    }()

    /// Reads the body only if it has at most `limit` bytes.
    init(_ response: Response, limit: Int, timeLimit: Duration? = nil) {
        self.response = response
        self.limit = limit
        budget = ReadingBudget(ofText: response.body.count, limit: timeLimit)
    }

    /// Returns the captured value, or the fallback, and adds its credentials to `credentials`.
    mutating func value(of capture: ChainPlan.Capture) throws(Refusal) -> JSON? {
        let shortest = capture.shortestCredential
        let (found, nodes) = try found(at: capture.path)
        let value = found ?? capture.fallback
        if found != nil, let nodes, let document = try document.get() {
            var search = CapturedCredentials(
                document,
                known: credentials.count,
                within: budget
            )
            search.look(at: nodes, shortest: shortest)
            if let interruption = budget.interruption { throw .interrupted(interruption) }
            credentials += search.found
        } else if let value {
            credentials += CapturedCredentials.credentials(in: value, shortest: shortest)
        }
        guard credentials.count <= CapturedCredentials.limit else { throw .tooManyMatches }
        return value
    }

    /// Returns the value at a path as a copy, or as a part of the body's tree if it is most of that; nil if
    /// there is none.
    mutating func value(at path: CapturePath) throws(Refusal) -> JSON? {
        try found(at: path).value
    }

    /// Returns the value at a path and its nodes in the body; no nodes for the status and header fields.
    private mutating func found(
        at path: CapturePath
    ) throws(Refusal) -> (value: JSON?, nodes: [NodeIndex]?) {
        switch path {
        case .status: return (JSON(response.status), nil)
        case .header(let name):
            let text = HTTPField.Name(name).flatMap { response.head.headerFields[$0] }
            return (text.map { JSON($0) }, nil)
        case .body(let query):
            guard let document = try document.get() else { return (nil, nil) }
            guard query.isSingular else { return try list(of: query, in: document) }
            let value = JSON(document: document).at(query)
            return (try Self.value(value, in: document), value.source.map { [$0.node] })
        }
    }

    private static func value(_ value: JSON, in document: Document) throws(Refusal) -> JSON? {
        // Missing or truncated.
        guard value.exists, let bytes = try? value.bytes() else { return nil }
        // Copying most of a tree would double its memory.
        if let source = value.source, bytes.count > 1 << 20,
            document.subtreeSize(of: source.node) > document.nodeCount / 2
        {
            return value
        }
        return try parsed(bytes)
    }

    /// Returns all matches as one JSON array that is parsed once, because a separate tree for each match
    /// took 850 bytes per number.
    private func list(
        of query: JSONPath,
        in document: Document
    ) throws(Refusal) -> (JSON?, [NodeIndex]) {
        var nodes: [NodeIndex] = []
        var text: [UInt8] = [UInt8(ascii: "[")]
        var found = BoundedQuery(query, in: document, within: budget)
        while let node = try Self.next(of: &found) {
            nodes.append(node)
            let size = document.valueRange(of: node).count
            guard nodes.count <= Self.maximumMatches,
                text.count + size <= Self.maximumMatchedBytes
            else { throw .tooManyMatches }
            guard let bytes = try? JSON(document: document, node: node).bytes() else {
                return (nil, nodes)
            }
            if nodes.count > 1 { text.append(UInt8(ascii: ",")) }
            text += bytes
            if Task.isCancelled { throw .interrupted(.cancelled) }
        }
        text.append(UInt8(ascii: "]"))
        return (try Self.parsed(text), nodes)
    }

    private static func next(of query: inout BoundedQuery) throws(Refusal) -> NodeIndex? {
        do throws(QueryInterruption) { return try query.next() } catch { throw .interrupted(error) }
    }

    private static func parsed(_ bytes: [UInt8]) throws(Refusal) -> JSON {
        let document = Document.parse(DocumentBytes(bytes), memory: treeLimit)
        // The values were parsed before, so the only possible fault is the memory limit.
        guard document.fault == nil else { throw .tooManyValues }
        return JSON(document: document)
    }
}

extension CapturePath {
    /// Returns the value in a response, as a copy unless it is most of the body.
    ///
    /// Returns nil if there is no such value or a limit is exceeded: 64 MiB plus 8 times the body for its tree,
    /// 100,000 matches, 64 MiB of matches, or 5 seconds of processor time plus 1 second per 4 MiB of body.
    public func value(in response: Response) -> JSON? {
        var answer = CapturedAnswer(response, limit: .max)
        return try? answer.value(at: self)
    }
}
