/// A JSON value that can be read without declaring its form, and changed.
///
/// It is a reference to a node of a document, and copies nothing. What is changed is kept beside the
/// document: only the containers around a change become lists of references, and everything else is
/// written back as it was written. A value that is not there is no error until somebody asks: it has
/// ``error``, and its `...Value` accessors give what is empty.
///
///     let city = json["users"][0]["address"]["city"].string
///     json["users"][0]["active"] = true
///
/// Numbers keep their text. Equality is by value: numbers by their exact decimal value, strings by
/// code points, objects whatever the order of their members; equal keys count in their order.
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
    /// The node must be under the document's `nodeCount`, or the value is missing.
    public init(document: Document, node: NodeIndex = .root) {
        let isThere = node.rawValue >= 0 && node.rawValue < document.nodeCount
        let missing = JSONMissing(.indexOutOfRange, steps: [.index(node.rawValue)])
        storage = isThere ? .node(document, node) : .missing(missing)
    }

    /// Parses a whole text; throws what is wrong in it.
    public init(parsing text: String) throws(DocumentFault) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Parses a whole text in UTF-8; throws what is wrong in it.
    public init(parsing bytes: [UInt8]) throws(DocumentFault) {
        let document = Document.parse(DocumentBytes(bytes))
        if let fault = document.fault { throw fault }
        self.init(document: document)
    }

    /// The value `null`.
    public static let null = JSON(.null)

    /// A string.
    public init(_ text: String) { storage = .string(text) }

    /// `true` or `false`.
    public init(_ value: Bool) { storage = .bool(value) }

    /// An integer.
    public init(_ value: some BinaryInteger) { storage = .number(value.description) }

    /// A number in its shortest form; `null` for infinity and what is no number, as in JavaScript.
    public init(_ value: Double) {
        storage = Self.number(value.isFinite ? value.description : nil)
    }

    /// A number in its shortest form; `null` for infinity and what is no number, as in JavaScript.
    public init(_ value: Float) {
        storage = Self.number(value.isFinite ? value.description : nil)
    }

    /// An array.
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

    /// A number as written; nil when it is not how JSON writes one.
    public init?(numberText text: String) {
        guard let json = try? JSON(parsing: text), json.numberText == text else { return nil }
        storage = .number(text)
    }

    private static func number(_ description: String?) -> Storage {
        description.flatMap { NumberDigits($0) }.map { .number($0.text) } ?? .null
    }

    // MARK: - What it is

    /// What the value is; nil when it is missing.
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

    /// Whether there is a value, be it `null`.
    public var exists: Bool { !isMissing }

    /// Whether the value is `null`; a missing one is not.
    public var isNull: Bool { kind == .null }

    /// Why there is no value; nil when there is one.
    public var error: JSONAbsence? {
        guard case .missing(let missing) = storage else { return nil }
        return missing.absence
    }

    /// The document and the node, as long as the value was not changed or built.
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
