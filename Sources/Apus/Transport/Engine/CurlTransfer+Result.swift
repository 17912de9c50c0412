import CCurl
import FoundationEssentials
import HTTPTypes

extension CurlTransfer {
    func result(
        _ fault: CopyOnWriteBox<ApusError.Reason>?,
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate]
    ) -> Result<Response, ApusError> {
        let refused = refusedConnection(fault, handle, certificates)
        guard let head = handle.head.response else {
            let missing = ApusError.Reason.protocolViolation(detail: "the response has no header")
            var error = error(fault?.value ?? missing, failedLine(handle))
            if refused != nil { error.refusedConnection = refused }
            return .failure(error)
        }
        var fault = fault
        if isHeadWithheld, !begin(head), let failure { fault = CopyOnWriteBox(failure) }
        var answer = answer(head, sink.body, handle, certificates, endingWith: fault)
        guard let fault else {
            do throws(ApusError) {
                if let body = try sink.place(answer) { answer.body = body }
                return .success(answer)
            } catch {
                // The body was received, but could not be moved to its destination.
                answer.isComplete = false
                return .failure(self.error(error.reason, failedLine(handle), answer))
            }
        }
        var line = failedLine(handle)
        // No single hop failed; there were too many.
        if case .tooManyRedirects = fault.value { line = request.line }
        var error = error(fault.value, line, answer)
        if refused != nil { error.refusedConnection = refused }
        return .failure(error)
    }

    private func error(
        _ reason: ApusError.Reason,
        _ line: ApusError.RequestLine,
        _ answer: Response? = nil
    ) -> ApusError {
        var error = ApusError(reason, request: line, response: answer)
        if redirectCount > 0 { error.isAfterRedirect = true }
        return error
    }

    private func answer(
        _ head: HTTPResponse,
        _ body: ResponseBody,
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate],
        endingWith fault: CopyOnWriteBox<ApusError.Reason>?
    ) -> Response {
        let received = CopyOnWriteBox(
            ResponseParts(
                head: head,
                body: body,
                received: Date(),
                metrics: TransferMetrics(handle, self, fault, certificates)
            )
        )
        return Response(
            request: request,
            content: received,
            source: .server,
            isComplete: fault == nil
        )
    }

    /// The redirects that were followed, including one whose target did not respond.
    func followedRedirects(
        endingWith fault: CopyOnWriteBox<ApusError.Reason>?
    ) -> [TransferMetrics.Redirect] {
        guard redirectCount > 0 else { return [] }
        guard let pendingRedirect else { return redirects }
        if case .tooManyRedirects = fault?.value { return redirects }
        return redirects + [pendingRedirect]
    }
}

extension TransferMetrics {
    /// Collects the metrics of a handle.
    init(
        _ handle: CurlHandle,
        _ transfer: CurlTransfer,
        _ fault: CopyOnWriteBox<ApusError.Reason>?,
        _ certificates: [Certificate]
    ) {
        let hop = transfer.times(handle)
        let hasResponse = handle.head.isComplete
        phases = hop.phases(
            total: handle.offset(CURLINFO_TOTAL_TIME_T),
            redirects: handle.offset(CURLINFO_REDIRECT_TIME_T)
        )
        bytesSent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        bytesReceived = handle.offset(CURLINFO_SIZE_DOWNLOAD_T)
        negotiatedVersion = hasResponse ? Self.version(handle) : nil
        remoteAddress = handle.remoteAddressText()
        reusedConnection = hasResponse && hop.newConnections == 0
        redirects = transfer.followedRedirects(endingWith: fault)
        effectiveURL = handle.shownURL()
        self.certificates = certificates
        tls = transfer.tls(handle, certificates)
        irregularHeaderLines = handle.head.irregularLines
        trailerCount = handle.head.trailers.count
        interimResponses = handle.head.interim
        trace = transfer.wireTrace?.entries ?? []
        endedWithConnection = transfer.endedWithConnection
        undecoded = transfer.undecodedReason
    }

    private static func version(_ handle: CurlHandle) -> String? {
        switch handle.number(CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "1.0"
        case CURL_HTTP_VERSION_1_1: "1.1"
        case CURL_HTTP_VERSION_2_0: "2"
        case CURL_HTTP_VERSION_3: "3"
        default: nil
        }
    }
}

/// When the phases of a transfer ended, in microseconds, as libcurl counts them: summed over all hops.
struct HopTimes {
    var nameLookup = 0
    var connect = 0
    var secureConnect = 0
    var preTransfer = 0
    var firstByte = 0
    var newConnections = 0

    init() {}

    init(_ handle: CurlHandle) {
        nameLookup = handle.offset(CURLINFO_NAMELOOKUP_TIME_T)
        connect = handle.offset(CURLINFO_CONNECT_TIME_T)
        secureConnect = handle.offset(CURLINFO_APPCONNECT_TIME_T)
        preTransfer = handle.offset(CURLINFO_PRETRANSFER_TIME_T)
        firstByte = handle.offset(CURLINFO_STARTTRANSFER_TIME_T)
        newConnections = handle.number(CURLINFO_NUM_CONNECTS)
    }

    /// The times of the last hop, given the sums of the hops before it.
    func since(_ earlier: HopTimes) -> HopTimes {
        var hop = self
        hop.nameLookup -= earlier.nameLookup
        hop.connect -= earlier.connect
        hop.secureConnect -= earlier.secureConnect
        hop.preTransfer -= earlier.preTransfer
        hop.firstByte -= earlier.firstByte
        hop.newConnections -= earlier.newConnections
        return hop
    }

    /// The phases in order; a phase that did not happen ends with the one before it.
    func phases(total: Int, redirects: Int) -> TransferMetrics.Phases {
        let connect = max(nameLookup, connect)
        let secure = max(connect, secureConnect)
        let sent = max(secure, preTransfer)
        // Without a response there is no first byte; the wait lasted to the end.
        let first = max(sent, firstByte > 0 ? firstByte : total - redirects)
        return .init(
            nameLookup: .microseconds(nameLookup),
            connect: .microseconds(connect),
            secureConnect: .microseconds(secure),
            preTransfer: .microseconds(sent),
            firstByte: .microseconds(first),
            total: .microseconds(max(total, first)),
            redirects: .microseconds(redirects)
        )
    }

    /// The phase that a timeout would interrupt now.
    ///
    /// libcurl 7.88 notes the time of a connection only after its TLS handshake, so `isSecuring` says whether
    /// one that is not ready is in the handshake.
    func waitingFor(isSecuring: Bool) -> ApusError.TimeoutPhase {
        if preTransfer <= 0 { return isSecuring ? .securing : .connecting }
        return firstByte <= 0 ? .waiting : .receiving
    }
}
