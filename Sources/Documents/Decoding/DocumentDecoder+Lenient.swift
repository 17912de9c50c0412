public import FoundationEssentials

/// Decoding that forgives what servers get wrong.
///
/// A scalar of another kind is read as the declared type when nothing is lost: `"12"` as an
/// integer, `12` as a string, `1`, `"yes"`, `"true"` and `"on"` as true. `lenience` allows more.
/// Everything that was forgiven is reported. What decodes strictly decodes to the same value.
extension DocumentDecoder {
    /// Decodes a JSON text leniently; a broken text is an error as ever.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from bytes: [UInt8]
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: DocumentBytes(bytes))
    }

    /// Decodes a JSON text leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from data: Data
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: data.withUnsafeBytes { DocumentBytes(copying: $0) })
    }

    /// Decodes a JSON text leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from text: String
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: Array(text.utf8))
    }

    /// Decodes a JSON text leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from bytes: DocumentBytes
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: Document.parse(bytes))
    }

    /// Decodes a value of a document leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at node: NodeIndex = .root
    ) throws -> LenientResult<T> {
        // Strictly first: a type that tries one form after the other must not be answered by a
        // coercion to its first form when the text has its second.
        let strict = try context(document, node)
        strict.isReporting = true
        if let value = try? strict.rootValue(type) {
            return LenientResult(value: value, coercions: strict.coercions)
        }
        let lenient = try context(document, node, isLenient: true)
        let value = try lenient.rootValue(type)
        return LenientResult(value: value, coercions: lenient.coercions)
    }

    /// Decodes the value at a path of a document leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at path: String
    ) throws -> LenientResult<T> {
        try decodeLeniently(
            type,
            from: document,
            at: context(document, .root).node(at: path)
        )
    }
}

/// What `DocumentDecoder.decodeLeniently` forgives beyond coercions.
public struct Lenience: Sendable, Equatable {
    /// What becomes of a member that is missing or null.
    public enum MissingValues: Sendable {
        /// An error, as when decoding strictly.
        case `throw`
        /// What the model's own `decodingDefault` has for it, else the `decodingDefault` of the member's
        /// type; an object of a type without one is made of the defaults of its members.
        case typeDefault
    }

    /// What becomes of an array's element or a dictionary's value that cannot be decoded.
    public enum UndecodableElements: Sendable {
        /// An error, as when decoding strictly.
        case `throw`
        /// It is left out.
        case skip
    }

    /// What becomes of members that are missing or null.
    public var missingValues: MissingValues
    /// What becomes of elements that cannot be decoded.
    public var undecodableElements: UndecodableElements

    /// Forgives nothing unless told so.
    public init(
        missingValues: MissingValues = .throw,
        undecodableElements: UndecodableElements = .throw
    ) {
        self.missingValues = missingValues
        self.undecodableElements = undecodableElements
    }
}

/// A value that was decoded leniently, and what was forgiven.
public struct LenientResult<Value> {
    /// The value.
    public let value: Value
    /// What is not in the text as the type wants it, in the order in which it was decoded.
    public let coercions: [DecodingCoercion]
}

extension LenientResult: Sendable where Value: Sendable {}

/// A type that can be made of more than the one kind of value it decodes from.
///
/// Lenient decoding asks it when `init(from:)` has failed on a scalar.
public protocol DecodingCoercible: Decodable {
    /// Makes a value of a scalar of any kind; nil when that has no sense.
    init?(coercing scalar: DecodingScalar)
}

/// One place where lenient decoding took something else than the type wants.
public struct DecodingCoercion: Sendable, Equatable {
    /// What was done.
    public enum Kind: Sendable {
        /// A scalar was read as another type.
        case converted
        /// Nothing was there, or null: a default stands in.
        case defaulted
        /// An element was left out.
        case skipped
    }

    /// What was done.
    public let kind: Kind
    /// The value's path, such as `$.users[3].age`.
    public let path: String
    /// The byte at which the value begins; that of the object when a member is missing.
    public let offset: Int
    /// The value as written, cut when long; empty when it is missing.
    public let source: String
    /// The type that was wanted.
    public let type: String
    /// What it became; empty when it was left out.
    public let result: String
}

/// A value that is no array and no object, as lenient decoding coerces it.
public enum DecodingScalar: Sendable, Equatable {
    /// Null, or nothing at all.
    case null
    /// True or false.
    case bool(Bool)
    /// A number as written.
    case number(String)
    /// A string's content.
    case string(String)
}

/// What scalars of other kinds are read as, where nothing is lost.
extension DecodingScalar {
    private static let truths: Set = ["1", "true", "yes", "on", "y", "t"]
    private static let untruths: Set = ["0", "false", "no", "off", "n", "f"]

    /// As true or false: the numbers 1 and 0, and the usual words in any case.
    var boolean: Bool? {
        switch self {
        case .null: return nil
        case .bool(let value): return value
        case .number(let text):
            return NumberText.integer(Int.self, text).flatMap {
                $0 == 1 ? true : $0 == 0 ? false : nil
            }
        case .string(let text):
            let word = Self.trimmed(text).lowercased()
            if Self.truths.contains(word) { return true }
            return Self.untruths.contains(word) ? false : nil
        }
    }

    /// As text: numbers as they are written.
    var text: String? {
        switch self {
        case .null: nil
        case .bool(let value): value ? "true" : "false"
        case .number(let text), .string(let text): text
        }
    }

    /// As an integer: numbers without a fraction, strings of them, 1 and 0 for true and false.
    func integer<I: FixedWidthInteger>(_ type: I.Type) -> I? {
        switch self {
        case .null: nil
        case .bool(let value): value ? 1 : 0
        case .number(let text): NumberText.integer(type, text)
        case .string(let text): Self.number(text).flatMap { NumberText.integer(type, $0) }
        }
    }

    /// As a number: strings of one, 1 and 0 for true and false.
    func floatingPoint<F: BinaryFloatingPoint & LosslessStringConvertible>(_ type: F.Type) -> F? {
        switch self {
        case .null: return nil
        case .bool(let value): return value ? 1 : 0
        case .number(let text), .string(let text):
            guard let number = Self.number(text), let value = F(number), value.isFinite else {
                return nil
            }
            return value
        }
    }

    /// A text that is a number and nothing else; words such as `nan` are none.
    private static func number(_ text: String) -> String? {
        let text = trimmed(text)
        let isNumber = text.utf8.allSatisfy { byte in
            byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D || byte == 0x2E || byte | 0x20 == 0x65
        }
        return isNumber && Double(text) != nil ? String(text) : nil
    }

    private static func trimmed(_ text: String) -> Substring {
        let start = text.drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
