public import FoundationEssentials

/// Decoding that accepts common mistakes of servers.
///
/// A scalar of another kind is read as the declared type if nothing is lost: `"12"` as an integer, `12` as a
/// string, and `1`, `"yes"`, `"true"` and `"on"` as true. `lenience` allows more. Everything that was accepted
/// so is reported. A text that decodes strictly decodes to the same value.
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
    /// The decoded value, with defaults where the text has nothing that fits.
    public let value: Value
    /// What was accepted although the type needs something else, in the order of decoding.
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

/// A value for which lenient decoding accepted something other than the type needs.
public struct DecodingCoercion: Sendable, Equatable {
    /// How the text was made to fit the type.
    public enum Kind: Sendable {
        /// A scalar was read as another type.
        case converted
        /// The value was missing, null or undecodable, and a default replaces it.
        case defaulted
        /// An element was left out.
        case skipped
    }

    /// How the text was made to fit the type.
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
