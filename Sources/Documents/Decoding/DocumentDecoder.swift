public import FoundationEssentials

/// Decodes `Decodable` values directly from the nodes of a document.
///
/// It behaves like Foundation's `JSONDecoder` and has the same strategies, with three differences: the last of
/// several equal keys counts, integers are exact however they are written, and an error about a value says
/// where it is in the text: its context's `underlyingError` is a `DecodingLocation`.
///
/// A decoder is a value: change it freely, and use it from any thread. Decoded values never nest deeper than
/// `maximumDepth`, so a hostile text cannot exhaust the stack.
public struct DocumentDecoder: Sendable {
    /// How a `Date` is written.
    public var dateDecodingStrategy = DateDecodingStrategy.deferredToDate
    /// How a `Data` is written.
    public var dataDecodingStrategy = DataDecodingStrategy.base64
    /// How the names of members are written.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    /// How infinity and not-a-number are written.
    public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
    /// The value of `Decoder.userInfo` for the types that are decoded.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// How deeply decoded values may nest; only recursive types come near the limit.
    ///
    /// The default leaves room on a thread with a stack of 512 KiB.
    public var maximumDepth = 512
    /// What `decodeLeniently` accepts beyond coercions.
    public var lenience = Lenience()

    /// Makes a decoder with the strategies of a new `JSONDecoder`.
    public init() {}

    // MARK: - Whole texts

    /// Decodes a JSON text.
    ///
    /// Throws `DecodingError.dataCorrupted` with the position of the fault if the text is broken.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try decode(type, from: DocumentBytes(bytes))
    }

    /// Decodes a JSON text.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try decode(type, from: data.withUnsafeBytes { DocumentBytes(copying: $0) })
    }

    /// Decodes a JSON text.
    public func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        var text = text
        let bytes = text.withUTF8 { DocumentBytes(copying: UnsafeRawBufferPointer($0)) }
        return try decode(type, from: bytes)
    }

    /// Decodes a JSON text.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: DocumentBytes) throws -> T {
        try decode(type, from: Document.parse(bytes))
    }

    // MARK: - Documents

    /// Decodes a value of a document.
    ///
    /// Throws if the document is unfinished or has a fault.
    public func decode<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at node: NodeIndex = .root
    ) throws -> T {
        try context(document, node).rootValue(type)
    }

    /// Decodes the value at a path of a document, such as `users[3].name`.
    ///
    /// The path is one for `JSONPath(parsing:)`; if it finds several values, the first is decoded. If it
    /// finds none, the `DecodingError.keyNotFound` or `valueNotFound` that is thrown names the missing part.
    public func decode<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at path: String
    ) throws -> T {
        try decode(type, from: document, at: context(document, .root).node(at: path))
    }

    /// Makes the context of one decode; throws if the document is broken or unfinished.
    func context(
        _ document: Document,
        _ root: NodeIndex,
        isLenient: Bool = false
    ) throws -> DecodingContext {
        let context = DecodingContext(document, root: root.rawValue, self, isLenient: isLenient)
        if let fault = document.fault { throw context.broken(fault) }
        guard document.isFinished else { throw context.unfinished() }
        return context
    }
}

extension DocumentDecoder {
    /// How a `Data` is written.
    public enum DataDecodingStrategy: Sendable {
        /// As `Data` decodes itself: an array of numbers.
        case deferredToData
        /// A string in base 64 (RFC 4648, section 4).
        case base64
        /// Whatever the function decodes.
        case custom(@Sendable (any Decoder) throws -> Data)
    }
}

extension DocumentDecoder {
    /// How a `Date` is written.
    public enum DateDecodingStrategy: Sendable {
        /// As `Date` decodes itself: seconds since 2001.
        case deferredToDate
        /// A number of seconds since 1970.
        case secondsSince1970
        /// A number of milliseconds since 1970.
        case millisecondsSince1970
        /// A string such as `2026-11-21T12:00:00Z` (RFC 3339).
        case iso8601
        /// A string that the function parses.
        case formatted(@Sendable (String) throws -> Date)
        /// Whatever the function decodes.
        case custom(@Sendable (any Decoder) throws -> Date)

        /// A string that a parse strategy reads, such as that of a format style.
        public static func parsed<Strategy>(by strategy: Strategy) -> Self
        where
            Strategy: ParseStrategy & Sendable, Strategy.ParseInput == String,
            Strategy.ParseOutput == Date
        {
            .formatted { try strategy.parse($0) }
        }
    }
}

extension DocumentDecoder {
    /// How the names of members are written.
    public enum KeyDecodingStrategy: Sendable {
        /// Like the coding keys.
        case useDefaultKeys
        /// `one_two_three` for the coding key `oneTwoThree`.
        ///
        /// Underscores at the start and the end stay.
        case convertFromSnakeCase
        /// As the function converts them; it gets the path to the member, which ends with its own name.
        case custom(@Sendable ([any CodingKey]) -> any CodingKey)
    }
}

extension DocumentDecoder {
    /// How infinity and not-a-number are written, for which JSON has no numbers.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// Not at all: decoding them throws.
        case `throw`
        /// As these strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}

/// Turns `one_two` into `oneTwo`, exactly as `JSONDecoder` does.
enum SnakeCase {
    /// The name in camel case; a name of one word stays as it is.
    static func camel(_ key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }),
            let last = key.lastIndex(where: { $0 != "_" })
        else { return key }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        var text = String(key[..<first]) + words[0].lowercased()
        for word in words.dropFirst() { text += word.capitalized }
        return text + key[key.index(after: last)...]
    }
}

/// A type that `DocumentDecoder` makes from a node instead of through `init(from:)`.
///
/// Other decoders still use `init(from:)`.
public protocol NodeDecodable: Decodable {
    /// Makes a value from a document's node; it may keep both.
    init(document: Document, node: NodeIndex) throws
}
