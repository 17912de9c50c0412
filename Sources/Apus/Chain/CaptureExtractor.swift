import Documents
import HTTPTypes
import Secrets

/// Extracts values from one response, whose body is parsed at most once.
struct CaptureExtractor {
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
    private let budget: CPUTimeBudget
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
        budget = CPUTimeBudget(ofText: response.body.count, limit: timeLimit)
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
