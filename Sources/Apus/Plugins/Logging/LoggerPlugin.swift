import HTTPTypes

/// Writes down what is sent and what comes back.
///
/// Each attempt is one entry when it goes out, and one when the answer, or the
/// failure in its place, is there; cached answers and requests that could not be
/// built are answers and failures like others. Entries of one exchange carry its
/// number, so that those of many at a time can be told apart. Credentials are masked
/// unless they are asked for.
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

        /// Method, URL, header fields and duration.
        public static let standard: Options = [.method, .requestFields, .duration]
        /// All but the `curl` command.
        public static let verbose: Options = [
            .method, .requestFields, .requestBody, .answerFields, .successBody, .errorBody,
            .duration,
        ]
    }

    private let format: LogFormat
    private let output: @Sendable (LogEntry) -> Void

    /// Makes a logger; where the entries go is the caller's decision.
    ///
    /// - Parameters:
    ///   - options: what is written.
    ///   - maximumBodySize: how many bytes of a body are shown.
    ///   - showsSecrets: whether credentials are written as they are.
    ///   - output: takes each entry, on any thread.
    public init(
        _ options: Options = .standard,
        maximumBodySize: Int = 4096,
        showsSecrets: Bool = false,
        output: @escaping @Sendable (LogEntry) -> Void
    ) {
        format = LogFormat(
            options: options,
            maximumBodySize: maximumBodySize,
            showsSecrets: showsSecrets
        )
        self.output = output
    }

    /// Writes the request down.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        write(.request, format.text(of: request, attempt: context.attempt), context)
    }

    /// Writes the answer or the failure down.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        let time = context.elapsed
        switch result {
        case .success(let response): write(.answer, format.text(of: response, after: time), context)
        case .failure(let error):
            write(
                .failure,
                format.text(of: error, request: context.request, after: time),
                context
            )
        }
    }

    private func write(_ kind: LogEntry.Kind, _ text: String, _ context: ExchangeContext) {
        output(LogEntry(id: context.id, attempt: context.attempt, kind: kind, text: text))
    }
}

/// What a logger writes about one event.
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
    public let text: String

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
