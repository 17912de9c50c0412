/// A text of any format, opened as a tree.
///
/// JSON is its own tree. Every other format is written as JSON in one pass, and that is parsed: rows,
/// search, queries, diffs and decoding are the same for all. The text itself stays, and every value
/// knows about where in it it was.
///
/// - XML: an element is a member by its tag as written, its attributes are members `@name`, its text
///   is `#text`, or the value itself when there is nothing else. Siblings of one name are an array at
///   the place of the first. Text between elements makes them a list `#content` in order. Comments
///   are `#comment`, instructions `?name`. Entities stay as written.
/// - HTML: the same, but siblings are never gathered: where a name repeats they are a list of
///   objects with one member, in order, so that `$..a['@href']` finds every link.
/// - YAML: its values; numbers that JSON does not know, such as `0x1F`, stay text. Aliases are
///   filled in, `<<` stays a member, a tag such as `!Ref` is an object with that member. Several
///   documents are an array.
/// - Form and query: strings by name, names flat as written, a repeated name is an array, a name
///   without `=` is null.
/// - CSV: an array of objects when there is a header, else of arrays; cells are strings, those
///   behind the header's last are in `#surplus`.
/// - Multipart: an array of parts with `name`, `filename`, `headers` and `content`, which is nested
///   JSON, text, or the size and first bytes.
/// - Server-sent events: an array of events; data that is JSON is nested.
public struct FormattedDocument: Sendable {
    /// What the text is written in.
    public let format: DocumentFormat
    /// The text as it came.
    public let original: DocumentBytes
    /// The text in UTF-8: the original, unless it was in another encoding.
    public let text: DocumentBytes
    /// The tree.
    public let document: Document
    /// What was wrong, in order, at most 100; empty for JSON, whose tree has its own fault.
    public let faults: [FormatFault]

    private let map: SourceMap?

    /// Opens a text off the calling actor.
    ///
    /// When the task is cancelled, the tree is what was read until then and the last fault says so.
    @concurrent public static func open(
        _ bytes: DocumentBytes,
        as format: DocumentFormat,
        charset: String? = nil
    ) async -> FormattedDocument {
        await bytes.finishLoading()
        let opened = await ReadingExecutor.read(format) {
            FormattedDocument(bytes, as: format, charset: charset)
        }
        await opened.document.finishParsing()
        return opened
    }

    /// Opens a text on the calling thread; waits for bytes that stream.
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

    /// Opens a text; of the tree only the first rows are parsed.
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
        let cancelled = FormatFault(
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

    /// The beginning of a text as a tree, while the rest is not read yet; it has no faults.
    static func preview(_ text: DocumentBytes, as format: DocumentFormat) -> Document {
        if format.isJSON { return .parse(text, as: format.documentForm) }
        return .parse(ConvertedText(text, as: format, isCut: true).json)
    }

    /// Whether the text was not read to its end because the task was cancelled.
    var isCancelled: Bool { faults.last?.kind == .cancelled }

    /// Why it is not all there, when that is because it would take too much memory or time.
    package var limitProblem: String? {
        faults.first { $0.kind == .tooLarge || $0.kind == .takesTooLong(format) }?.description
            ?? document.limitFault?.description
    }

    /// A byte of `text` at or shortly before the one where a value begins; nil when it is not known.
    ///
    /// Exact for elements, YAML values, parts, events and rows of CSV; for what lies in them it is
    /// theirs.
    public func offset(of node: NodeIndex) -> Int? {
        let output = document.valueRange(of: node).lowerBound
        guard let map else { return output }
        return map.input(ofOutput: output)
    }

    /// The line and column of `offset(of:)`; it counts from the start of the text.
    public func position(of node: NodeIndex) -> TextPosition? {
        offset(of: node).map { text.position(of: $0) }
    }
}

/// What was wrong in a text of another format than JSON, and where.
public struct FormatFault: Error, Equatable, Sendable {
    /// What was wrong.
    public enum Kind: Equatable, Sendable {
        /// The text breaks a rule of its format, in the words of the library that read it.
        case broken(DocumentFormat, String)
        /// A quoted cell that the text ends in.
        case openQuote
        /// Something behind the closing quote of a cell.
        case textAfterQuote
        /// No line of the text is the boundary.
        case missingBoundary
        /// The text ends before the closing boundary does.
        case missingFinalBoundary
        /// A header line of a part that is none.
        case badHeader
        /// A percent sign without two hexadecimal digits.
        case badPercentEscape
        /// Bytes that are not of the encoding.
        case badEncoding(String)
        /// An encoding that the system does not know.
        case unknownEncoding(String)
        /// An alias that names nothing before it.
        case unknownAlias(String)
        /// The tree would be much larger than the text: aliases that name aliases, for example.
        case tooLarge
        /// The text is longer than the library can read.
        case textTooLong(DocumentFormat)
        /// The library that reads the format is not on this machine.
        case missingLibrary(String)
        /// The system gave no memory.
        case outOfMemory
        /// The task was cancelled.
        case cancelled
        /// The library takes much longer than for other texts of this size.
        case takesTooLong(DocumentFormat)
    }

    /// What was wrong.
    public let kind: Kind
    /// The byte of the text at which it was seen, in its original encoding where that is UTF-8.
    public let offset: Int
    /// The line and column of it.
    public let position: TextPosition

    /// Says what was wrong and where.
    public init(_ kind: Kind, at offset: Int, _ position: TextPosition) {
        self.kind = kind
        self.offset = offset
        self.position = position
    }
}

extension FormatFault {
    /// Whether the tree may lack what is in the text, or have it in another place.
    var breaksText: Bool {
        switch kind {
        // Browsers read any HTML.
        case .broken(.html, _): false
        case .broken, .openQuote, .textAfterQuote, .unknownAlias, .missingBoundary, .textTooLong,
            .missingLibrary, .outOfMemory:
            true
        case .missingFinalBoundary, .badHeader, .badPercentEscape, .badEncoding, .unknownEncoding,
            .tooLarge, .cancelled, .takesTooLong:
            false
        }
    }
}

extension FormatFault: CustomStringConvertible {
    /// One sentence for people, without the position.
    public var description: String {
        switch kind {
        case .broken(_, let words): words
        case .openQuote: "the text ends in a quoted cell"
        case .textAfterQuote: "a delimiter was expected after the closing quote"
        case .missingBoundary: "no line is the boundary that the Content-Type names"
        case .missingFinalBoundary: "the closing boundary is missing"
        case .badHeader: "this line of a part's head has no colon"
        case .badPercentEscape: "% needs two hexadecimal digits"
        case .badEncoding(let name): "these bytes are not \(name)"
        case .unknownEncoding(let name): "the system does not know the encoding \(name)"
        case .unknownAlias(let name): "*\(name) names no anchor before it"
        case .tooLarge:
            "too large for a tree (limit 16 MiB + 64 times the text, and "
                + "\(TreeMemoryLimit.standardWords))"
        case .textTooLong(let format): "\(format.name) of more than 1 GiB is not read as a tree"
        case .missingLibrary(let reason): "the library libxml2 is missing (\(reason))"
        case .outOfMemory: "the system gave no memory for the tree"
        case .cancelled: "the reading was cancelled"
        case .takesTooLong(let format): "reading this \(format.name) takes too long"
        }
    }
}
