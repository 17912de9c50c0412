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
        guard !hasLeftOrigin, let handle, !request.options.sendsSecretsToOtherOrigins else {
            return []
        }
        let names = request.secretFieldNames
        // An earlier hop may have made it a GET.
        let method = request.head.method
        let keepsBody =
            handle.string(CURLINFO_EFFECTIVE_METHOD) == method.rawValue
            && !RedirectFollower.becomesGet(method, after: head.status)
        let holdsSecret = keepsBody && request.bodyHoldsSecret
        guard !names.isEmpty || holdsSecret || request.options.clientCertificate != nil else {
            return []
        }
        // Neither stays for the next transfer.
        handle.preset = nil
        let origin = handle.origin(of: location, from: currentURL)
        guard origin == nil || origin != handle.origin(of: request.url) else {
            // It goes by the location as we read it: libcurl may not read another.
            handle.checkHops()
            return []
        }
        guard !holdsSecret else {
            failure = .secretInRedirect(to: origin ?? request.mask.masking(url: location))
            return nil
        }
        hasLeftOrigin = true
        do throws(CurlFault) {
            try handle.withhold(names)
            return names.map(\.rawName)
        } catch {
            failure = error.reason
            return nil
        }
    }

    /// Whether a hop may begin: with the secrets only at their own origin.
    func mayBeginHop() -> Bool {
        guard !hasLeftOrigin, let handle else { return true }
        let origin = handle.origin(of: currentURL)
        if origin != nil, origin == handle.origin(of: request.url) { return true }
        failure = .protocolViolation(detail: "the redirect names two places to go to")
        return false
    }
}
