import CCurl
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

/// One transfer, from its start command to its one end.
final class CurlTransfer: @unchecked Sendable {
    // @unchecked because after `init` only the engine's thread touches it, but for
    // `isCancelled`: other threads pass it along in commands.

    /// Progress is told at most this often.
    private static let progressInterval = Duration.milliseconds(34)

    let request: PreparedRequest
    let sink: any TransferSink
    let isPlain: Bool
    /// When its time is over, counted from when it was handed over; nil if it has no limit.
    let deadline: ContinuousClock.Instant?
    private let progress: (@Sendable (TransferProgress) -> Void)?
    private var lastProgress: ContinuousClock.Instant?
    private var told = TransferProgress()

    /// The handle, while the transfer runs.
    private(set) var handle: CurlHandle?
    /// The loop, while the transfer runs.
    private(set) var loop: CurlLoop?
    private var isSharing = false
    /// Set by any thread, beside the command: the engine's own may be in the middle of a body.
    let isCancelled = Atomic(false)
    /// Whether its sink is ready.
    var isPrepared = false
    /// Why the last socket could not be had; 0 if it could.
    var socketErrno: Int32 = 0
    private var isEnded = false

    var upload: UploadSource? {
        didSet { if let upload, upload.count >= 0 { bytesToSend = upload.count } }
    }
    private var bytesToSend: Int?
    /// Whether a head is there that the sink does not know: libcurl may answer
    /// its challenge.
    private(set) var isHeadWithheld = false
    private(set) var redirects: [TransferMetrics.Redirect] = []
    private(set) var pendingRedirect: TransferMetrics.Redirect?
    /// What the hops before this one had taken.
    private var earlierHops = HopTimes()
    /// When the body of this hop began to go up, and when the answer to it began.
    private var uploadBegan: ContinuousClock.Instant?
    private var answerBegan: ContinuousClock.Instant?
    private(set) var wireTrace: WireTrace?
    private(set) var redirectCount = 0
    /// Whether a redirect led to another origin, and what is secret stayed behind.
    var hasLeftOrigin = false
    /// Whether only the end of the connection ended the body.
    var endedWithConnection = false
    private(set) var bodyCount = 0
    /// What decodes the body, made when the first of it comes; nil if nothing does.
    private(set) lazy var decoder = makeDecoder()
    var decoding = DecodingState()
    /// Why a callback ended the transfer.
    var failure: ApusError.Reason?

    init(
        _ request: PreparedRequest,
        sink: some TransferSink,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) {
        self.request = request
        isPlain = Self.isPlain(request)
        deadline = Self.deadline(of: request)
        self.sink = sink
        self.progress = progress
    }

    var reportsProgress: Bool { progress != nil }

    /// When the time of a request is over that is handed over now.
    static func deadline(of request: PreparedRequest) -> ContinuousClock.Instant? {
        request.options.shared?.value.deadline ?? request.options.timeout.map { .now + $0 }
    }

    /// Whether its time is over.
    func isOverdue(at time: ContinuousClock.Instant = .now) -> Bool {
        deadline.map { $0 <= time } ?? false
    }

    // MARK: the run

    /// Begins to take what a handle gives.
    func begin(with handle: CurlHandle, in loop: CurlLoop) {
        self.handle = handle
        self.loop = loop
        handle.transfer = self
        if handle.mayShareConnection { countSharing() }
    }

    /// Whether it did not begin for want of a descriptor, and nothing of it was sent.
    var lacksDescriptor: Bool {
        (socketErrno == EMFILE || socketErrno == ENFILE) && redirectCount == 0
            && uploadBegan == nil && head.isAtStart
    }

    /// Lets go of the handle, to begin again later.
    func postpone(_ handle: CurlHandle) {
        letGo(of: handle)
        socketErrno = 0
        upload = nil
    }

    /// Lets go of the handle, which gives nothing more.
    func letGo(of handle: CurlHandle) {
        if isSharing { loop?.sharingCount -= 1 }
        isSharing = false
        handle.transfer = nil
        self.handle = nil
        loop = nil
    }

    /// Counts among those whose connection may be one of HTTP/2; a redirect may
    /// lead to one.
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

    /// What has come in of the answer's head.
    var head: HeadCollector { handle?.head ?? HeadCollector() }

    /// Takes what a line of a head was; false ends the transfer.
    func receive(_ event: HeadCollector.Event) -> Bool {
        handle?.watchdog?.noteProgress()
        switch event {
        case .line: return true
        case .begun:
            if let pendingRedirect { redirects = redirects + [pendingRedirect] }
            pendingRedirect = nil
            answerBegins()
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
            failure = .protocolViolation(detail: "the answer has no status line as HTTP has it")
            return false
        }
        if let fault = whole.value.framingFault {
            failure = .protocolViolation(detail: fault.detail)
            return false
        }
        // Most answers are neither a challenge nor a redirect, and have no jar.
        if isPlain, !(300..<400).contains(whole.value.status) {
            return begin(whole.value.response)
        }
        let head = whole.value
        noteCookies(of: head.response)
        isHeadWithheld = mayBeChallenge(head.status)
        let place: String?
        do throws(ApusError) {
            place = try locationToFollow(in: head)
        } catch {
            failure = error.reason
            return false
        }
        if let location = place {
            guard let withheld = withholdSecrets(from: location, head) else { return false }
            pendingRedirect = .init(
                status: head.status,
                location: location,
                url: CredentialMask.maskingUser(in: currentURL),
                fields: head.response.headerFields,
                withheldFields: withheld
            )
            redirectCount += 1
            if mayShareConnection { countSharing() }
            if let handle { earlierHops = HopTimes(handle) }
            (uploadBegan, answerBegan) = (nil, nil)
            return leaveBody(after: head.status)
        }
        if (200..<300).contains(head.status) || head.status == 417 { leaveConnectionUnlessSent() }
        // libcurl 7.88 stops sending then, but waits for a body that has paused.
        if head.status >= 300, upload?.isAtEnd == false { upload?.wake() }
        return isHeadWithheld || begin(head.response)
    }

    /// Ends the connection after an answer that came before the body was sent.
    ///
    /// To a body that was only announced (`Expect: 100-continue`) libcurl 7.88 adds nothing more, and
    /// the server would take the next request for it. After other errors libcurl ends it itself; after
    /// a 417 it sends the request again, which must not expect anything then (RFC 9110, 10.1.1).
    private func leaveConnectionUnlessSent() {
        guard let upload, !upload.isAtEnd, let handle else { return }
        if handle.head.response?.status == .expectationFailed {
            // Without memory for the new list there is none, and so nothing that expects.
            try? handle.removeHeaderLines { $0 == "expect" }
            handle.preset = nil
        }
        guard !isHTTP2(handle) else { return }
        try? handle.set(CURLOPT_FORBID_REUSE, true)  // A number that libcurl knows cannot fail.
    }

    /// Tells a jar what libcurl does not keep.
    private func noteCookies(of response: HTTPResponse) {
        guard let jar = request.options.shared?.value.activeJar else { return }
        let fields = response.headerFields[values: .setCookie]
        if !fields.isEmpty { jar.note(fields, from: currentURL) }
    }

    /// Whether libcurl may have credentials for another round, or repeats a request that expected.
    private func mayBeChallenge(_ status: Int) -> Bool {
        if status == 417 { return upload != nil }
        return (status == 401 || status == 407) && request.options.shared != nil
    }

    /// Tells the sink the head; false if it cannot take the answer.
    func begin(_ response: HTTPResponse) -> Bool {
        isHeadWithheld = false
        do throws(ApusError) {
            // Only a file that is still to be named needs the URL, which is a copy.
            let isNamed = request.destination?.naming == nil
            try sink.begin(response, expected: expectedCount, url: isNamed ? "" : currentURL)
            return true
        } catch {
            failure = error.reason
            return false
        }
    }

    /// The first line of a head has come.
    func answerBegins() {
        if uploadBegan != nil { answerBegan = .now }
    }

    /// The times of the hop that is under way.
    ///
    /// libcurl 7.88 takes the first byte that it sends of a body for the first byte of the
    /// answer: then the time between the two is added.
    func times(_ handle: CurlHandle) -> HopTimes {
        var times = HopTimes(handle).since(earlierHops)
        guard let uploadBegan else { return times }
        if let answerBegan {
            times.firstByte += Int((answerBegan - uploadBegan) / .microseconds(1))
        } else {
            times.firstByte = 0
        }
        return times
    }

    /// The URL of the hop that is under way.
    var currentURL: String { handle?.string(CURLINFO_EFFECTIVE_URL) ?? request.url }

    private func locationToFollow(in head: ParsedHead) throws(ApusError) -> String? {
        guard (300..<400).contains(head.status), request.options.maximumRedirects > 0 else {
            return nil
        }
        return try RedirectFollower.place(in: head.response.headerFields)
    }

    /// Takes a piece of the body.
    func receive(body chunk: UnsafeRawBufferPointer) -> BodyVerdict {
        handle?.watchdog?.noteProgress()
        guard !isOver() else { return .failed }
        guard pendingRedirect == nil else {
            failure = .protocolViolation(detail: "a body came in place of a redirect's answer")
            return .failed
        }
        if isHeadWithheld, let response = handle?.head.response, !begin(response) { return .failed }
        if let decoder { return decode(chunk, by: decoder) }
        return deliver(chunk)
    }

    /// Gives a piece of the body, as it is to be read, to the sink.
    func deliver(_ piece: UnsafeRawBufferPointer) -> BodyVerdict {
        guard !exceedsLimit(piece.count) else { return .failed }
        do throws(ApusError) {
            let verdict = try sink.receive(piece)
            if case .taken = verdict { bodyCount += piece.count }
            return verdict
        } catch {
            failure = error.reason
            return .failed
        }
    }

    /// A length that is announced is believed, so that nothing is loaded for
    /// nothing; with a content encoding it is the length of something else.
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

    /// Tells how far it is, if that is news and not too soon.
    func moved(received: Int, sent: Int) {
        // libcurl calls this in every round of every transfer: the comparison
        // comes before the look at the clock.
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

    /// The length that the answer announced, as it comes over the wire.
    var expectedCount: Int? {
        guard let count = handle?.offset(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), count >= 0 else {
            return nil
        }
        return count
    }

    // MARK: the end

    /// Ends the transfer without its handle's having run.
    func fail(_ reason: ApusError.Reason) {
        guard !isEnded else { return }
        isEnded = true
        upload = nil
        sink.finish(.failure(ApusError(request.mask.masking(reason), request: line)))
    }

    /// Ends the transfer; its handle still holds the facts.
    ///
    /// - Parameters:
    ///   - fault: why it failed, nil if it did not; in a box, for a reason is long.
    ///   - handle: what measured it.
    ///   - certificates: those of its connection.
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

    var line: ApusError.RequestLine { request.line }
}
