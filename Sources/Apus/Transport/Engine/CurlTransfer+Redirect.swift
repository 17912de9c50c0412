import CCurl
import HTTPTypes

/// Withholds secrets when libcurl follows a redirect to another origin.
///
/// libcurl 7.88 withholds `Authorization`, `Cookie` and credentials, but sends every other field and the
/// client certificate anywhere. It reads a handle's fields and connection options again for each hop. So
/// they are removed when the header of the redirect has arrived, and libcurl still follows the redirect and
/// measures its times.
extension CurlTransfer {
    /// Whether the transfer ends here, because libcurl would not go where the location leads.
    ///
    /// libcurl 7.88 keeps the dot segments of a location if those of the request are kept, drops a segment for
    /// `#f`, and reads hosts in the encoding of the locale. Its header callback cannot change where it goes. So it
    /// follows only what it resolves as `RedirectLocation` does, and `RedirectFollower` goes on with the rest.
    func diverts(from location: RedirectLocation, _ head: ParsedHead) -> Bool {
        guard let handle, let url = location.resolved(from: currentURL),
            handle.resolved(location, from: currentURL) != url.text
        else { return false }
        let earlier = redirects.map { hop in
            HTTPResponse(status: .init(code: hop.status), headerFields: hop.fields)
        }
        diversion = RedirectDiversion(
            heads: earlier + [head.response],
            trace: wireTrace?.entries ?? []
        )
        failure = .redirectLocation(location.text)
        return true
    }

    /// Removes secrets from the handle if a redirect leads to another origin.
    ///
    /// - Returns: The names of the fields that were removed; nil if the redirect must not be followed.
    func withholdSecrets(from location: String, _ head: ParsedHead) -> [String]? {
        guard !hasLeftOrigin, let handle, !request.options.trustsRedirects else {
            return []
        }
        let origin = handle.origin(of: location, from: currentURL)
        guard origin == nil || origin != handle.origin(of: request.url) else { return [] }
        // An earlier hop may have changed the method to GET.
        let method = request.head.method
        let keepsBody =
            request.hasContent && handle.string(CURLINFO_EFFECTIVE_METHOD) == method.rawValue
            && head.status != 303 && !RedirectFollower.becomesGet(method, after: head.status)
        guard !keepsBody else {
            failure = .bodyInRedirect(to: origin ?? location)
            return nil
        }
        let names = request.ownOriginFieldNames
        hasLeftOrigin = true
        // The next transfer must set the removed options again.
        handle.preset = nil
        do throws(CurlError) {
            try handle.withhold(names)
            return names.map(\.rawName)
        } catch {
            failure = error.reason
            return nil
        }
    }

    /// Removes what describes the body if libcurl drops the body in this redirect; returns false on failure.
    ///
    /// libcurl repeats all header lines and a custom method. A GET that announces a body and does not send
    /// it would make the server read the next request as that body.
    func leaveBody(after status: Int) -> Bool {
        let method = request.head.method
        let becomesGet = RedirectFollower.becomesGet(method, after: status)
        // "See Other" is followed with GET, whatever the method was (RFC 9110, section 15.4.4).
        guard let handle, becomesGet || status == 303 && upload != nil else { return true }
        // The next transfer must set the removed options again.
        handle.preset = nil
        do throws(CurlError) {
            if status == 303 { try handle.set(CURLOPT_CUSTOMREQUEST, nil) }
            try handle.removeHeaderLines(where: RedirectFollower.isOfBody)
            return true
        } catch {
            failure = error.reason
            return false
        }
    }

    /// Whether the next request may be sent: secrets go only to their own origin.
    ///
    /// libcurl decides where a redirect leads and may parse the header differently than we do, so this is
    /// checked before each request.
    func mayBeginHop() -> Bool {
        guard !hasLeftOrigin, let handle, handle.number(CURLINFO_REDIRECT_COUNT) > 0,
            !request.options.trustsRedirects
        else { return true }
        let origin = handle.origin(of: currentURL)
        if origin != nil, origin == handle.origin(of: request.url) { return true }
        let keepsBody =
            request.hasContent
            && handle.string(CURLINFO_EFFECTIVE_METHOD) == request.head.method.rawValue
        guard
            keepsBody || !request.ownOriginFieldNames.isEmpty
                || request.options.clientCertificate != nil
        else { return true }
        failure = .protocolViolation(
            detail: "the redirect is ambiguous: its target can be read in more than one way"
        )
        return false
    }
}

/// The redirects of a transfer, the last of which libcurl does not follow.
struct RedirectDiversion {
    /// The redirects' heads, first to last.
    let heads: [HTTPResponse]
    /// The wire trace so far.
    let trace: [WireTraceEntry]
}
