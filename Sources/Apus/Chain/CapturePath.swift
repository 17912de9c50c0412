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

    /// Whether looking for it may take long, however small the answer is.
    var isQuery: Bool { if case .body(let query) = self { !query.isSingular } else { false } }

    /// How many bytes what stands there must have to be a credential, by the name of the field or
    /// those of members on the way; `Int.max` if none is that of one.
    var shortestCredential: Int {
        switch self {
        case .status: .max
        case .header(let name):
            HTTPField.Name(name).map(SecretFields.contains) == true
                ? CapturedCredentials.shortest : .max
        case .body(let query):
            // The canonical form has each name in quotes.
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
    enum Refusal: Error, Equatable {
        case tooLarge(size: Int, limit: Int)
        case tooManyValues
        case tooManyMatches
        case interrupted(QueryInterruption)
    }

    /// What the tree of a body, or of what is taken from it, may take.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 8)
    /// How many values a path may find, and how many bytes they may have together: one value in
    /// another is there twice, so that their sum may be the square of the body's size.
    private static let maximumMatches = 100_000
    private static let maximumMatchedBytes = 64 << 20

    private let response: Response
    private let limit: Int
    /// Of all its paths together.
    private let budget: ReadingBudget
    /// The credentials in what was captured.
    private(set) var credentials: [String] = []
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
    init(_ response: Response, limit: Int, timeLimit: Duration? = nil) {
        self.response = response
        self.limit = limit
        budget = ReadingBudget(ofText: response.body.count, limit: timeLimit)
    }

    /// What is captured, and noted as far as it is a credential.
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

    /// The value at a path, independent of the answer's bytes unless it is most of them; nil if
    /// there is none.
    mutating func value(at path: CapturePath) throws(Refusal) -> JSON? {
        try found(at: path).value
    }

    /// The value at a path, and where it stands in the body.
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
        // Missing, or broken off.
        guard value.exists, let bytes = try? value.bytes() else { return nil }
        // A copy of most of a tree would take as much once more.
        if let source = value.source, bytes.count > 1 << 20,
            document.subtreeSize(of: source.node) > document.nodeCount / 2
        {
            return value
        }
        return try parsed(bytes)
    }

    /// All values that a query finds, written as one text and parsed once: a tree of its own for
    /// each took 850 bytes for a number.
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
        // What was read once can be read again, unless there is too much of it.
        guard document.fault == nil else { throw .tooManyValues }
        return JSON(document: document)
    }
}

extension CapturePath {
    /// The value in an answer, independent of its bytes unless it is most of them; nil if there is
    /// none, if the body has more values than a tree can take (64 MiB + 8 times the body), or if the
    /// path finds more than 100,000 values or 64 MiB of them, or takes more than 5 seconds of
    /// processor time and a second for each 4 MiB.
    public func value(in response: Response) -> JSON? {
        var answer = CapturedAnswer(response, limit: .max)
        return try? answer.value(at: self)
    }
}
