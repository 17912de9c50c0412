/// A query as RFC 9535 defines them, such as `$..orders[?@.total > 10].id`; parsed and checked.
///
/// It holds no document and may be kept, shared between threads and asked of any number of them.
/// Equal queries are equal whatever their blanks and quotes are.
public struct JSONPath: Hashable, Sendable {
    let segments: [QuerySegment]
    /// How many queries that begin with `$` its filters hold.
    let absoluteQueryCount: Int

    /// Parses a query; nothing may stand before its `$` or behind its last segment.
    ///
    /// - Throws: `JSONPathError` for what is not well-formed and for what is not valid: integers
    ///   beyond ±(2^53 - 1), functions that do not exist or are given what they do not take.
    public init(_ text: String) throws(JSONPathError) {
        var parser = QueryParser(text)
        segments = try parser.parseQuery()
        absoluteQueryCount = parser.absoluteQueryCount
    }

    /// Parses a short path such as `data>list`, `a.b[0]` or `a.b.0`.
    ///
    /// Steps are parted by `.` or `>`. A step of digits is an element of an array or a member of
    /// that name; `*` is all of them. A name with other characters stands in quotes or in brackets
    /// and quotes (`a.'b.c'`, `a['b.c']`), or has a backslash before each of them (`a.b\.c`).
    /// - Throws: `JSONPathError`, with the column.
    public init(shortPath text: String) throws(JSONPathError) {
        var parser = ShortPathParser(text)
        segments = try parser.parse()
        absoluteQueryCount = 0
    }

    /// Parses either form: a text that begins with `$`, alone or before `.`, `[` or a blank, is
    /// RFC 9535, everything else a short path.
    ///
    /// - Throws: `JSONPathError`, with the column.
    public init(parsing text: String) throws(JSONPathError) {
        let start = text.utf8.prefix(2)
        let isQuery =
            start.first == 0x24 && (start.count == 1 || ".[ \t\r\n".utf8.contains(start.last ?? 0))
        if isQuery { try self.init(text) } else { try self.init(shortPath: text) }
    }

    /// Whether it finds one value at most, in documents without repeated names.
    public var isSingular: Bool { segments.allSatisfy { $0.isSingular || $0.isPlace } }
}

extension JSONPath: CustomStringConvertible {
    /// The query in its canonical form, which parses to an equal query.
    ///
    /// A query of names and indexes is written as the normalised path of RFC 9535 section 2.7.
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

    /// An expression as a part of a larger one, in parentheses where they are needed.
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
    /// The text in single quotes, with the escapes of a normalised path.
    var quoted: String { String(Document.normalised(text).dropFirst().dropLast()) }
}

extension JSONPath {
    /// What the filters of a query's own segments look at.
    package struct FilterReferences: Sendable, Hashable {
        /// For each query that begins with `$`, the names that it begins with; a query
        /// that begins with something else has none.
        package var absolute: [[String]] = []
        /// Whether a query begins with `@`.
        package var hasRelative = false
        /// Whether a query has filters of its own, which may look at anything.
        package var hasNested = false
    }

    /// The queries in the filters, those inside the filters of other queries left out.
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
    /// The names and places that it goes through; nil when it may find more than one value.
    ///
    /// A step of digits in a short path, which may be either, is a name.
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

/// Asking a document.
extension Document {
    /// The values that a query finds, in the order of RFC 9535; one found twice is there twice.
    ///
    /// A name selects every member of that name, so that nothing of a broken answer is hidden; in
    /// a comparison the last one counts. Of a document that is still being parsed only what is
    /// there now is looked at, and in a cancelled task not all of that.
    ///
    /// `..a..a` finds a value as often as there are ways to it, which may be the square of the
    /// document's size. `matches(of:onProgress:)` has each once, says when it was cancelled, and
    /// when a pattern was too costly for a text, or too large, which is no match here.
    public func nodes(matching query: JSONPath) -> [NodeIndex] {
        Array(QueryWalk(query, in: self) { !Task.isCancelled })
    }

    /// The first value that a query finds; nothing behind it is looked at.
    ///
    /// In a cancelled task it may be nil although there is one.
    public func first(matching query: JSONPath) -> NodeIndex? {
        var walk = QueryWalk(query, in: self) { !Task.isCancelled }
        return walk.next()
    }

    /// The values that a query finds, each once, off the calling actor.
    ///
    /// One found again is left out, so that there are never more than the document has.
    /// `onProgress` is called now and then with the number of values found. When the task is
    /// cancelled the result has those found until then and says that it is not complete.
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

    /// What was found so far, for the progress.
    private final class FoundNodes {
        var nodes: [NodeIndex] = []
    }
}

/// What a query found.
public struct QueryMatches: Equatable, Sendable {
    /// The values, in the order of RFC 9535, each where it was found first.
    public let nodes: [NodeIndex]
    /// False when the search was cancelled before its end.
    public let isComplete: Bool

    /// Why values may be missing although it came to its end: a pattern that was too costly for a
    /// text, or that the library of regular expressions does not take; nil otherwise.
    public let problem: String?

    /// Says what a query found.
    public init(nodes: [NodeIndex], isComplete: Bool, problem: String? = nil) {
        self.nodes = nodes
        self.isComplete = isComplete
        self.problem = problem
    }
}
