package import Apus
package import FoundationEssentials
import HTTPTypes
import Secrets

/// The server that replaces the recorded ones (`--base-url`).
package struct ReplayServer: Sendable {
    private let scheme: String
    private let authority: String
    /// The prefix for the recorded paths, without a slash at its end.
    private let path: String

    /// Reads a server's URL.
    ///
    /// - Throws: ``ReplayError`` if it has no host that can be used, or has a query, a fragment or a user.
    package init(_ text: String) throws(ReplayError) {
        let ascii: String
        do throws(HostNameError) {
            ascii = try HostName.url(text)
        } catch {
            throw .host(url: CredentialMask().masking(argument: text), detail: error.detail)
        }
        guard let url = RecordedURL(ascii), !text.utf8.contains(where: "?#@".utf8.contains) else {
            throw .notServer
        }
        (scheme, authority) = (url.scheme, url.authority)
        path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
    }

    /// A target's base URL, moved to this server.
    package func moved(_ url: URL) -> URL? {
        URL(string: "\(scheme)://\(authority)\(path)\(url.path(percentEncoded: true))")
    }

    /// Moves a request to this server.
    package func move(_ request: inout PreparedRequest) {
        request.head.scheme = scheme
        request.head.authority = authority
        request.head.path = path + (request.head.path ?? "/")
    }
}
