/// A query as defined by RFC 9535, such as `$..orders[?@.total > 10].id`, parsed and checked.
///
/// It refers to no document, so it can be kept, shared between threads and used on any number of documents.
/// Queries that differ only in white space and quotes are equal.
public struct JSONPath: Hashable, Sendable {
    let segments: [QuerySegment]
    /// The number of queries in its filters that begin with `$`.
    let absoluteQueryCount: Int

    /// Parses a query; nothing may precede its `$` or follow its last segment.
    ///
    /// - Throws: `JSONPathError` if the text is not well-formed or not valid: integers beyond ±(2^53 - 1),
    ///   unknown functions, or functions with wrong arguments.
    public init(_ text: String) throws(JSONPathError) {
        var parser = QueryParser(text)
        segments = try parser.parseQuery()
        absoluteQueryCount = parser.absoluteQueryCount
    }

    /// Parses a short path such as `data>list`, `a.b[0]` or `a.b.0`.
    ///
    /// Steps are separated by `.` or `>`. A step of digits selects an element of an array or a member of
    /// that name; `*` selects all children. A name with other characters must be in quotes or in brackets
    /// and quotes (`a.'b.c'`, `a['b.c']`), or have a backslash before each of them (`a.b\.c`). A dot may
    /// precede the path and any bracket, and `[]` is `[*]`, as in jq: `.a[].b`, `.[0]`; `.` is the whole.
    /// - Throws: `JSONPathError`, with the column.
    public init(shortPath text: String) throws(JSONPathError) {
        var parser = ShortPathParser(text)
        segments = try parser.parse()
        absoluteQueryCount = 0
    }

    /// Parses either form, without the white space around it.
    ///
    /// A text that begins with `$`, alone or followed by `.`, `[` or white space, is read as RFC 9535, any other
    /// as a short path.
    ///
    /// - Throws: `JSONPathError`, with the column.
    public init(parsing text: String) throws(JSONPathError) {
        let blanks = text.utf8.prefix(while: Self.blanks.contains).count
        let query = text.utf8.dropFirst(blanks)
        let start = query.prefix(2)
        let isQuery =
            start.first == 0x24
            && (start.count == 1 || (".[".utf8 + Self.blanks).contains(start.last ?? 0))
        do throws(JSONPathError) {
            if isQuery {
                let end = query.lastIndex { !Self.blanks.contains($0) }
                try self.init(String(Substring(end.map { query[...$0] } ?? query)))
            } else {
                try self.init(shortPath: String(Substring(query)))
            }
        } catch {
            throw error.moved(by: blanks)
        }
    }

    /// The white space of RFC 9535.
    private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// Whether the query finds at most one value in documents without duplicate names.
    public var isSingular: Bool { segments.allSatisfy { $0.isSingular || $0.isPlace } }
}

extension JSONPath: CustomStringConvertible {
    /// The query in its canonical form, which parses to an equal query.
    ///
    /// A query of names and indexes is written as the normalized path of RFC 9535, section 2.7.
    public var description: String { "$" + Self.text(segments) }

    private static func text(_ segments: [QuerySegment]) -> String {
        segments.map { segment in
            let selectors = segment.selectors.map(text).joined(separator: ",")
            return (segment.isDescendant ? "..[" : "[") + selectors + "]"
        }.joined()
    }

    private static func text(_ selector: QuerySelector) -> String {
        switch selector {
        case .name(let name): name.quoted
        case .wildcard: "*"
        case .index(let index): String(index)
        case .slice(let slice):
            (slice.start.map(String.init) ?? "") + ":" + (slice.end.map(String.init) ?? "")
                + (slice.step == 1 ? "" : ":" + String(slice.step))
        case .filter(let expression): "?" + text(expression)
        }
    }

    // MARK: - Filters

    private static func text(_ expression: FilterExpression) -> String {
        switch expression {
        case .any(let terms): terms.map { part($0) }.joined(separator: " || ")
        case .all(let terms): terms.map { part($0) }.joined(separator: " && ")
        case .not(let term): "!" + part(term, isNegated: true)
        case .exists(let query): text(query)
        case .comparison(let left, let sign, let right):
            text(left) + " " + sign.rawValue + " " + text(right)
        case .test(let function): text(function)
        }
    }

    /// An expression as part of a larger one, in parentheses if they are needed.
    private static func part(_ expression: FilterExpression, isNegated: Bool = false) -> String {
        switch expression {
        case .any, .all: "(" + text(expression) + ")"
        case .comparison, .not: isNegated ? "(" + text(expression) + ")" : text(expression)
        case .exists, .test: text(expression)
        }
    }

    private static func text(_ query: FilterQuery) -> String {
        (query.absoluteNumber == nil ? "@" : "$") + text(query.segments)
    }

    private static func text(_ operand: FilterOperand) -> String {
        switch operand {
        case .literal(.null): "null"
        case .literal(.bool(let value)): value ? "true" : "false"
        case .literal(.number(let number)): number.description
        case .literal(.string(let text)): text.quoted
        case .query(let query): text(query)
        case .function(let function): text(function)
        }
    }

    private static func text(_ function: FilterFunction) -> String {
        let arguments =
            switch function {
            case .length(let operand): text(operand)
            case .count(let query), .value(let query): text(query)
            case .match(let first, let second), .search(let first, let second):
                text(first) + ", " + text(second)
            }
        return function.name + "(" + arguments + ")"
    }
}

extension QueryName {
    /// The text in single quotes, with the escapes of a normalized path.
    var quoted: String { String(Document.normalised(text).dropFirst().dropLast()) }
}

extension JSONPath {
    /// What the filters in a query's own segments refer to.
    package struct FilterReferences: Sendable, Hashable {
        /// For each query that begins with `$`, the names at its beginning; empty if it begins with
        /// another selector.
        package var absolute: [[String]] = []
        /// Whether a filter has a query that begins with `@`.
        package var hasRelative = false
        /// Whether a query in a filter has filters of its own, which may refer to anything.
        package var hasNested = false
    }

    /// The references of the query's filters, except those in nested filters.
    package var filterReferences: FilterReferences {
        var references = FilterReferences()
        for segment in segments {
            for case .filter(let expression) in segment.selectors { references.add(expression) }
        }
        return references
    }
}

extension JSONPath.FilterReferences {
    fileprivate mutating func add(_ expression: FilterExpression) {
        switch expression {
        case .any(let terms), .all(let terms): for term in terms { add(term) }
        case .not(let term): add(term)
        case .exists(let query): add(query)
        case .comparison(let left, _, let right):
            add(left)
            add(right)
        case .test(let function): add(function)
        }
    }

    private mutating func add(_ operand: FilterOperand) {
        switch operand {
        case .literal: break
        case .query(let query): add(query)
        case .function(let function): add(function)
        }
    }

    private mutating func add(_ function: FilterFunction) {
        switch function {
        case .length(let operand): add(operand)
        case .count(let query), .value(let query): add(query)
        case .match(let first, let second), .search(let first, let second):
            add(first)
            add(second)
        }
    }

    private mutating func add(_ query: FilterQuery) {
        for case .filter in query.segments.flatMap(\.selectors) { hasNested = true }
        guard query.absoluteNumber != nil else {
            hasRelative = true
            return
        }
        var names: [String] = []
        for segment in query.segments {
            guard segment.isSingular, case .name(let name) = segment.selectors[0] else { break }
            names.append(name.text)
        }
        absolute.append(names)
    }
}

extension JSONPath {
    /// The names and indexes along the path; nil if it may find more than one value.
    ///
    /// A step of digits in a short path, which may be either, counts as a name.
    package var steps: [PathStep]? {
        var steps: [PathStep] = []
        for segment in segments {
            guard segment.isSingular || segment.isPlace, let selector = segment.selectors.first
            else { return nil }
            switch selector {
            case .name(let name): steps.append(.name(name.text))
            case .index(let index): steps.append(.index(index))
            case .wildcard, .slice, .filter: return nil
            }
        }
        return steps
    }
}

/// Querying a document.
extension Document {
    /// The values that a query finds, in the order of RFC 9535; a value found twice is listed twice.
    ///
    /// A name selects every member of that name, so that no part of a broken response is hidden; in
    /// a comparison the last one counts. If the document is still being parsed, only the values published
    /// now are searched, and in a cancelled task not all of them.
    ///
    /// `..a..a` finds a value once for each path by which it is reached, so there may be as many results as the
    /// square of the document's size. `matches(of:onProgress:)` lists each value once. It also reports
    /// cancellation, and patterns that were too costly or too large, which count as no match here.
    public func nodes(matching query: JSONPath) -> [NodeIndex] {
        Array(QueryWalk(query, in: self) { !Task.isCancelled })
    }

    /// The first value that a query finds, or nil; the search ends there.
    ///
    /// In a cancelled task it may be nil although there is one.
    public func first(matching query: JSONPath) -> NodeIndex? {
        var walk = QueryWalk(query, in: self) { !Task.isCancelled }
        return walk.next()
    }

    /// The values that a query finds, each once, off the calling actor.
    ///
    /// Duplicates are left out, so that there are never more values than in the document.
    /// `onProgress` is called now and then with the number of values found. If the task is
    /// cancelled, the result has the values found until then and says that it is incomplete.
    @concurrent public func matches(
        of query: JSONPath,
        onProgress: (@Sendable (Int) -> Void)? = nil
    ) async -> QueryMatches {
        let found = FoundNodes()
        var walk = QueryWalk(query, in: self) {
            onProgress?(found.nodes.count)
            return !Task.isCancelled
        }
        var seen = NodeSet()
        while let node = walk.next() {
            if seen.insert(node) { found.nodes.append(node) }
        }
        return QueryMatches(
            nodes: found.nodes,
            isComplete: !walk.isStopped,
            problem: walk.problem
        )
    }

    /// The values found so far, shared with the progress callback.
    private final class FoundNodes {
        var nodes: [NodeIndex] = []
    }
}

/// The result of a query.
public struct QueryMatches: Equatable, Sendable {
    /// The values in the order of RFC 9535, each at its first occurrence.
    public let nodes: [NodeIndex]
    /// False if the task was cancelled before the end.
    public let isComplete: Bool

    /// Why values may be missing although the query ended normally; nil if none are.
    ///
    /// A pattern was too costly for a text, or the regular expression library rejected it.
    public let problem: String?

    /// Creates a result.
    public init(nodes: [NodeIndex], isComplete: Bool, problem: String? = nil) {
        self.nodes = nodes
        self.isComplete = isComplete
        self.problem = problem
    }
}
