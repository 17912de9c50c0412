public import FoundationEssentials

/// Decoding that accepts common mistakes of servers.
///
/// A scalar of another kind is read as the declared type if nothing is lost: `"12"` as an integer, `12` as a
/// string, and `1`, `"yes"`, `"true"` and `"on"` as true. `lenience` allows more. Everything that was accepted
/// this way is reported. A text that decodes strictly decodes to the same value.
extension DocumentDecoder {
    /// Decodes a JSON text leniently; a broken text still throws.
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
        // Strictly first: a type that tries several forms in turn must not get a coercion to its first form if
        // the text has its second.
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

/// What `DocumentDecoder.decodeLeniently` accepts beyond coercions.
public struct Lenience: Sendable, Equatable {
    /// What happens to a member that is missing or null.
    public enum MissingValues: Sendable {
        /// An error, as when decoding strictly.
        case `throw`
        /// It gets its value in the model's own `decodingDefault`, otherwise the `decodingDefault` of its type.
        /// An object of a type without one is made from the defaults of its members.
        case typeDefault
    }

    /// What happens to an array's element or a dictionary's value that cannot be decoded.
    public enum UndecodableElements: Sendable {
        /// An error, as when decoding strictly.
        case `throw`
        /// It is left out.
        case skip
    }

    /// What happens to members that are missing or null.
    public var missingValues: MissingValues
    /// What happens to elements that cannot be decoded.
    public var undecodableElements: UndecodableElements

    /// Accepts nothing more by default.
    public init(
        missingValues: MissingValues = .throw,
        undecodableElements: UndecodableElements = .throw
    ) {
        self.missingValues = missingValues
        self.undecodableElements = undecodableElements
    }
}

/// A leniently decoded value, and what was accepted for it.
public struct LenientResult<Value> {
    /// The value.
    public let value: Value
    /// The places where the text is not as the type needs it, in the order in which they were decoded.
    public let coercions: [DecodingCoercion]
}

extension LenientResult: Sendable where Value: Sendable {}

/// A type that can be made from more kinds of values than the one it decodes from.
///
/// Lenient decoding calls this initializer after `init(from:)` has failed on a scalar.
public protocol DecodingCoercible: Decodable {
    /// Makes a value from a scalar of any kind; nil if that makes no sense.
    init?(coercing scalar: DecodingScalar)
}

/// One place where lenient decoding accepted something other than the type needs.
public struct DecodingCoercion: Sendable, Equatable {
    /// What was done.
    public enum Kind: Sendable {
        /// A scalar was read as another type.
        case converted
        /// The value was missing, null or undecodable, and a default replaces it.
        case defaulted
        /// An element was left out.
        case skipped
    }

    /// What was done.
    public let kind: Kind
    /// The value's path, such as `$.users[3].age`.
    public let path: String
    /// The byte at which the value begins; the object's if a member is missing.
    public let offset: Int
    /// The value as written, cut if it is long; empty if it is missing.
    public let source: String
    /// The type that was needed.
    public let type: String
    /// The value that it became; empty if it was left out.
    public let result: String
}

/// A scalar, from which lenient decoding can make values of other types.
public enum DecodingScalar: Sendable, Equatable {
    /// Null, or a missing value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number as written.
    case number(String)
    /// A string's content.
    case string(String)
}

/// Reading scalars as other kinds, if nothing is lost.
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

    /// As an integer: numbers without a fraction, strings with such a number, and 1 and 0 for true and false.
    func integer<I: FixedWidthInteger>(_ type: I.Type) -> I? {
        switch self {
        case .null: nil
        case .bool(let value): value ? 1 : 0
        case .number(let text): NumberText.integer(type, text)
        case .string(let text): Self.number(text).flatMap { NumberText.integer(type, $0) }
        }
    }

    /// As a floating-point number: numbers, strings with a number, and 1 and 0 for true and false.
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

    /// The trimmed text if it is a number and nothing else; nil for anything else, such as `nan`.
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
