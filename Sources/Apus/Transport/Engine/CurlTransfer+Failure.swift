import CCurl
import HTTPTypes

extension CurlTransfer {
    /// What libcurl's result means; nil if all is well.
    func reason(for code: CURLcode, _ handle: CurlHandle) -> ApusError.Reason? {
        if let failure { return failure }
        guard code != CURLE_OK else {
            // libcurl takes a header without its empty line for a whole answer.
            return head.isComplete
                ? nil
                : .connectionLost(
                    received: 0,
                    expected: nil,
                    detail: "the connection ended in the header"
                )
        }
        let detail = detail(of: code, handle)
        return connectionReason(code, handle, detail)
            ?? tlsFailure(code).map { .tls($0, host: host(of: handle), detail: detail) }
            ?? answerReason(code, handle, detail)
            ?? .transport(code: Int(code.rawValue), detail: detail)
    }

    private func detail(of code: CURLcode, _ handle: CurlHandle) -> String {
        let detail = handle.detail
        guard detail.isEmpty else { return detail }
        return curl_easy_strerror(code).map { String(cString: $0) } ?? ""
    }

    private func connectionReason(
        _ code: CURLcode,
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.Reason? {
        switch code {
        case CURLE_URL_MALFORMAT: .invalidRequest(.url(Redaction.maskingUserInfo(in: request.url)))
        case CURLE_COULDNT_RESOLVE_HOST: .nameLookup(host: host(of: handle), detail: detail)
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy(detail: detail)
        case CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED, CURLE_NO_CONNECTION_AVAILABLE:
            request.options.proxy.map { $0.isEmpty } ?? true
                ? .connect(host: host(of: handle), port: port(of: handle), detail: detail)
                : .proxy(detail: detail)
        case CURLE_OPERATION_TIMEDOUT: timeout(handle)
        case CURLE_RECV_ERROR where handle.number(CURLINFO_HTTP_CONNECTCODE) >= 300:
            .proxy(detail: detail)
        default: nil
        }
    }

    private func timeout(_ handle: CurlHandle) -> ApusError.Reason {
        let phase = HopTimes(handle).since(earlierHops).waitingFor
        let whole = request.options.timeout ?? .zero
        let taken = Duration.microseconds(handle.offset(CURLINFO_TOTAL_TIME_T))
        if phase == .connecting, let limit = request.options.connectTimeout,
            request.options.timeout == nil || taken < whole
        {
            return .timeout(phase, limit: limit)
        }
        return .timeout(phase, limit: whole)
    }

    private func tlsFailure(_ code: CURLcode) -> ApusError.TLSFailure? {
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            .untrustedCertificate
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH: .pinMismatch
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .clientCertificate
        case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: .certificateAuthority
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED,
            CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
            CURLE_SSL_SHUTDOWN_FAILED:
            .handshake
        default: nil
        }
    }

    private func answerReason(
        _ code: CURLcode,
        _ handle: CurlHandle,
        _ detail: String
    ) -> ApusError.Reason? {
        switch code {
        case CURLE_TOO_MANY_REDIRECTS:
            .tooManyRedirects(limit: request.options.maximumRedirects)
        case CURLE_RECV_ERROR where isAboutSyntax(detail): .protocolViolation(detail: detail)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
            .connectionLost(
                received: handle.offset(CURLINFO_SIZE_DOWNLOAD_T),
                expected: expectedCount,
                detail: detail
            )
        case CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3,
            CURLE_UNSUPPORTED_PROTOCOL:
            .protocolViolation(detail: detail)
        // libcurl's answer to a header line of more than 100 KiB.
        case CURLE_OUT_OF_MEMORY where !head.isComplete:
            .protocolViolation(detail: "a header line is too long, or memory ran out")
        case CURLE_BAD_CONTENT_ENCODING: .contentDecoding(detail: detail)
        case CURLE_WRITE_ERROR where head.fields[.contentEncoding] != nil:
            .contentDecoding(detail: detail)
        case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge(limit: request.options.maximumBodySize ?? 0)
        default: nil
        }
    }

    /// libcurl gives a broken chunk the number of a lost connection; only its
    /// words tell them apart.
    private func isAboutSyntax(_ detail: String) -> Bool {
        ["hunk", "Too large response header", "Illegal", "Malformed"].contains {
            detail.firstRange(of: $0) != nil
        }
    }

    /// The host and port of the last hop.
    private func authority(of handle: CurlHandle) -> Substring {
        let url = handle.string(CURLINFO_EFFECTIVE_URL) ?? request.url
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
            ?? authority
    }

    private func host(of handle: CurlHandle) -> String {
        let authority = authority(of: handle)
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            return String(authority[...end])
        }
        return String(authority.prefix { $0 != ":" })
    }

    private func port(of handle: CurlHandle) -> Int? {
        let authority = authority(of: handle)
        if let port = authority.dropFirst(host(of: handle).count).dropFirst().nonEmpty {
            return Int(port)
        }
        let url = handle.string(CURLINFO_EFFECTIVE_URL) ?? request.url
        return url.lowercased().hasPrefix("https:") ? 443 : 80
    }
}

extension Substring {
    fileprivate var nonEmpty: Substring? { isEmpty ? nil : self }
}
