import Documents
import Workspaces

/// Where objects are: `s3://BUCKET/PREFIX`, at AWS or at another server with the same protocol.
package struct ObjectStoreAddress: Sendable, Hashable {
    /// The bucket's name.
    package let bucket: String
    /// What the keys of all objects begin with, without slashes at its ends; may be empty.
    package let prefix: String
    /// The server's URL without a slash at its end; nil for AWS.
    package let endpoint: String?

    /// Reads an address.
    ///
    /// - Parameters:
    ///   - text: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
    ///   - endpoint: the URL of a server that is not AWS's.
    /// - Throws: ``ObjectStoreError`` that says what is wrong with it.
    package init(_ text: String, endpoint: String? = nil) throws(ObjectStoreError) {
        guard text.lowercased().hasPrefix("s3://") else {
            throw ObjectStoreError("“\(text)” is not an address: write s3://BUCKET/PREFIX")
        }
        let parts = text.dropFirst("s3://".count).split(separator: "/")
        // The names that AWS allows; they go into a host's name.
        guard let bucket = parts.first, (3...63).contains(bucket.utf8.count),
            bucket.utf8.allSatisfy({ byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
                    || byte == 0x2E || byte == 0x5F
            })
        else {
            throw ObjectStoreError(
                "“\(text)” has no name of a bucket: 3 to 63 lowercase letters, digits, dots and hyphens"
            )
        }
        if let endpoint {
            let lowercase = endpoint.lowercased()
            guard lowercase.hasPrefix("http://") || lowercase.hasPrefix("https://") else {
                throw ObjectStoreError(
                    "the endpoint “\(endpoint)” is not a URL that begins with http:// or https://"
                )
            }
        }
        self.bucket = String(bucket)
        prefix = parts.dropFirst().joined(separator: "/")
        self.endpoint = endpoint.map { endpoint in
            var endpoint = endpoint[...]
            while endpoint.hasSuffix("/") { endpoint.removeLast() }
            return String(endpoint)
        }
    }

    /// The address as it is written.
    package var text: String { "s3://\(bucket)" + (prefix.isEmpty ? "" : "/\(prefix)") }

    /// The key of an object below the prefix.
    func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

    /// The key of the object with a content of this SHA-256.
    func objectKey(_ digest: String) -> String {
        key("objects/\(digest.prefix(2))/\(digest)")
    }

    /// The address and the endpoint in a line each, as the history keeps them.
    var location: String { text + (endpoint.map { "\n\($0)" } ?? "") }

    /// Reads what ``location`` wrote.
    init(location: String) throws(ObjectStoreError) {
        let lines = location.split(separator: "\n", maxSplits: 1)
        try self.init(
            lines.first.map { String($0) } ?? "",
            endpoint: lines.count > 1 ? String(lines[1]) : nil
        )
    }

    /// The URL of a key, or of the bucket.
    ///
    /// At AWS the bucket is in the host's name, unless it has a dot, which no certificate covers; elsewhere it is in
    /// the path, which every server understands.
    func url(_ key: String = "", region: String) -> String {
        let path = key.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.component(String($0)) }.joined(separator: "/")
        guard let endpoint else {
            // China's regions are in a domain of their own.
            let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
            return bucket.contains(".") || bucket.contains("_")
                ? "https://s3.\(region).\(domain)/\(bucket)/\(path)"
                : "https://\(bucket).s3.\(region).\(domain)/\(path)"
        }
        return "\(endpoint)/\(bucket)/\(path)"
    }
}

/// Why objects cannot be read or written, in words.
package struct ObjectStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what to do.
    package let description: String
    /// The server's name for it, such as `NoSuchBucket`; nil if the server did not say.
    let code: String?

    init(_ description: String, code: String? = nil) {
        (self.description, self.code) = (description, code)
    }
}
