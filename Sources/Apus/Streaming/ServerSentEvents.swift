import HTTPTypes

/// An event that a server sent in a stream of events (HTML standard, 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The event's type; `message` unless the server names one.
    public var event: String
    /// The data; its lines are joined by line feeds.
    public var data: String
    /// The last id that the server has sent, with this event or an earlier one; nil if it has sent none.
    public var id: String?
    /// How long to wait before connecting again, if the server has said so with this event or an earlier one.
    public var retry: Duration?

    /// Makes an event.
    public init(
        event: String = "message",
        data: String,
        id: String? = nil,
        retry: Duration? = nil
    ) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}

/// The events of a body of the type `text/event-stream`, as they arrive.
///
/// Comments and events without data are left out, and so is one that the body's end cuts off. Errors and
/// cancellation are those of ``StreamedBytes``.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// Why there are no more events.
    public typealias Failure = ApusError

    private let lines: StreamedLines
    private let limit: Int

    init(_ bytes: StreamedBytes, limit: Int = StreamedLines.standardLimit) {
        lines = StreamedLines(bytes, limit: limit)
        self.limit = limit
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private var lines: StreamedLines.Iterator
        private var parser = EventParser()
        private let limit: Int

        init(_ lines: StreamedLines.Iterator, limit: Int) {
            self.lines = lines
            self.limit = limit
        }

        /// The next event; nil after the last.
        public mutating func next() async throws(ApusError) -> ServerSentEvent? {
            while let line = try await lines.next() {
                if let event = parser.event(after: line) { return event }
                guard parser.size <= limit else { throw await lines.tooLarge() }
            }
            return nil
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(lines.makeAsyncIterator(), limit: limit)
    }
}

/// Makes events of lines (HTML standard, 9.2.6).
struct EventParser {
    private var event = ""
    private var data: String?
    private var id: String?
    private var retry: Duration?
    private var isFirst = true

    /// The bytes of the data of the event that has not ended yet.
    var size: Int { data?.utf8.count ?? 0 }

    /// The event that a line ends; nil if it ends none.
    mutating func event(after line: String) -> ServerSentEvent? {
        var line = Substring(line).unicodeScalars
        // A byte order mark at the start of the stream is left out.
        if isFirst, line.first == "\u{FEFF}" { line = line.dropFirst() }
        isFirst = false
        guard !line.isEmpty else { return ended() }
        let name = line.prefix { $0 != ":" }
        var value = line.dropFirst(name.count + 1)
        if value.first == " " { value = value.dropFirst() }
        let text = String(Substring(value))
        switch String(Substring(name)) {
        case "event": event = text
        case "data": data = data.map { "\($0)\n\(text)" } ?? text
        case "id" where !value.contains("\0"): id = text
        case "retry" where !value.isEmpty && value.allSatisfy({ ("0"..."9").contains($0) }):
            // A number that is too large to wait for is as good as none.
            retry = Int64(text).map { .milliseconds($0) } ?? retry
        // A line that begins with a colon is a comment; fields of other names are ignored.
        default: break
        }
        return nil
    }

    private mutating func ended() -> ServerSentEvent? {
        defer { (event, data) = ("", nil) }
        guard let data, !data.isEmpty else { return nil }
        return ServerSentEvent(
            event: event.isEmpty ? "message" : event,
            data: data,
            id: id.flatMap { $0.isEmpty ? nil : $0 },
            retry: retry
        )
    }
}

extension PlannedExchange {
    /// The exchange with the fields that ask for events.
    func askingForEvents(after id: String?) -> PlannedExchange {
        var exchange = self
        exchange.modifier = { [modifier] request in
            if request.head.headerFields[.accept] == nil {
                request.head.headerFields[.accept] = "text/event-stream"
            }
            if let id { request.head.headerFields[.lastEventID] = id }
            try modifier?(&request)
        }
        return exchange
    }
}

extension HTTPField.Name {
    // swift-format-ignore: NeverForceUnwrap
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

extension Response {
    /// - Throws: `.unacceptableStatus`, or `.mapping` if the type is not that of events.
    func checkEventStream() throws(ApusError) {
        try Validation.successCodes.check(self)
        guard mediaType == "text/event-stream" else {
            let type = mediaType.map { "“\($0)”" } ?? "of no type"
            throw failure(.init(.document, detail: "the body is \(type), not “text/event-stream”"))
        }
    }
}
