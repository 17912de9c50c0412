import CCurl
import HTTPTypes

/// What stays behind when libcurl follows a redirect to another origin.
///
/// libcurl 7.88 keeps back `Authorization`, `Cookie` and credentials, but sends every other field
/// and the client certificate anywhere. It reads a handle's fields, and what makes a connection,
/// anew for each hop; so they are taken away when the header of the answer that sends us on is
/// there, and redirects remain libcurl's, with its times.
extension CurlTransfer {
    /// Leaves secrets behind if a redirect leads to another origin.
    ///
    /// - Returns: the names of the fields that were left out; nil if it may not be followed.
    func withholdSecrets(from location: String, _ head: ParsedHead) -> [String]? {
        guard !hasLeftOrigin, let handle, !request.options.trustsRedirects else {
            return []
        }
        let origin = handle.origin(of: location, from: currentURL)
        guard origin == nil || origin != handle.origin(of: request.url) else { return [] }
        // An earlier hop may have made it a GET.
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
        // What was taken away is set again for the next transfer.
        handle.preset = nil
        do throws(CurlFault) {
            try handle.withhold(names)
            return names.map(\.rawName)
        } catch {
            failure = error.reason
            return nil
        }
    }

    /// Goes on without the body where libcurl does; false if that cannot be.
    ///
    /// libcurl repeats all lines that it was given, and a method that it was told by name: a GET that
    /// announces a body which never comes would have the server take the next request for it.
    func leaveBody(after status: Int) -> Bool {
        let method = request.head.method
        let becomesGet = RedirectFollower.becomesGet(method, after: status)
        // "See Other" is answered by GET, whatever the method was (RFC 9110, section 15.4.4).
        guard let handle, becomesGet || status == 303 && upload != nil else { return true }
        // What was taken away is set again for the next transfer.
        handle.preset = nil
        do throws(CurlFault) {
            if status == 303 { try handle.set(CURLOPT_CUSTOMREQUEST, nil) }
            try handle.removeHeaderLines(where: RedirectFollower.isOfBody)
            return true
        } catch {
            failure = error.reason
            return false
        }
    }

    /// Whether a request may go out: secrets go to their own origin only.
    ///
    /// libcurl decides where a redirect leads, from a header that it may read in another way than
    /// we do. So this is asked before each request, whatever was seen of a redirect.
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
        failure = .protocolViolation(detail: "it redirects in a way that can be read differently")
        return false
    }
}
