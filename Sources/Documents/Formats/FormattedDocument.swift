/// A text of any format, opened as a tree.
///
/// JSON is parsed as it is. Every other format is converted to JSON in one pass and that is parsed, so rows,
/// search, queries, diffs and decoding work for all alike. The text itself is kept, and every value has its
/// approximate offset in it.
///
/// - XML: an element is a member named by its tag as written, its attributes are members `@name`, its text is
///   `#text`, or the value itself if the element has nothing else. Siblings of one name become an array at the
///   first of them. Elements mixed with text become a list `#content` in order. Comments are `#comment`,
///   processing instructions `?name`. Entities stay as written.
/// - HTML: the same, of the tree that browsers make of the page, with its `html`, `head` and `body`. Siblings are
///   never grouped: if a name repeats, they become a list of objects with one member each, in order, so that
///   `$..a['@href']` finds every link.
/// - YAML: its values. `0x1F` and `0o17` are numbers in decimal digits; others that JSON does not have, such as
///   `.inf` and `007`, stay text. Aliases are replaced by their values, `<<` stays a member, and a tag such as `!Ref` becomes an object with one
///   member of that name. Several documents become an array.
/// - Form and query: strings by name. Names stay flat as written, a repeated name becomes an array, and a
///   name without `=` is null.
/// - CSV: an array of objects if there is a header, else of arrays. Cells are strings; those beyond the
///   header's last column are in `#surplus`.
/// - Multipart: an array of parts with `name`, `filename`, `headers` and `content`, which is nested
///   JSON, text, or the size and first bytes.
/// - Server-sent events: an array of events; data that is JSON is nested.
public struct FormattedDocument: Sendable {
    /// The format of the text.
    public let format: DocumentFormat
    /// The text as it was received.
    public let original: DocumentBytes
    /// The text in UTF-8: the original, unless it was in another encoding.
    public let text: DocumentBytes
    /// The tree of the text, or of the JSON that the text was converted to.
    public let document: Document
    /// The faults in order, at most 100 of the format.
    ///
    /// For JSON only those of the encoding, because the tree records the others.
    public let faults: [FormattingError]

    private let map: SourceMap?

    /// Opens a text off the calling actor.
    ///
    /// If the task is cancelled, the tree holds what was read until then and the last fault says so.
    @concurrent public static func open(
        _ bytes: DocumentBytes,
        as format: DocumentFormat,
        charset: String? = nil
    ) async -> FormattedDocument {
        await bytes.finishLoading()
        let opened = await BlockingWorkExecutor.read(format) {
            FormattedDocument(bytes, as: format, charset: charset)
        }
        await opened.document.finishParsing()
        return opened
    }

    /// Opens a text on the calling thread; waits for bytes that are still streaming.
    public static func opening(
        _ bytes: DocumentBytes,
        as format: DocumentFormat,
        charset: String? = nil
    ) -> FormattedDocument {
        while bytes.load(atLeast: .max) {}
        let decoded = DecodedText(bytes, format: format, charset: charset)
        return FormattedDocument(decoded, original: bytes, as: format) {
            .parse($0, as: $1, memory: $2)
        }
    }

    /// Opens a text, but parses only the first rows of the tree.
    init(_ bytes: DocumentBytes, as format: DocumentFormat, charset: String? = nil) {
        let decoded = DecodedText(bytes, format: format, charset: charset)
        self.init(decoded, original: bytes, as: format)
    }

    init(
        _ decoded: DecodedText,
        original: DocumentBytes,
        as format: DocumentFormat,
        parsing parse: (DocumentBytes, DocumentForm, TreeMemoryLimit) -> Document = {
            .begin($0, as: $1, memory: $2)
        }
    ) {
        self.format = format
        self.original = original
        text = decoded.text
        let cancelled = FormattingError(
            .cancelled,
            at: decoded.text.count,
            TextPosition(line: 1, column: 1)
        )
        if format.isJSON {
            document = parse(decoded.text, format.documentForm, .standard)
            map = nil
            faults = decoded.faults + (decoded.isCancelled ? [cancelled] : [])
        } else {
            let transcript = ConvertedText(decoded.text, as: format)
            document = parse(transcript.json, .value, transcript.treeLimit)
            map = transcript.map
            let isCancelled = decoded.isCancelled || transcript.isCancelled
            faults = decoded.faults + transcript.faults + (isCancelled ? [cancelled] : [])
        }
    }

    /// A tree of the beginning of a text, for use until the rest has been read; reports no faults.
    static func preview(_ text: DocumentBytes, as format: DocumentFormat) -> Document {
        if format.isJSON { return .parse(text, as: format.documentForm) }
        return .parse(ConvertedText(text, as: format, isCut: true).json)
    }

    /// Whether reading stopped early because the task was cancelled.
    var isCancelled: Bool { faults.last?.kind == .cancelled }

    /// Why the tree is incomplete, if the reason is a memory or time limit; else nil.
    package var limitProblem: String? {
        faults.first { $0.kind == .tooLarge || $0.kind == .takesTooLong(format) }?.description
            ?? document.limitFault?.description
    }

    /// The offset in `text` at or shortly before the byte where a value begins; nil if unknown.
    ///
    /// Exact for elements, YAML values, parts, events and rows of CSV. A value inside one of these has its
    /// offset.
    public func offset(of node: NodeIndex) -> Int? {
        let output = document.valueRange(of: node).lowerBound
        guard let map else { return output }
        return map.input(ofOutput: output)
    }

    /// The line and column of `offset(of:)`, from the start of the text; nil if unknown.
    public func position(of node: NodeIndex) -> TextPosition? {
        offset(of: node).map { text.position(of: $0) }
    }
}

/// A fault in a text's format or encoding, and its position.
public struct FormattingError: Error, Equatable, Sendable {
    /// What can be wrong with a text of a format.
    public enum Kind: Equatable, Sendable {
        /// The text breaks a rule of its format, in the words of the library that read it.
        case broken(DocumentFormat, String)
        /// The text ends inside a quoted cell.
        case openQuote
        /// Text after the closing quote of a cell.
        case textAfterQuote
        /// No line of the text is a boundary.
        case missingBoundary
        /// The text ends before the closing boundary.
        case missingFinalBoundary
        /// A header line of a part without a colon.
        case badHeader
        /// Bytes that are not valid in the encoding.
        case badEncoding(String)
        /// An encoding that the system does not support.
        case unknownEncoding(String)
        /// An alias without an anchor before it.
        case unknownAlias(String)
        /// The tree would be much larger than the text, for example because of aliases of aliases.
        case tooLarge
        /// The text is longer than the library accepts.
        case textTooLong(DocumentFormat)
        /// The library that reads the format is not installed.
        case missingLibrary(String)
        /// The system could not provide the memory.
        case outOfMemory
        /// The task was cancelled.
        case cancelled
        /// The library takes much longer than usual for a text of this size.
        case takesTooLong(DocumentFormat)
    }

    /// What is wrong with the text.
    public let kind: Kind
    /// The byte offset of the fault in the UTF-8 text.
    public let offset: Int
    /// The line and column of `offset`.
    public let position: TextPosition

    /// Creates a fault at an offset, of which `position` is the line and column.
    public init(_ kind: Kind, at offset: Int, _ position: TextPosition) {
        self.kind = kind
        self.offset = offset
        self.position = position
    }
}

extension FormattingError {
    /// Whether the tree may lack some of the text or have it somewhere else.
    var mayLoseText: Bool {
        switch kind {
        case .broken, .openQuote, .textAfterQuote, .unknownAlias, .missingBoundary, .textTooLong,
            .missingLibrary, .outOfMemory:
            true
        case .missingFinalBoundary, .badHeader, .badEncoding, .unknownEncoding, .tooLarge,
            .cancelled, .takesTooLong:
            false
        }
    }
}

extension FormattingError: CustomStringConvertible {
    /// One sentence for people, without the position.
    public var description: String {
        switch kind {
        case .broken(_, let words): words
        case .openQuote: "a quoted cell has no closing quote"
        case .textAfterQuote: "a delimiter was expected after the closing quote"
        case .missingBoundary: "the boundary named in the Content-Type does not occur"
        case .missingFinalBoundary: "the closing boundary is missing"
        case .badHeader: "this header line of a part has no colon"
        case .badEncoding(let name): "these bytes are not valid \(name)"
        case .unknownEncoding(let name): "the encoding \(name) is not supported"
        case .unknownAlias(let name): "*\(name) has no anchor before it"
        case .tooLarge:
            "too large for a tree (limit 16 MiB + 64 times the text, and "
                + "\(TreeMemoryLimit.standardWords))"
        case .textTooLong(let format): "\(format.name) larger than 1 GiB cannot be shown as a tree"
        case .missingLibrary(let reason): "a library is missing (\(reason))"
        case .outOfMemory: "not enough memory for the tree"
        case .cancelled: "reading was cancelled"
        case .takesTooLong(let format): "reading this \(format.name) takes too long"
        }
    }
}
