package import Apus
import Documents
import HTTPTypes

extension ExchangeDetails {
    /// Header fields that belong to the connection (RFC 9110, section 7.6.1) or that the engine sets itself.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
        "content-length", "expect", "host", "accept-encoding",
    ]

    /// The request in a form that can be sent again, still with masks for its secrets.
    ///
    /// - Throws: ``ReplayError`` if its body is missing or its URL is invalid.
    package func requestToSend() throws(ReplayError) -> PreparedRequest {
        guard request.hasPlainURL else { throw .noURL }
        if let size = unkeptRequestSize { throw .unkeptBody(size: size) }
        var request = request
        request.head.headerFields.removeAll { Self.dropped.contains($0.name.canonicalName) }
        return request
    }

    /// The request for a copied command, in which the user replaces the masks with secrets.
    ///
    /// - Throws: ``ReplayError`` if its body or files are missing.
    package func requestToCopy() throws(ReplayError) -> PreparedRequest {
        try completed(ReplaySecrets.Restored(request: requestToSend()), from: nil)
    }

    /// The request with its secrets, ready to send.
    ///
    /// - Parameters:
    ///   - restored: ``requestToSend()`` with its secrets restored.
    ///   - own: the request that its target makes now, from which a form gets its files; nil if there is no
    ///     target or it goes elsewhere.
    /// - Returns: the request. If the recorded response was a redirect, it does not follow redirects.
    /// - Throws: ``ReplayError`` if secrets or files are missing.
    package func completed(
        _ restored: ReplaySecrets.Restored,
        from own: PreparedRequest?
    ) throws(ReplayError) -> PreparedRequest {
        guard restored.missing.isEmpty else { throw .missingSecrets(restored.missing) }
        var request = restored.request
        if request.hasOutline {
            guard let own, case .multipart = own.body else { throw .namesOfFiles }
            request.body = own.body
            request.head.headerFields[.contentType] = own.head.headerFields[.contentType]
        }
        // The recorded redirect was not followed, so do not follow it now.
        if let status = exchange.status, (300...399).contains(status) {
            request.options.maximumRedirects = 0
        }
        return request
    }
}

extension ExchangeDetails {
    /// The request with the server, the secrets and the cookies that its target has now.
    ///
    /// - Parameters:
    ///   - prepared: The request that its target makes now; nil if there is no target.
    ///   - change: Changes the recorded request before its secrets are restored.
    /// - Returns: The request, ready to send.
    /// - Throws: ``ReplayError`` if the request cannot be sent, or secrets or files are missing.
    package func requestToSendAgain(
        to prepared: PreparedRequest?,
        changing change: (inout PreparedRequest) -> Void = { _ in }
    ) throws(ReplayError) -> PreparedRequest {
        var recorded = try requestToSend()
        change(&recorded)
        if let prepared {
            // The environment may have another address now: the port of the demo changes with each start.
            (recorded.head.scheme, recorded.head.authority) = (
                prepared.head.scheme, prepared.head.authority
            )
        }
        var secrets = ReplaySecrets()
        var request = try completed(secrets.restore(recorded, from: prepared), from: prepared)
        if let options = prepared?.options, options.sendsCookies {
            request.options.cookieJar = options.cookieJar
        }
        return request
    }
}

extension PreparedRequest {
    /// Whether the body is a form that was recorded with the names of its files instead of their content.
    fileprivate var hasOutline: Bool {
        guard case .bytes(let bytes) = body,
            head.headerFields[.contentType]?.asciiLowercased.hasPrefix("multipart/") == true
        else { return false }
        return ["\r\n\r\n[the file ", "\r\n\r\n[a stream of "].contains {
            bytes.firstRange(of: Array($0.utf8)) != nil
        }
    }
}
