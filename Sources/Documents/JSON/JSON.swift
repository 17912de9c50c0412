/// A JSON value that can be read without declaring a type, and changed.
///
/// It refers to a node of a document and copies nothing. Changes are kept beside the document: only the
/// containers around a change become lists of references, and everything else is written back as it was. A
/// missing value is not an error until you ask: ``error`` says why it is missing, and its `...Value` accessors
/// return empty values.
///
///     let city = json["users"][0]["address"]["city"].string
///     json["users"][0]["active"] = true
///
/// Numbers keep their text. Equality is by value: numbers by their exact decimal value, strings by code points,
/// objects regardless of the order of their members, except that equal keys count in their order.
public struct JSON: Sendable {
    enum Storage: Sendable {
        case node(Document, NodeIndex)
        case null
        case bool(Bool)
        /// As JSON writes it.
        case number(String)
        case string(String)
        case array(JSONBranch)
        case object(JSONBranch)
        case missing(JSONMissing)
    }

    var storage: Storage

    init(_ storage: Storage) { self.storage = storage }

    // MARK: - Making one

    /// A value of a document.
    ///
    /// The value is missing unless the node is below the document's `nodeCount`.
    public init(document: Document, node: NodeIndex = .root) {
        let isThere = node.rawValue >= 0 && node.rawValue < document.nodeCount
        let missing = JSONMissing(.indexOutOfRange, steps: [.index(node.rawValue)])
        storage = isThere ? .node(document, node) : .missing(missing)
    }

    /// Parses a whole text; throws its first fault.
    public init(parsing text: String) throws(DocumentFault) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Parses a whole text in UTF-8; throws its first fault.
    public init(parsing bytes: [UInt8]) throws(DocumentFault) {
        let document = Document.parse(DocumentBytes(bytes))
        if let fault = document.fault { throw fault }
        self.init(document: document)
    }

    /// The value `null`.
    public static let null = JSON(.null)

    /// Makes a JSON string of a text, which is escaped when it is written.
    public init(_ text: String) { storage = .string(text) }

    /// `true` or `false`.
    public init(_ value: Bool) { storage = .bool(value) }

    /// Makes a number of an integer of any size, in decimal digits.
    public init(_ value: some BinaryInteger) { storage = .number(value.description) }

    /// A number in its shortest form; `null` for infinity and NaN, as in JavaScript.
    public init(_ value: Double) {
        storage = Self.number(value.isFinite ? value.description : nil)
    }

    /// A number in its shortest form; `null` for infinity and NaN, as in JavaScript.
    public init(_ value: Float) {
        storage = Self.number(value.isFinite ? value.description : nil)
    }

    /// Makes an array; a missing value in it becomes `null`.
    public init(_ elements: [JSON]) {
        storage = .array(JSONBranch(values: elements.map(\.orNull)))
    }

    /// An object with its members in this order.
    public init(members: some Sequence<(key: String, value: JSON)>) {
        let branch = JSONBranch()
        for member in members {
            branch.names.append(.text(member.key))
            branch.values.append(member.value.orNull)
        }
        storage = .object(branch)
    }

    /// A number in the given form; nil if the text is not a JSON number.
    public init?(numberText text: String) {
        guard let json = try? JSON(parsing: text), json.numberText == text else { return nil }
        storage = .number(text)
    }

    private static func number(_ description: String?) -> Storage {
        description.flatMap { NumberDigits($0) }.map { .number($0.text) } ?? .null
    }

    // MARK: - What it is

    /// The kind of the value; nil if it is missing.
    public var kind: ValueKind? {
        switch storage {
        case .node(let document, let node): document.kind(of: node)
        case .null: .null
        case .bool(let value): value ? .true : .false
        case .number(let text):
            text.utf8.allSatisfy { $0 < 0x3A && $0 != 0x2E } ? .integer : .decimal
        case .string: .string
        case .array: .array
        case .object: .object
        case .missing: nil
        }
    }

    /// Whether there is a value, even if it is `null`.
    public var exists: Bool { !isMissing }

    /// Whether the value is `null`; a missing one is not.
    public var isNull: Bool { kind == .null }

    /// Why there is no value; nil if there is one.
    public var error: JSONAbsence? {
        guard case .missing(let missing) = storage else { return nil }
        return missing.absence
    }

    /// The document and the node; nil if the value was changed or built.
    public var source: (document: Document, node: NodeIndex)? {
        guard case .node(let document, let node) = storage else { return nil }
        return (document, node)
    }

    var isMissing: Bool {
        guard case .missing = storage else { return false }
        return true
    }

    var orNull: JSON { isMissing ? .null : self }

    var branch: JSONBranch? {
        switch storage {
        case .array(let branch), .object(let branch): branch
        default: nil
        }
    }
}

extension JSON: ExpressibleByStringLiteral {
    /// Makes a JSON string of a literal.
    public init(stringLiteral value: String) { self.init(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// Makes a number of an integer literal.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// A number in its shortest form.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension JSON: ExpressibleByNilLiteral {
    /// The value `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByArrayLiteral {
    /// Makes an array of an array literal; a missing value in it becomes `null`.
    public init(arrayLiteral elements: JSON...) { self.init(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object with its members in this order, including equal names.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members: members.map { (key: $0.0, value: $0.1) })
    }
}

extension JSON: Hashable {
    /// Whether two values are equal: numbers by their exact decimal value, strings by code points, objects
    /// regardless of the order of their members.
    ///
    /// A missing value equals only missing values, and an incomplete one only itself. The comparison takes the
    /// time to write both in canonical form, unless they are the same part of a document.
    public static func == (lhs: JSON, rhs: JSON) -> Bool {
        if lhs.isMissing || rhs.isMissing { return lhs.isMissing && rhs.isMissing }
        if lhs.isSame(as: rhs) { return true }
        guard lhs.shape == rhs.shape, lhs.count == rhs.count else { return false }
        guard let left = lhs.canonicalBytes else { return false }
        return left == rhs.canonicalBytes
    }

    /// Hashes the canonical form, which equal values share.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(isMissing)
        hasher.combine(isMissing ? nil : canonicalBytes)
    }

    private func isSame(as other: JSON) -> Bool {
        if let source, let theirs = other.source {
            return source.document === theirs.document && source.node == theirs.node
        }
        if let branch, let theirs = other.branch { return branch === theirs }
        return false
    }

    /// The kind, with both kinds of numbers as one.
    private var shape: ValueKind? { kind == .decimal ? .integer : kind }

    private var canonicalBytes: [UInt8]? { try? bytes(.canonical(.lossless)) }
}

/// What a missing value remembers, as small as a reference; its path is made on demand.
final class JSONMissing: Sendable {
    /// The value at which the access began; nil if it is not a node of a document.
    let origin: (document: Document, node: NodeIndex)?
    /// The steps from there, the first missing one at `firstMissing`.
    let steps: [PathStep]
    let firstMissing: Int
    let reason: JSONAbsence.Reason

    init(
        _ reason: JSONAbsence.Reason,
        origin: (document: Document, node: NodeIndex)? = nil,
        steps: [PathStep],
        firstMissing: Int = 0
    ) {
        self.reason = reason
        self.origin = origin
        self.steps = steps
        self.firstMissing = firstMissing
    }

    func going(_ step: PathStep) -> JSONMissing {
        JSONMissing(reason, origin: origin, steps: steps + [step], firstMissing: firstMissing)
    }

    func behind(_ start: [PathStep]) -> JSONMissing {
        guard origin == nil else { return self }
        return JSONMissing(
            reason,
            steps: start + steps,
            firstMissing: firstMissing + start.count
        )
    }

    var absence: JSONAbsence {
        let start = origin.map { $0.document.path(of: $0.node) } ?? "$"
        return JSONAbsence(
            reason: reason,
            path: start + steps[...firstMissing].map(\.text).joined(),
            furtherSteps: Array(steps[(firstMissing + 1)...])
        )
    }
}

/// Why there is no value at a path.
public struct JSONAbsence: Error, Sendable, Hashable {
    /// Which step of a path leads to nothing.
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// A name was looked up in a value that is not an object.
        case notAnObject
        /// An index was looked up in a value that is not an array.
        case notAnArray
        /// The object has no member of this name.
        case noSuchMember
        /// The array has no element at this index.
        case indexOutOfRange
        /// No value in it matches the query; the query is the last step of the path.
        case nothingMatches
        /// The query was given up without a result: it took too long, its task was cancelled, or a pattern is
        /// too costly. The query is the last step of the path.
        case queryGivenUp
    }

    /// Which step of a path leads to nothing.
    public let reason: Reason
    /// The normalized path to the first value that is missing.
    ///
    /// It begins at the document's root; for a value that was built or changed, at that value.
    public let path: String
    /// The steps after that path that were asked for too.
    public let furtherSteps: [PathStep]
}

extension JSONAbsence: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .notAnObject: "\(path) does not exist: its parent is not an object"
        case .notAnArray: "\(path) does not exist: its parent is not an array"
        case .noSuchMember: "\(path) does not exist: the object has no such member"
        case .indexOutOfRange: "\(path) does not exist: the array has fewer elements"
        case .nothingMatches: "\(path) does not exist: nothing matches this query"
        case .queryGivenUp: "\(path) is unknown: the query took too long or was cancelled"
        }
    }
}
