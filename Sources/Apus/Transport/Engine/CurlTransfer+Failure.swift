import CCurl
import Documents
import HTTPTypes
import Secrets
import Synchronization

extension CurlTransfer {
    /// Translates libcurl's result into an error; nil if the transfer succeeded.
    func fault(for code: CURLcode, _ handle: CurlHandle) -> CopyOnWriteBox<ApusError.Reason>? {
        if code == CURLE_OK, failure == nil, hasResponse {
            noteEnd(handle)
            guard endedWithConnection, loop?.hasCutConnection == true else { return nil }
        }
        return reason(for: code, handle).map { CopyOnWriteBox(request.mask.masking($0)) }
    }

    /// Whether the head of the final response is complete; after a redirect, `head` is that of the redirect
    /// until the next one begins.
    private var hasResponse: Bool { head.isComplete && pendingRedirect == nil }

    /// Finds out whether the body was ended by its length, its last chunk or the end of the connection.
    ///
    /// libcurl 7.88 treats a faulty HTTP/2 frame, which ends the connection, as the end of all its streams.
    /// The only sign is that the connection is gone; a GOAWAY after a complete body looks no different. Over
    /// plain HTTP/1, a body may properly end with the connection.
    private func noteEnd(_ handle: CurlHandle) {
        guard let answer = head.response, request.head.method != .head,
            ![204, 205, 304].contains(answer.status.code)
        else { return }
        guard !answer.headerFields.contains(.transferEncoding) else {
            let codings = answer.headerFields[.transferEncoding]?.asciiLowercased ?? ""
            endedWithConnection = !codings.hasSuffix("chunked") && handle.isSecure
            return
        }
        guard !answer.headerFields.contains(.contentLength),
            handle.number(CURLINFO_HTTP_VERSION) > CURL_HTTP_VERSION_1_1 || handle.isSecure
        else { return }
        endedWithConnection = !handle.isConnected
    }

    private func reason(for code: CURLcode, _ handle: CurlHandle) -> ApusError.Reason? {
        if let failure { return failure }
        // libcurl reports a final 101 as no response at all.
        if code == CURLE_GOT_NOTHING, hasResponse, head.response?.status.code == 101 { return nil }
        guard code != CURLE_OK else {
            if hasResponse, endedWithConnection, loop?.hasCutConnection == true {
                return cutReason(handle)
            }
            // libcurl accepts a header without its empty line as a complete response.
            return hasResponse ? nil : loss(handle, "the connection ended in the header")
        }
        let detail = detail(of: code, handle)
        return connectionReason(code, handle, detail)
            ?? tlsFailure(code, handle, detail).map {
                .tls($0, host: host(of: handle), detail: TLSAlert(detail)?.words ?? detail)
            }
            ?? lateTLSReason(code, handle, detail)
            ?? responseReason(code, handle, detail)
            ?? .transport(code: Int(code.rawValue), detail: detail)
    }

    private func loss(
        _ handle: CurlHandle,
        _ detail: String,
        _ phase: ApusError.ConnectionLoss? = nil
    ) -> ApusError.Reason {
        if loop?.hasCutConnection == true { return cutReason(handle) }
        return .connectionLost(
            received: handle.offset(CURLINFO_SIZE_DOWNLOAD_T),
            expected: expectedCount,
            detail: detail,
            phase: phase ?? phaseOfLoss(handle, detail)
        )
    }

    /// The error of a transfer whose connection was closed because it occupied the thread.
    private func cutReason(_ handle: CurlHandle) -> ApusError.Reason {
        if isCancelled.load(ordering: .relaxed) || loop?.isToStop == true { return .cancelled }
        if isOverdue() { return timeout(handle) }
        return .protocolViolation(
            detail: "the server keeps sending data that is not part of a response"
        )
    }

    private func phaseOfLoss(_ handle: CurlHandle, _ detail: String) -> ApusError.ConnectionLoss {
        // By libcurl's message, because TLS does not pass on the errno of the reset.
        if detail.firstRange(of: "onnection reset") != nil { return .reset }
        if hasResponse { return .inBody }
        return head.isBegun ? .inHeader : .beforeHeader
    }

    private func detail(of code: CURLcode, _ handle: CurlHandle) -> String {
        // libcurl only says that it could not connect.
        if socketErrno != 0 {
            return "could not open a socket: \(FileErrorText.words(for: socketErrno))"
        }
        let detail = handle.detail
        if code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY,
            detail.hasPrefix("Could not resolve ")
        {
            return ""
        }
        // libcurl's "Failed to connect to HOST" only repeats the error's title; the errno of connect(2)
        // says more.
        if code == CURLE_COULDNT_CONNECT, let words = connectWords(handle.number(CURLINFO_OS_ERRNO))
        {
            return words
        }
        guard detail.isEmpty else { return detail }
        return curl_easy_strerror(code).map { String(cString: $0) } ?? ""
    }

    private func connectWords(_ number: Int) -> String? {
        switch number {
        case 1, 13: "the system does not permit it"
        case 97: "this machine has no address of that family"
        case 99: "this machine has no address to connect from"
        case 100: "the network is down"
        case 101: "the network is unreachable"
        case 111: "connection refused"
        case 112: "the host is down"
        case 113: "no route to the host"
        default: nil
        }
    }

    private func connectionReason(
        _ code: CURLcode,
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.Reason? {
        switch code {
        case CURLE_URL_MALFORMAT where redirectCount > 0:
            .redirectLocation(failedLine(handle).url)
        case CURLE_URL_MALFORMAT: .invalidRequest(.url(failedLine(handle).url))
        case CURLE_COULDNT_RESOLVE_HOST where namesProxy(handle):
            .proxy(detail: detail, at: proxy(handle)?.failing(.nameLookup))
        case CURLE_COULDNT_RESOLVE_HOST: .nameLookup(host: host(of: handle), detail: detail)
        case CURLE_COULDNT_RESOLVE_PROXY:
            .proxy(detail: detail, at: proxy(handle)?.failing(.nameLookup))
        case CURLE_PROXY: .proxy(detail: detail, at: proxy(handle)?.failing(.refused))
        case CURLE_COULDNT_CONNECT
        where namesProxy(handle) || !(request.options.proxy ?? "").isEmpty:
            .proxy(detail: detail, at: proxy(handle)?.failing(.connect))
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE:
            .connect(host: host(of: handle), port: port(of: handle), detail: detail)
        case CURLE_OPERATION_TIMEDOUT: timeout(handle)
        case CURLE_RECV_ERROR where handle.number(CURLINFO_HTTP_CONNECTCODE) >= 300:
            .proxy(detail: detail, at: proxy(handle)?.failing(.refused))
        case CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION: .invalidRequest(.unsupported(detail))
        case CURLE_SEND_FAIL_REWIND: .bodyNotReplayable(detail: detail)
        default: nil
        }
    }

    /// The proxy that the request names, or else the environment for the last hop's scheme; nil if there is none.
    private func proxy(_ handle: CurlHandle) -> NamedProxy? {
        if let own = request.options.proxy { return NamedProxy(own, variable: nil) }
        let scheme = lastURL(handle).prefix { $0 != ":" }.asciiLowercased
        return ProxyEnvironment.current.proxy(for: scheme)
    }

    /// Whether a proxy of the environment has the host and port of the URL itself, so that a message names both.
    private func isServer(_ proxy: NamedProxy, _ handle: CurlHandle) -> Bool {
        proxy.variable != nil && proxy.port == port(of: handle)
            && proxy.host == Authority(ofURL: lastURL(handle))?.host
    }

    /// Whether libcurl's message names the proxy; only that shows whether it was used, because of `no_proxy`.
    private func namesProxy(_ handle: CurlHandle) -> Bool {
        guard let proxy = proxy(handle), !isServer(proxy, handle) else { return false }
        let detail = handle.detail
        return detail.hasPrefix("Failed to connect to \(proxy.host) port \(proxy.port) ")
            || detail == "Could not resolve host: \(proxy.host)"
            || detail == "Could not resolve proxy: \(proxy.host)"
    }

    /// The method and URL of the hop that failed, possibly after a redirect.
    func failedLine(_ handle: CurlHandle) -> ApusError.RequestLine {
        guard redirectCount > 0 else { return request.line }
        let url = lastURL(handle)
        // A location that libcurl cannot go to never becomes the effective URL.
        let isStuck = pendingRedirect.map { CredentialMask.maskingUser(in: url) == $0.url } ?? false
        return ApusError.RequestLine(
            method: handle.string(CURLINFO_EFFECTIVE_METHOD) ?? request.head.method.rawValue,
            url: isStuck ? place(of: pendingRedirect?.location ?? "", from: url) : url,
            mask: request.mask
        )
    }

    /// Resolves a location that is only a path against the redirecting URL.
    private func place(of location: String, from url: String) -> String {
        guard !location.contains("://"), let origin = TargetURI(text: url)?.resolve(location) else {
            return location
        }
        return origin.text
    }

    private func timeout(_ handle: CurlHandle) -> ApusError.Reason {
        // Through a proxy it is unknown whether the tunnel is there.
        let isSecuring =
            proxy(handle) == nil && lastURL(handle).asciiLowercased.hasPrefix("https:")
            && sockets.contains { handle.watchdog?.hadPeer($0) == true }
        // The time of a lookup is also 0 while a transfer waits for another one's connection.
        let phase =
            handle.detail.hasPrefix("Resolving timed out")
            ? .lookingUp : times(handle).waitingFor(isSecuring: isSecuring)
        // libcurl uses another clock, by which a timeout may fire slightly earlier.
        let isOverdue = isOverdue(at: .now + .milliseconds(10))
        if phase.isConnecting, let limit = request.options.connectTimeout, !isOverdue {
            return .timeout(phase, limit: limit)
        }
        return .timeout(phase, limit: request.options.timeout ?? .zero)
    }

    private func tlsFailure(
        _ code: CURLcode,
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.TLSFailure? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION: certificateFailure(handle, detail)
        case CURLE_SSL_ISSUER_ERROR: .untrustedCertificate
        case CURLE_SSL_INVALIDCERTSTATUS: .revokedCertificate
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .clientCertificate
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: .certificateAuthority
        case CURLE_SSL_CONNECT_ERROR where TLSAlert(detail) != nil:
            TLSAlert(detail)?.failure(hasCertificate: request.options.clientCertificate != nil)
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_SHUTDOWN_FAILED:
            .handshake
        default: nil
        }
    }

    /// The reason of a connection that TLS ended after the handshake.
    ///
    /// With TLS 1.3 the client's part of the handshake ends before the server has seen the client's certificate, so
    /// that a refusal comes instead of a response (RFC 8446, section 2). If the connection is reset with it, libcurl
    /// 7.88 does not read the alert and only says that the socket has no peer any more.
    private func lateTLSReason(
        _ code: CURLcode,
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.Reason? {
        guard [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2].contains(code),
            !head.isBegun, loop?.hasCutConnection != true,
            lastURL(handle).asciiLowercased.hasPrefix("https:")
        else { return nil }
        let host = host(of: handle)
        if let alert = TLSAlert(detail) {
            let hasCertificate = request.options.clientCertificate != nil
            let failure = alert.failure(hasCertificate: hasCertificate)
            return .tls(failure, host: host, detail: alert.words)
        }
        guard times(handle).newConnections > 0, detail.hasPrefix("getpeername() failed") else {
            return nil
        }
        return .tls(.endedAfterHandshake, host: host, detail: "")
    }

    /// Maps OpenSSL's number for a certificate error (x509_vfy.h); libcurl checks names itself and reports
    /// a mismatch only in its message.
    private func certificateFailure(
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.TLSFailure {
        if detail.firstRange(of: "certificate subject name") != nil { return .otherHost }
        return .init(verifyResult: handle.number(CURLINFO_SSL_VERIFYRESULT))
    }

    private func responseReason(
        _ code: CURLcode,
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.Reason? {
        switch code {
        case CURLE_TOO_MANY_REDIRECTS:
            .tooManyRedirects(limit: request.options.maximumRedirects)
        case CURLE_RECV_ERROR: receivingReason(handle, detail)
        case CURLE_GOT_NOTHING where request.options.requestedVersion == .http2:
            loss(handle, detail, .http2Connection)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: loss(handle, detail)
        case CURLE_SEND_ERROR: loss(handle, detail, phaseOfSending(handle, detail))
        case CURLE_HTTP2: loss(handle, detail, .http2Connection)
        case CURLE_HTTP2_STREAM: loss(handle, detail, phaseOfStreamEnd(detail))
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP3, CURLE_UNSUPPORTED_PROTOCOL:
            .protocolViolation(detail: detail)
        // libcurl's error for a head that begins with a folded line.
        case CURLE_BAD_FUNCTION_ARGUMENT where !head.isComplete:
            .protocolViolation(detail: "a header line without a name")
        // Also libcurl's error for a request head of more than 1 MiB.
        case CURLE_OUT_OF_MEMORY where handle.number(CURLINFO_REQUEST_SIZE) == 0:
            .transport(
                code: Int(code.rawValue),
                detail: """
                    not enough memory to send the request, or its header is larger than 1 MiB
                    """
            )
        // libcurl's error for a response header line of more than 100 KiB.
        case CURLE_OUT_OF_MEMORY where !head.isComplete: .headerTooLarge(limit: 100 << 10)
        case CURLE_BAD_CONTENT_ENCODING: .contentDecoding(detail: detail)
        case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge(limit: request.options.maximumBodySize ?? 0)
        default: nil
        }
    }

    /// libcurl uses one error code for a lost connection, a broken chunk and a long header; only its
    /// message tells them apart.
    private func receivingReason(_ handle: CurlHandle, _ detail: String) -> ApusError.Reason {
        func says(_ words: String) -> Bool { detail.firstRange(of: words) != nil }
        if says("hunk") { return .brokenChunk(detail: detail) }
        if says("Too large response header") { return .headerTooLarge(limit: 300 << 10) }
        if says("Illegal") || says("Malformed") { return .protocolViolation(detail: detail) }
        return loss(handle, detail)
    }

    /// libcurl tries again when a reused connection turns out to be closed, and gives up after five tries.
    private func phaseOfSending(
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.ConnectionLoss {
        if isHTTP2(handle) || request.options.requestedVersion == .http2 { return .http2Connection }
        return detail.hasPrefix("Connection died") ? .beforeHeader : .sending
    }

    /// A stream that ended with its connection was not reset on its own.
    private func phaseOfStreamEnd(_ detail: String) -> ApusError.ConnectionLoss {
        let endsWithConnection = detail.firstRange(of: "underlying stream") != nil
        return endsWithConnection ? .http2Connection : .streamReset
    }

    func isHTTP2(_ handle: CurlHandle) -> Bool {
        handle.number(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }

    /// The URL of the last hop.
    private func lastURL(_ handle: CurlHandle) -> String {
        handle.string(CURLINFO_EFFECTIVE_URL) ?? request.url
    }

    private func host(of handle: CurlHandle) -> String {
        Authority(ofURL: lastURL(handle))?.bracketedHost ?? ""
    }

    private func port(of handle: CurlHandle) -> Int {
        let url = lastURL(handle)
        return Authority(ofURL: url)?.port ?? (url.asciiLowercased.hasPrefix("https:") ? 443 : 80)
    }
}
