public import HTTPTypes

/// Writes down what is sent and what comes back.
///
/// Each attempt is one entry when it goes out, and one when the answer, or the
/// failure in its place, is there; cached answers and requests that could not be
/// built are answers and failures like others. Entries of one exchange carry its
/// number, so that those of many at a time can be told apart. Credentials are masked
/// unless they are asked for, before a format of one's own sees anything.
public struct LoggerPlugin: Plugin {
    /// What is written.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The set as bits.
        public let rawValue: Int
        /// Makes a set.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The request's method and URL.
        public static let method = Options(rawValue: 1)
        /// The request's header fields.
        public static let requestFields = Options(rawValue: 2)
        /// The request's body.
        public static let requestBody = Options(rawValue: 4)
        /// The request as a `curl` command, in place of the three.
        public static let curlCommand = Options(rawValue: 8)
        /// The answer's header fields.
        public static let answerFields = Options(rawValue: 16)
        /// The bodies of answers below 400.
        public static let successBody = Options(rawValue: 32)
        /// The bodies of answers from 400 on, and of those that failures carry.
        public static let errorBody = Options(rawValue: 64)
        /// The time since the call.
        public static let duration = Options(rawValue: 128)
        /// Bodies that are JSON with indents, and forms as JSON.
        public static let prettyBodies = Options(rawValue: 256)
        /// One entry for an answer and its request together, when the answer is there.
        public static let cards = Options(rawValue: 512)

        /// Method, URL, header fields and duration.
        public static let standard: Options = [.method, .requestFields, .duration]
        /// All but the `curl` command, and what changes the layout: `prettyBodies` and `cards`.
        public static let verbose: Options = [
            .method, .requestFields, .requestBody, .answerFields, .successBody, .errorBody,
            .duration,
        ]
    }

    private let layout: LogLayout
    private let format: (@Sendable (LogEntry) -> String)?
    private let output: @Sendable (LogEntry) -> Void

    /// Makes a logger; where the entries go is the caller's decision.
    ///
    /// - Parameters:
    ///   - options: what is written.
    ///   - maximumBodySize: how many bytes of a body are shown.
    ///   - showsSecrets: whether credentials are written as they are.
    ///   - format: writes an entry's text from its values; nil for the logger's own.
    ///   - output: takes each entry, on any thread.
    public init(
        _ options: Options = .standard,
        maximumBodySize: Int = 4096,
        showsSecrets: Bool = false,
        format: (@Sendable (LogEntry) -> String)? = nil,
        output: @escaping @Sendable (LogEntry) -> Void
    ) {
        layout = LogLayout(
            options: options,
            maximumBodySize: maximumBodySize,
            showsSecrets: showsSecrets
        )
        self.format = format
        self.output = output
    }

    /// Writes the request down.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        guard !layout.options.contains(.cards) else { return }
        var entry = LogEntry(id: context.id, attempt: context.attempt, kind: .request)
        layout.put(request, adding: context.addedFields(to: request), into: &entry)
        write(entry)
    }

    /// Writes the answer or the failure down.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        let kind: LogEntry.Kind = if case .success = result { .answer } else { .failure }
        var entry = LogEntry(id: context.id, attempt: context.attempt, kind: kind)
        entry.duration = context.elapsed
        let response = try? result.get()
        if let request = response?.request ?? context.request {
            // What the cache or a stub answered was not sent.
            let isSent = response.map { $0.source == .server } ?? true
            let added = isSent ? context.addedFields(to: request) : [:]
            layout.put(request, adding: added, into: &entry)
        }
        layout.put(result, into: &entry)
        write(entry)
    }

    private func write(_ entry: LogEntry) {
        var entry = entry
        entry.text = format.map { $0(entry) } ?? layout.text(of: entry)
        output(entry)
    }
}

/// What a logger writes about one event, as its text and as the values that it is made of.
///
/// Credentials are masked in all of it, unless the logger shows them. Bodies are there if the logger's
/// options ask for them: as text, not all of it, or as a word about what they are.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// What it is about.
    public enum Kind: String, Sendable, Hashable {
        /// A request that goes out.
        case request
        /// An answer.
        case answer
        /// A failure in an answer's place.
        case failure
    }

    /// The exchange; its entries belong together.
    public let id: ExchangeID
    /// The attempt, from 1.
    public let attempt: Int
    /// What it is about.
    public let kind: Kind
    /// The text, without a final line feed.
    public internal(set) var text = ""
    /// The request's method and URL; nil if none could be made.
    public internal(set) var line: String?
    /// The request's head, with the fields that the transport adds; nil if none could be made.
    public internal(set) var request: HTTPRequest?
    /// The request's body; nil for none.
    public internal(set) var requestBody: String?
    /// The request as a `curl` command, if the options ask for it.
    public internal(set) var curlCommand: String?
    /// The answer's head, also that of an answer that was refused; nil for none.
    public internal(set) var response: HTTPResponse?
    /// The answer's body; nil for none.
    public internal(set) var responseBody: String?
    /// How many bytes the answer's body has.
    public internal(set) var responseSize: Int?
    /// Where the answer came from.
    public internal(set) var source: ResponseSource?
    /// What failed, as a number and in words.
    public internal(set) var failure: String?
    /// The time since the call; nil for a request that goes out.
    public internal(set) var duration: Duration?

    init(id: ExchangeID, attempt: Int, kind: Kind) {
        self.id = id
        self.attempt = attempt
        self.kind = kind
    }

    /// "#17 → GET https://host/path" and what else was asked for.
    public var description: String {
        let mark =
            switch kind {
            case .request: "→"
            case .answer: "←"
            case .failure: "✗"
            }
        return "\(id) \(mark) \(text)"
    }
}
