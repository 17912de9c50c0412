import CCurl
import FoundationEssentials
import Glibc
import HTTPTypes
import Secrets
import Synchronization

/// One transfer, from its start command to its end.
final class CurlTransfer: @unchecked Sendable {
    // @unchecked because after `init` only the engine's thread uses it, except for `isCancelled`; other
    // threads only pass it along in commands.

    /// The shortest time between two progress reports.
    private static let progressInterval = Duration.milliseconds(34)

    let request: PreparedRequest
    let sink: any TransferSink
    let isPlain: Bool
    /// The deadline, counted from when the request was handed over; nil if there is none.
    private(set) var deadline: ContinuousClock.Instant?
    /// Receives a copy of the response as it arrives; nil if nobody does.
    private let observer: (any ResponseObserver)?
    /// How long it has held up the transfer.
    private var heldUp = Duration.zero
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private var lastProgress: ContinuousClock.Instant?
    private var told = TransferProgress()

    /// The handle, while the transfer runs.
    private(set) var handle: CurlHandle?
    /// The loop, while the transfer runs.
    private(set) var loop: CurlLoop?
    private var isSharing = false
    /// Set by any thread in addition to the command, because the engine's thread may be processing a body.
    let isCancelled = Atomic(false)
    var isPrepared = false
    /// The errno of the last attempt to open a socket; 0 if it succeeded.
    var socketErrno: Int32 = 0
    /// The sockets opened for the current hop.
    var sockets: [Int32] = []
    private var isEnded = false

    var upload: UploadSource? {
        didSet { if let upload, upload.count >= 0 { bytesToSend = upload.count } }
    }
    private var bytesToSend: Int?
    /// Whether a head has arrived that was not reported to the sink, because libcurl may respond to its challenge.
    private(set) var isHeadWithheld = false
    private(set) var redirects: [TransferMetrics.Redirect] = []
    private(set) var pendingRedirect: TransferMetrics.Redirect?
    /// The times of the earlier hops.
    private var earlierHops = HopTimes()
    /// When this hop began to send its body, and when its response began.
    private var uploadBegan: ContinuousClock.Instant?
    private var responseBegan: ContinuousClock.Instant?
    private(set) var wireTrace: WireTrace?
    private(set) var redirectCount = 0
    /// Whether a redirect led to another origin, so that secrets were removed.
    var hasLeftOrigin = false
    /// The redirects so far, if the last one is not for libcurl to follow; set when the transfer ends.
    var diversion: RedirectDiversion?
    /// The TLS session of this hop; nil without TLS, or if it is not known.
    private(set) var session: TLSHandshake?
    /// Whether only the end of the connection ended the body.
    var endedWithConnection = false
    private(set) var bodyCount = 0
    /// The decoder of the body, made when its first bytes arrive; nil if the body is not decoded.
    private(set) lazy var decoder = makeDecoder()
    /// Why the body is as it came; nil if it is decoded, or none has arrived.
    var undecodedReason: String? { decoding.receivedCount > 0 ? decoder?.doubt : nil }
    var decoding = DecodingState()
    /// Why a callback ended the transfer; nil if none has.
    var failure: ApusError.Reason?

    init(
        _ request: PreparedRequest,
        sink: some TransferSink,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        observer: (any ResponseObserver)? = nil
    ) {
        self.request = request
        isPlain = Self.isPlain(request)
        deadline = Self.deadline(of: request)
        self.sink = sink
        self.progress = progress
        self.observer = observer
    }

    var reportsProgress: Bool { progress != nil }

    /// The deadline of a request that is handed over now; nil if it has none.
    static func deadline(of request: PreparedRequest) -> ContinuousClock.Instant? {
        request.options.shared?.value.deadline ?? request.options.timeout.map { .now + $0 }
    }

    /// Whether the deadline has passed.
    func isOverdue(at time: ContinuousClock.Instant = .now) -> Bool {
        deadline.map { $0 <= time } ?? false
    }

    // MARK: the run

    /// Takes over a handle and receives its callbacks.
    func begin(with handle: CurlHandle, in loop: CurlLoop) {
        self.handle = handle
        self.loop = loop
        handle.transfer = self
        if handle.mayShareConnection { countSharing() }
    }

    /// Whether it could not start because no file descriptor was free, and nothing was sent.
    var lacksDescriptor: Bool {
        (socketErrno == EMFILE || socketErrno == ENFILE) && redirectCount == 0
            && uploadBegan == nil && head.isAtStart
    }

    /// Releases the handle, to start again later.
    func postpone(_ handle: CurlHandle) {
        letGo(of: handle)
        socketErrno = 0
        upload = nil
    }

    /// Releases the handle, which makes no more callbacks.
    func letGo(of handle: CurlHandle) {
        if isSharing { loop?.sharingCount -= 1 }
        isSharing = false
        handle.transfer = nil
        self.handle = nil
        loop = nil
    }

    /// Counts this transfer among those that may share an HTTP/2 connection; called again after a redirect.
    private func countSharing() {
        guard !isSharing else { return }
        isSharing = true
        loop?.sharingCount += 1
    }

    var mayShareConnection: Bool {
        switch request.options.requestedVersion {
        case .http1: false
        case .http2: true
        case .automatic: request.head.scheme == "https" || redirectCount > 0
        }
    }

    // MARK: callbacks

    /// The part of the response's head received so far.
    var head: HeadCollector { handle?.head ?? HeadCollector() }

    /// Handles an event of the head; returns false to end the transfer.
    func receive(_ event: HeadCollector.Event) -> Bool {
        handle?.watchdog?.noteProgress()
        switch event {
        case .line: return true
        case .begun:
            if let pendingRedirect { redirects = redirects + [pendingRedirect] }
            pendingRedirect = nil
            responseBegins()
            return true
        case .ended:
            guard let loop, let head = handle?.head.finish(loop.recentHeads) else { return true }
            return headEnded(head)
        case .tooLong:
            failure = .headerTooLarge(limit: head.limits.bytes)
            return false
        case .tooManyLines:
            failure = .tooManyHeaderLines(limit: head.limits.lines)
            return false
        }
    }

    private func headEnded(_ whole: CopyOnWriteBox<ParsedHead>) -> Bool {
        guard whole.value.status > 0 else {
            failure = .protocolViolation(detail: "the response has no valid HTTP status line")
            return false
        }
        if let fault = whole.value.framingFault {
            failure = .protocolViolation(detail: fault.detail)
            return false
        }
        // Most responses are neither a challenge nor a redirect, and use no jar.
        if isPlain, !(300..<400).contains(whole.value.status) {
            return begin(whole.value.response)
        }
        let head = whole.value
        noteCookies(of: head.response)
        isHeadWithheld = mayBeChallenge(head.status)
        let place: RedirectLocation?
        do throws(ApusError) {
            place = try locationToFollow(in: head)
        } catch {
            failure = error.reason
            return false
        }
        if let location = place {
            guard !diverts(from: location, head) else { return false }
            guard let withheld = withholdSecrets(from: location.text, head) else { return false }
            pendingRedirect = .init(
                status: head.status,
                location: location.text,
                url: CredentialMask.maskingUser(in: currentURL),
                fields: head.response.headerFields,
                withheldFields: withheld
            )
            redirectCount += 1
            guard location.resolved(from: currentURL) != nil else {
                failure = .redirectLocation(location.text)
                return false
            }
            if mayShareConnection { countSharing() }
            if let handle { earlierHops = HopTimes(handle) }
            // The next hop may go over another connection.
            _ = handle?.takeHandshake()
            session = nil
            (uploadBegan, responseBegan, sockets) = (nil, nil, [])
            return leaveBody(after: head.status)
        }
        if (200..<300).contains(head.status) || head.status == 417 { leaveConnectionUnlessSent() }
        // libcurl 7.88 then stops sending, but waits for a paused body.
        if head.status >= 300, upload?.isAtEnd == false { upload?.wake() }
        return isHeadWithheld || begin(head.response)
    }

    /// Closes the connection after a response that arrived before the body was sent.
    ///
    /// If the body was only announced (`Expect: 100-continue`), libcurl 7.88 does not send it, and the
    /// server would read the next request as the body. After other errors libcurl closes the connection
    /// itself. After a 417 it repeats the request, which must not contain `Expect` then (RFC 9110, 10.1.1).
    private func leaveConnectionUnlessSent() {
        guard let upload, !upload.isAtEnd, let handle else { return }
        if handle.head.response?.status == .expectationFailed {
            // If there is no memory for the new list, no header lines remain, so also no `Expect`.
            try? handle.removeHeaderLines { $0 == "expect" }
            handle.preset = nil
        }
        guard !isHTTP2(handle) else { return }
        try? handle.set(CURLOPT_FORBID_REUSE, true)  // Setting a known number cannot fail.
    }

    /// Passes to the jar what libcurl does not store.
    private func noteCookies(of response: HTTPResponse) {
        guard let jar = request.options.shared?.value.activeJar else { return }
        let fields = response.headerFields[values: .setCookie]
        if !fields.isEmpty { jar.note(fields, from: currentURL) }
    }

    /// Whether libcurl may send the request again, with credentials or without `Expect`.
    private func mayBeChallenge(_ status: Int) -> Bool {
        if status == 417 { return upload != nil }
        return (status == 401 || status == 407) && request.options.shared != nil
    }

    /// Gives the head to the sink; returns false if the sink fails.
    func begin(_ response: HTTPResponse) -> Bool {
        isHeadWithheld = false
        do throws(ApusError) {
            // Only a download that has no name yet needs the URL, which is a copy.
            let isNamed = request.destination?.naming == nil
            try sink.begin(response, expected: expectedCount, url: isNamed ? "" : currentURL)
            return observer.map { report(response, to: $0) } ?? true
        } catch {
            failure = error.reason
            return false
        }
    }

    /// Tells the observer of the response; returns false to end the transfer.
    private func report(_ response: HTTPResponse, to observer: any ResponseObserver) -> Bool {
        guard let handle else { return true }
        let start = ResponseStart(
            request: request,
            head: response,
            metrics: request.mask.masking(TransferMetrics(handle, self, nil, [])),
            expected: expectedCount
        )
        switch observer.begin(start) {
        case .proceed: return true
        case .proceedWithoutTimeLimit:
            deadline = nil
            try? handle.set(CURLOPT_TIMEOUT_MS, 0)  // Setting a known number cannot fail.
            return true
        case .cancel:
            failure = .cancelled
            return false
        }
    }

    /// Notes the TLS session over which the next request goes.
    func noteSession() { session = handle?.session() }

    /// Records the time of the first line of a head.
    func responseBegins() {
        if uploadBegan != nil { responseBegan = .now }
    }

    /// The times of the current hop.
    ///
    /// libcurl 7.88 mistakes the first body byte that it sends for the first byte of the response, so the
    /// time between the two is added.
    func times(_ handle: CurlHandle) -> HopTimes {
        var times = HopTimes(handle).since(earlierHops)
        guard let uploadBegan else { return times }
        if let responseBegan {
            times.firstByte += Int((responseBegan - uploadBegan) / .microseconds(1))
        } else {
            times.firstByte = 0
        }
        return times
    }

    /// The URL of the current hop.
    var currentURL: String {
        handle?.string(CURLINFO_EFFECTIVE_URL).map(CurlHandle.withoutFragment) ?? request.url
    }

    private func locationToFollow(in head: ParsedHead) throws(ApusError) -> RedirectLocation? {
        guard (300..<400).contains(head.status), request.options.maximumRedirects > 0 else {
            return nil
        }
        return try RedirectLocation(in: head.response.headerFields)
    }

    /// Handles a piece of the body.
    func receive(body chunk: UnsafeRawBufferPointer) -> BodyOutcome {
        handle?.watchdog?.noteProgress()
        guard !isOver() else { return .failed }
        guard pendingRedirect == nil else {
            failure = .protocolViolation(
                detail: "a body arrived where the response to the redirect was expected"
            )
            return .failed
        }
        if isHeadWithheld, let response = handle?.head.response, !begin(response) { return .failed }
        if let decoder { return decode(chunk, by: decoder) }
        return deliver(chunk)
    }

    /// Gives a piece of the decoded body to the sink.
    func deliver(_ piece: UnsafeRawBufferPointer) -> BodyOutcome {
        guard !exceedsLimit(piece.count) else { return .failed }
        do throws(ApusError) {
            let verdict = try sink.receive(piece)
            guard case .taken = verdict else { return verdict }
            bodyCount += piece.count
            guard let observer, !show(piece, to: observer) else { return verdict }
            failure = .cancelled
            return .failed
        } catch {
            failure = error.reason
            return .failed
        }
    }

    /// Passes a piece on; the time for which the observer holds it up does not count toward the time limit.
    private func show(_ piece: UnsafeRawBufferPointer, to observer: any ResponseObserver) -> Bool {
        let began = ContinuousClock.now
        let goesOn = observer.receive(piece)
        let pause = .now - began
        if let deadline, pause > .milliseconds(10), let limit = request.options.timeout {
            heldUp += pause
            self.deadline = deadline + pause
            // Setting a known number cannot fail.
            try? handle?.set(CURLOPT_TIMEOUT_MS, Self.milliseconds(limit + heldUp) ?? 0)
        }
        return goesOn
    }

    /// Whether the body exceeds its limit with `count` more bytes.
    ///
    /// The announced length counts too, so that nothing is loaded in vain, unless it is the length of a
    /// coded body.
    private func exceedsLimit(_ count: Int) -> Bool {
        guard let limit = request.options.maximumBodySize ?? sink.standardLimit else {
            return false
        }
        let announced = bodyCount == 0 && decoder == nil ? expectedCount ?? 0 : 0
        guard max(bodyCount + count, announced) > limit else { return false }
        failure = .bodyTooLarge(limit: limit)
        return true
    }

    /// Fills `room` with the next bytes of the request's body; nil ends the transfer.
    func read(into room: UnsafeMutableRawBufferPointer) -> UploadSource.Reading? {
        if uploadBegan == nil { uploadBegan = .now }
        do throws(ApusError) {
            return try upload?.read(into: room) ?? .bytes(0)
        } catch {
            failure = error.reason
            return nil
        }
    }

    func seek(to offset: Int, from origin: Int32) -> Bool {
        guard origin == SEEK_SET, let upload else { return false }
        if upload.seek(to: offset) { return true }
        failure = upload.replayFault?.reason
        return false
    }

    func trace(_ kind: WireTraceEntry.Kind, _ text: String) {
        let wireTrace = wireTrace ?? WireTrace()
        self.wireTrace = wireTrace
        wireTrace.add(kind, text, request.mask)
    }

    /// Traces a line after the body, which libcurl 7.88 leaves out over HTTP/1.
    func traceTrailer(_ line: UnsafeRawBufferPointer) {
        guard request.options.tracesWire else { return }
        let text = HTTPField.text(of: line)
        if let last = wireTrace?.entries.last, last.kind == .headerIn, text.hasPrefix(last.text) {
            return
        }
        trace(.headerIn, text)
    }

    /// Reports the progress if it has changed and the last report is old enough.
    func moved(received: Int, sent: Int) {
        // libcurl calls this in every turn for every transfer, so the counts are compared before the clock
        // is read.
        guard received != told.bytesReceived || sent != told.bytesSent else { return }
        let now = ContinuousClock.now
        if let lastProgress, now - lastProgress < Self.progressInterval { return }
        lastProgress = now
        tell(received: received, sent: sent)
    }

    private func tell(received: Int, sent: Int) {
        told = TransferProgress(
            bytesSent: sent,
            bytesToSend: bytesToSend,
            bytesReceived: received,
            bytesToReceive: expectedCount
        )
        progress?(told)
    }

    /// The announced length of the response's body, before content decoding; nil if unknown.
    var expectedCount: Int? {
        guard let count = handle?.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), count >= 0 else {
            return nil
        }
        return count
    }

    // MARK: the end

    /// Ends a transfer that has no running handle.
    func fail(_ reason: ApusError.Reason) {
        guard !isEnded else { return }
        isEnded = true
        upload = nil
        sink.finish(.failure(ApusError(request.mask.masking(reason), request: request.line)))
    }

    /// Ends the transfer while its handle still has the facts.
    ///
    /// - Parameters:
    ///   - fault: Why it failed; nil if it did not. In a box, because a reason is a large value.
    ///   - handle: Its handle.
    ///   - certificates: The certificates of its connection.
    func end(
        _ fault: CopyOnWriteBox<ApusError.Reason>?,
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate]
    ) {
        guard !isEnded else { return }
        isEnded = true
        if upload != nil { upload = nil }
        if progress != nil {
            tell(
                received: handle.offset(CURLINFO_SIZE_DOWNLOAD_T),
                sent: handle.offset(CURLINFO_SIZE_UPLOAD_T)
            )
        }
        sink.finish(result(fault, handle, certificates))
    }
}
