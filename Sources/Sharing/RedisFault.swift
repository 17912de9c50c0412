/// Why a Redis server could not be used.
public struct RedisFault: Error, Sendable, Hashable {
    /// What happened.
    public enum Reason: Sendable, Hashable {
        /// The address cannot be used, for this reason.
        case address(String)
        /// The team's key cannot be used, for this reason.
        case key(String)
        /// The library hiredis is missing; the text is the loader's.
        case libraryMissing(String)
        /// The library cannot do TLS.
        case noTLS
        /// No connection could be made.
        case connect(String)
        /// The server did not respond in time.
        case timeout
        /// The server closed the connection.
        case closed
        /// The user or the password is wrong, or one is needed.
        case login(String)
        /// The user may not do this.
        case forbidden(String)
        /// The server has no memory left.
        case full
        /// The server is a copy that only reads.
        case readOnly
        /// The server reads its data from disk.
        case loading
        /// Another error of the server.
        case server(String)
        /// A reply that the protocol does not have there.
        case reply
        /// The server loses what is written to it, again and again.
        case forgets
    }

    /// What happened.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }

    /// The fault of a server's error message.
    init(serverError text: String) {
        let code = text.prefix { $0 != " " }
        switch code {
        case "NOAUTH", "WRONGPASS": self.init(.login(text))
        case "NOPERM": self.init(.forbidden(text))
        case "OOM": self.init(.full)
        case "READONLY": self.init(.readOnly)
        case "LOADING": self.init(.loading)
        // Servers before version 6 know no users.
        case "ERR" where text.contains("invalid password") || text.contains("AUTH"):
            self.init(.login(text))
        default: self.init(.server(text))
        }
    }

    /// Whether only writing fails.
    var isOfWriting: Bool {
        switch reason {
        case .full, .readOnly: true
        default: false
        }
    }
}

extension RedisFault: CustomStringConvertible {
    /// What happened and what to do, as a text without a period.
    public var description: String {
        switch reason {
        case .address(let detail): "the address cannot be used: \(detail)"
        case .key(let detail): detail
        case .libraryMissing(let detail):
            "hiredis is missing, on Debian the package libhiredis0.14 (\(detail))"
        case .noTLS:
            """
            this build's hiredis has no TLS; use redis:// through a tunnel (stunnel, ssh -L), or build apus \
            with hiredis 1.0 or newer
            """
        case .connect(let detail): "no connection: \(detail.lowercasedFirst)"
        case .timeout: "no response in time"
        case .closed: "the server closed the connection"
        case .login(let text): "the server refused the user or the password (\(text))"
        case .forbidden(let text): "the user may not do this (\(text))"
        case .full:
            "the server has no memory left (maxmemory); give it more, or a policy such as allkeys-lru"
        case .readOnly: "the server is a read-only copy; name the primary server"
        case .loading: "the server is still reading its data from disk"
        case .server(let text): "the server says: \(text)"
        case .forgets:
            "the server loses what is written to it again and again; give it more memory (maxmemory)"
        case .reply: "the server is not a Redis server, or speaks another version of the protocol"
        }
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
