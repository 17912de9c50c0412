import Documents

/// Where a Redis or Valkey server is: `redis://user:password@host:port/db`, `rediss://…` with TLS, or
/// `unix:///path/to/socket?db=1`.
public struct RedisAddress: Sendable, Hashable {
    /// How the server is reached.
    enum Place: Sendable, Hashable {
        case host(String, port: Int)
        case socket(path: String)
    }

    let place: Place
    /// Whether the connection is encrypted.
    let usesTLS: Bool
    let user: String?
    /// The password; nil for none.
    package var password: String?
    /// The number of the database.
    let database: Int

    /// The address without credentials.
    public var name: String {
        switch place {
        case .socket(let path): "unix://\(path)\(database == 0 ? "" : "?db=\(database)")"
        case .host(let host, let port):
            "\(usesTLS ? "rediss" : "redis")://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
        }
    }

    /// Reads an address; `password` replaces one in the URL.
    ///
    /// - Throws: `RedisFault` that says what is wrong with it, without its password.
    public init(_ url: String, password: String? = nil) throws(RedisFault) {
        guard let schemeEnd = url.firstRange(of: "://") else {
            throw RedisFault(.address("it does not begin with redis://, rediss:// or unix://"))
        }
        let scheme = url[..<schemeEnd.lowerBound].lowercased()
        let rest = url[schemeEnd.upperBound...]
        switch scheme {
        case "redis", "rediss":
            self = try Self.network(rest, usesTLS: scheme == "rediss", password)
        case "unix": self = try Self.socket(rest, password)
        default:
            throw RedisFault(.address("\(scheme):// is not redis://, rediss:// or unix://"))
        }
    }

    private init(
        _ place: Place,
        usesTLS: Bool = false,
        user: String? = nil,
        password: String?,
        database: Int
    ) {
        self.place = place
        self.usesTLS = usesTLS
        self.user = user
        self.password = password
        self.database = database
    }

    private static func network(
        _ text: Substring,
        usesTLS: Bool,
        _ password: String?
    ) throws(RedisFault) -> RedisAddress {
        guard !text.contains(where: { "?#".contains($0) }) else {
            throw RedisFault(.address("nothing may follow the database's number"))
        }
        let pathStart = text.firstIndex(of: "/")
        let authority = text[..<(pathStart ?? text.endIndex)]
        let path = pathStart.map { text[text.index(after: $0)...] } ?? ""
        let userEnd = authority.lastIndex(of: "@")
        let (user, given) = try credentials(userEnd.map { authority[..<$0] })
        let place = userEnd.map { authority[authority.index(after: $0)...] } ?? authority
        let (host, port) = try hostAndPort(place)
        return RedisAddress(
            .host(host, port: port),
            usesTLS: usesTLS,
            user: user,
            password: password ?? given,
            database: try number(path)
        )
    }

    private static func socket(
        _ text: Substring,
        _ password: String?
    ) throws(RedisFault) -> RedisAddress {
        let parts = text.split(separator: "?", maxSplits: 1)
        guard let path = parts.first, path.hasPrefix("/") else {
            throw RedisFault(.address("a socket's path is absolute: unix:///run/redis.sock"))
        }
        var database = 0
        if parts.count == 2 {
            guard parts[1].hasPrefix("db=") else {
                throw RedisFault(.address("only ?db=NUMBER may follow a socket's path"))
            }
            database = try number(parts[1].dropFirst(3))
        }
        return RedisAddress(.socket(path: String(path)), password: password, database: database)
    }

    private static func credentials(
        _ text: Substring?
    ) throws(RedisFault) -> (user: String?, password: String?) {
        guard let text, !text.isEmpty else { return (nil, nil) }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let decoded = parts.map(Self.decoded)
        guard decoded.allSatisfy({ $0 != nil }) else {
            throw RedisFault(.address("the user or the password is not percent-encoded"))
        }
        guard decoded.count == 2, let user = decoded[0], let password = decoded[1] else {
            throw RedisFault(.address("a user needs a password: user:password@, or :password@"))
        }
        return (user.isEmpty ? nil : user, password.isEmpty ? nil : password)
    }

    private static func decoded(_ text: Substring) -> String? {
        let (bytes, fault) = PercentEncoding.decode(Array(text.utf8))
        return fault == nil ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static func hostAndPort(
        _ text: Substring
    ) throws(RedisFault) -> (host: String, port: Int) {
        var host = text
        var port: Substring = ""
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            port = text[text.index(after: end)...]
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[colon...]
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
            throw RedisFault(.address("it has no host"))
        }
        if port.isEmpty { return (String(host), 6379) }
        guard port.hasPrefix(":"), let number = Int(port.dropFirst()), 1...65535 ~= number else {
            throw RedisFault(.address("its port is not a number from 1 to 65535"))
        }
        return (String(host), number)
    }

    private static func number(_ text: Substring) throws(RedisFault) -> Int {
        if text.isEmpty { return 0 }
        guard let number = Int(text), 0...65535 ~= number else {
            throw RedisFault(.address("the database is not a number"))
        }
        return number
    }
}
