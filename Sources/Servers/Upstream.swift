import Apus
import Documents
package import HTTPServing
package import HTTPTypes
import NIOCore
import Secrets

/// The URL of the server that requests are passed on to: its scheme and authority.
package struct UpstreamBase: Sendable {
    private let scheme: String
    private let authority: String

    /// Parses a URL, which must not have a path, so that a session recorded through a proxy has the paths that
    /// its clients request.
    init(_ url: String) throws(ServerError) {
        let shown = CredentialMask().masking(argument: url)
        let given = url.split { $0 == " " || $0 == "\t" || $0.isNewline }
        // Blanks around a URL are not part of it.
        let own = given.count == 1 ? String(given[0]) : url
        let text = own.contains("://") ? own : "http://\(own)"
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        let scheme = parts[0].asciiLowercased
        guard scheme == "http" || scheme == "https" else {
            throw ServerError(
                description:
                    "“\(shown)” is not the URL of a server; use http://HOST or https://HOST"
            )
        }
        let end = parts[1].firstIndex { "/?#".contains($0) } ?? parts[1].endIndex
        let path = parts[1][end...]
        let authority: String
        do throws(HostNameError) {
            authority = try HostName.authority(String(parts[1][..<end]))
        } catch {
            throw ServerError(
                description: "the host of “\(shown)” cannot be used: \(error.detail)"
            )
        }
        guard !authority.isEmpty, !authority.hasSuffix(":"), !authority.hasPrefix(":"),
            authority.allSatisfy({ $0.isASCII && $0 > " " })
        else {
            throw ServerError(
                description: "“\(shown)” is not the URL of a server: it has no host"
            )
        }
        guard !authority.contains("@") else {
            throw ServerError(
                description: """
                    the server's URL must not contain a user; requests bring their own credentials
                    """
            )
        }
        guard path.isEmpty || path == "/" else {
            throw ServerError(
                description: "the server's URL must not contain a path; requests keep their own"
            )
        }
        self.scheme = scheme
        self.authority = authority
    }

    /// The URL, without a path.
    var url: String { "\(scheme)://\(authority)" }

    /// Whether requests to it would reach a server that listens at this address and port.
    ///
    /// Host names are not looked up, but those that always mean this machine are known (RFC 6761, section 6.3).
    func leads(to address: String, port: Int) -> Bool {
        var host = authority
        var asked = scheme == "https" ? 443 : 80
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let number = Int(authority[authority.index(after: colon)...]) else {
                return false
            }
            asked = number
            host = String(authority[..<colon])
        }
        guard asked == port else { return false }
        host = host.trimmingPrefix("[").asciiLowercased
        for end in ["]", "."] where host.hasSuffix(end) { host.removeLast() }
        if host == "localhost" || host.hasSuffix(".localhost") {
            return ["127.0.0.1", "::1", "0.0.0.0", "::"].contains(address)
        }
        // The system treats the unspecified address as this machine.
        host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        guard let upstream = try? SocketAddress(ipAddress: host, port: port),
            let own = try? SocketAddress(ipAddress: address, port: port)
        else { return false }
        guard address == "0.0.0.0" || address == "::" else { return upstream == own }
        let isLoopback = host.hasPrefix("127.") || upstream.ipAddress == "::1"
        return isLoopback
            || (try? System.enumerateDevices())?.contains {
                $0.address?.ipAddress == upstream.ipAddress
            } == true
    }

    /// Throws if requests to the upstream would reach this server itself.
    package func requireOther(than server: HTTPServer.Address) throws(ServerError) {
        guard leads(to: server.ipAddress, port: server.port) else { return }
        throw ServerError(
            description: "\(url) is this server's own address: it would send requests to itself"
        )
    }

    /// The head of a request, changed to be sent there.
    func head(_ head: HTTPRequest) -> HTTPRequest {
        var head = head
        head.scheme = scheme
        head.authority = authority
        return head
    }
}

/// The response to a client if the upstream server could not be reached.
enum UpstreamFailure {
    /// 504 after a timeout, else 502 (RFC 9110, section 15.6).
    static func status(of error: ApusError) -> Int {
        if case .timeout = error.reason { 504 } else { 502 }
    }

    static func text(_ error: ApusError) -> String { "apus: \(error.workspaceMessage)" }
}

extension HTTPFields {
    /// Removes the hop-by-hop fields (RFC 9110, section 7.6.1).
    ///
    /// - Parameters:
    ///   - keepsTrailers: whether `TE: trailers` is kept, because trailers are passed on.
    ///   - keepsChunks: whether `Transfer-Encoding: chunked` is kept.
    package mutating func removeHopByHop(keepsTrailers: Bool = false, keepsChunks: Bool = false) {
        let wantsTrailers = keepsTrailers && members(of: .te).contains("trailers")
        let names = Set(members(of: .connection).compactMap { HTTPField.Name($0) })
        var hasChunks = false
        var kept = HTTPFields()
        for field in self where !Self.hopByHop.contains(field.name) {
            if field.name == .transferEncoding {
                let isFirst = keepsChunks && !hasChunks && field.value.asciiLowercased != "identity"
                hasChunks = hasChunks || isFirst
                if isFirst { kept.append(HTTPField(name: field.name, value: "chunked")) }
            } else if !names.contains(field.name) || Self.endToEnd.contains(field.name) {
                kept.append(field)
            }
        }
        if wantsTrailers {
            kept.append(HTTPField(name: .te, value: "trailers"))
            kept.append(HTTPField(name: .connection, value: "TE"))
        }
        self = kept
    }

    private static let hopByHop: Set<HTTPField.Name> = Set(
        [.connection, .te, .upgrade]
            + ["Keep-Alive", "Proxy-Connection"].compactMap { HTTPField.Name($0) }
    )
    /// Fields that are kept even if a `Connection` field names them.
    private static let endToEnd: Set<HTTPField.Name> = [
        .contentLength, .transferEncoding, .cacheControl, .authorization, .cookie, .contentType,
    ]
}
