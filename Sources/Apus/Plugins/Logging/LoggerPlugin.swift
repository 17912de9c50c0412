public import HTTPTypes

/// Logs requests and responses.
///
/// Each attempt makes one entry when it is sent, and one when its response or failure arrives. Cached
/// responses and requests that could not be built are logged likewise. All entries of one exchange
/// have its number, which tells concurrent exchanges apart. Credentials are masked, also for a format of your
/// own, unless they are asked for.
public struct LoggerPlugin: Plugin {
    /// Which parts of requests and responses an entry shows, and its layout.
    public struct Options: OptionSet, Sendable, Hashable {
        /// The set as bits.
        public let rawValue: Int
        /// Creates a set.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The request's method and URL.
        public static let method = Options(rawValue: 1)
        /// The request's header fields.
        public static let requestFields = Options(rawValue: 2)
        /// The request's body.
        public static let requestBody = Options(rawValue: 4)
        /// The request as a `curl` command, instead of the three above.
        public static let curlCommand = Options(rawValue: 8)
        /// The response's header fields.
        public static let responseFields = Options(rawValue: 16)
        /// The bodies of responses with a status below 400.
        public static let successBody = Options(rawValue: 32)
        /// The bodies of responses with a status of 400 or more, and of those in failures.
        public static let errorBody = Options(rawValue: 64)
        /// The time since the call.
        public static let duration = Options(rawValue: 128)
        /// Indents JSON bodies, and shows forms as JSON.
        public static let prettyBodies = Options(rawValue: 256)
        /// One entry for a response together with its request, when the response arrives.
        public static let cards = Options(rawValue: 512)

        /// Method, URL, header fields and duration.
        public static let standard: Options = [.method, .requestFields, .duration]
        /// Everything but the `curl` command and the layout options `prettyBodies` and `cards`.
        public static let verbose: Options = [
            .method, .requestFields, .requestBody, .responseFields, .successBody, .errorBody,
            .duration,
        ]
    }

    private let layout: LogLayout
    private let format: (@Sendable (LogEntry) -> String)?
    private let output: @Sendable (LogEntry) -> Void

    /// Creates a logger that passes its entries to `output`.
    ///
    /// - Parameters:
    ///   - options: what to log.
    ///   - maximumBodySize: the most bytes of a body to log.
    ///   - showsSecrets: whether to log credentials unmasked.
    ///   - format: writes the text of an entry; nil for the logger's own text.
    ///   - output: receives each entry, on any thread.
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

    /// Logs the request.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        guard !layout.options.contains(.cards) else { return }
        var entry = LogEntry(id: context.id, attempt: context.attempt, kind: .request)
        layout.put(request, adding: context.addedFields(to: request), into: &entry)
        write(entry)
    }

    /// Logs the response or the failure.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        let kind: LogEntry.Kind = if case .success = result { .response } else { .failure }
        var entry = LogEntry(id: context.id, attempt: context.attempt, kind: kind)
        entry.duration = context.elapsed
        let response = try? result.get()
        if let request = response?.request ?? context.request {
            // A response from the cache or a stub means that nothing was sent.
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

/// What a logger records about one event, as text and as values.
///
/// Credentials are masked everywhere, unless the logger shows them. Bodies are included if the logger's
/// options ask for them, as text up to the size limit or as a description.
public struct LogEntry: Sendable, Hashable, CustomStringConvertible {
    /// What the entry is about.
    public enum Kind: String, Sendable, Hashable {
        /// A request that is sent.
        case request
        /// A response that arrived, from the server, the cache or a stub.
        case response
        /// A failure instead of a response.
        case failure
    }

    /// The exchange, which is the same for entries that belong together.
    public let id: ExchangeID
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// What the entry is about.
    public let kind: Kind
    /// The text, without a final line feed.
    public internal(set) var text = ""
    /// The request's method and URL; nil if no request could be built.
    public internal(set) var line: String?
    /// The request's head, with the fields that the transport adds; nil if no request could be built.
    public internal(set) var request: HTTPRequest?
    /// The request's body; nil if there is none or it is not logged.
    public internal(set) var requestBody: String?
    /// The request as a `curl` command; nil unless the options ask for it.
    public internal(set) var curlCommand: String?
    /// The response's head, even if the response was refused; nil if there is none.
    public internal(set) var response: HTTPResponse?
    /// The response's body; nil if there is none or it is not logged.
    public internal(set) var responseBody: String?
    /// The size of the response's body in bytes; nil if there is no response, or its body is still arriving.
    public internal(set) var responseSize: Int?
    /// Where the response came from; nil for requests and failures.
    public internal(set) var source: ResponseSource?
    /// The failure's code and message; nil if there is none.
    public internal(set) var failure: String?
    /// The time since the call; nil for a request.
    public internal(set) var duration: Duration?

    init(id: ExchangeID, attempt: Int, kind: Kind) {
        self.id = id
        self.attempt = attempt
        self.kind = kind
    }

    /// "#17 → GET https://host/path", and what else the options ask for.
    public var description: String {
        let mark =
            switch kind {
            case .request: "→"
            case .response: "←"
            case .failure: "✗"
            }
        return "\(id) \(mark) \(text)"
    }
}
