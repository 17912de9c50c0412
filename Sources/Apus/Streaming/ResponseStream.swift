public import HTTPTypes

/// A response whose body is still arriving.
///
/// ```swift
/// let stream = try await provider.stream(for: .export)
/// for try await line in stream.lines { … }
/// ```
/// The body is read once, in one of its three forms. The server waits while nobody reads. Cancelling the reading
/// task, or releasing the stream and its readers, ends the transfer.
public struct ResponseStream: Sendable {
    /// The status and header fields, as plugins left them; the body is empty and not complete.
    public let response: Response
    let body: any AsyncSequence<[UInt8], any Error> & Sendable
    let ending: StreamEnding

    /// The status code, 100 to 999.
    public var status: Int { response.status }

    /// The header fields, as received.
    public var fields: HTTPFields { response.fields }

    /// The bytes of the body, in chunks as they arrive.
    public var bytes: StreamedBytes { StreamedBytes(self) }

    /// The lines of the body.
    public var lines: StreamedLines { StreamedLines(bytes) }

    /// The events of a body of the type `text/event-stream`.
    public var serverSentEvents: ServerSentEvents { ServerSentEvents(bytes) }
}

extension AnyProvider {
    /// Sends a target, and returns when the header of the response has arrived; the body is read as it arrives.
    ///
    /// The request passes through plugins and interceptors as any other: `prepare`, the interceptors, `willSend`,
    /// the target's validation, `didReceive` and `process`, which see the response with an empty body. A token is
    /// refreshed and a request repeated before the body is read. If the target's validation refuses the status,
    /// the first megabyte of the body is read and is in the error's response. `didFinish` is called when the body
    /// has been read, or is given up.
    ///
    /// Nothing is cached, no transfer is shared, and stubs and recordings are given in pieces.
    ///
    /// - Throws: ``ApusError`` if there is no response or it is refused.
    public func stream(for target: any TargetType) async throws(ApusError) -> ResponseStream {
        try await exchange(target, .server).opened()
    }

    /// The bytes of a target's response, in chunks as they arrive.
    ///
    /// Nothing is sent until they are read; each reader sends a request of its own. Otherwise it works as
    /// ``stream(for:)``, which also gives the status and the header fields.
    public func bytes(for target: any TargetType) -> StreamedBytes {
        let exchange = exchange(target, .server)
        return StreamedBytes { () throws(ApusError) in try await exchange.opened() }
    }

    /// The lines of a target's response as they arrive, for example of JSON lines.
    ///
    /// Nothing is sent until they are read; each reader sends a request of its own.
    ///
    /// - Parameters:
    ///   - target: the target to send.
    ///   - limit: the most bytes that a line may have; a longer one is the error `.bodyTooLarge`.
    /// - Returns: the lines.
    public func lines(
        for target: any TargetType,
        limit: Int = StreamedLines.standardLimit
    ) -> StreamedLines {
        StreamedLines(bytes(for: target), limit: limit)
    }

    /// The server-sent events of a target's response as they arrive.
    ///
    /// `Accept` is `text/event-stream` unless the target sets it. A response with a status outside 200 to 299, or
    /// of another type, is an error. Nothing is sent until the events are read; each reader sends a request of its
    /// own. When the connection ends, so does the sequence: to go on, call this again with the last event's
    /// ``ServerSentEvent/id``.
    ///
    /// - Parameters:
    ///   - target: the target to send.
    ///   - lastEventID: what the server is asked to go on after; nil for nothing.
    ///   - limit: the most bytes that a line and an event's data may have; more is the error `.bodyTooLarge`.
    /// - Returns: the events.
    public func serverSentEvents(
        for target: any TargetType,
        after lastEventID: String? = nil,
        limit: Int = StreamedLines.standardLimit
    ) -> ServerSentEvents {
        let exchange = exchange(target, .server).askingForEvents(after: lastEventID)
        let bytes = StreamedBytes { () throws(ApusError) in
            let stream = try await exchange.opened()
            do throws(ApusError) {
                try stream.response.checkEventStream()
            } catch {
                await stream.ending.end(error)
                throw error
            }
            return stream
        }
        return ServerSentEvents(bytes, limit: limit)
    }
}

extension Provider {
    /// Sends a target, and returns when the header of the response has arrived; the body is read as it arrives.
    ///
    /// - Throws: ``ApusError`` if there is no response or it is refused.
    public func stream(for target: Target) async throws(ApusError) -> ResponseStream {
        try await super.stream(for: target)
    }

    /// The bytes of a target's response, in chunks as they arrive; nothing is sent until they are read.
    public func bytes(for target: Target) -> StreamedBytes { super.bytes(for: target) }

    /// The lines of a target's response as they arrive; nothing is sent until they are read.
    public func lines(
        for target: Target,
        limit: Int = StreamedLines.standardLimit
    ) -> StreamedLines {
        super.lines(for: target, limit: limit)
    }

    /// The server-sent events of a target's response as they arrive; nothing is sent until they are read.
    public func serverSentEvents(
        for target: Target,
        after lastEventID: String? = nil,
        limit: Int = StreamedLines.standardLimit
    ) -> ServerSentEvents {
        super.serverSentEvents(for: target, after: lastEventID, limit: limit)
    }
}
