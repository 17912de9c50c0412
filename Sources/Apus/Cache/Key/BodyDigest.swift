import HTTPTypes

/// What a request's body adds to its key: a digest of its meaning, as far as
/// its `Content-Type` tells one.
struct BodyDigest {
    /// "json", "form", "bytes" or "file".
    let kind: String
    /// SHA-256 of the form that equal bodies share.
    let digest: String

    /// The digest of a request's body; nil if it has none.
    init?(_ request: PreparedRequest, ignoring ignored: Set<String>) {
        switch request.body {
        case .none: return nil
        case .bytes(let bytes):
            (kind, digest) = Self.parts(bytes, type: Self.mediaType(of: request), ignored)
        case .file(let path):
            kind = "file"
            // A file that cannot be read fails when it is sent; its path keeps
            // the keys of two such requests apart.
            digest =
                ContentDigest.hex(ofFile: path)?.digest
                ?? "unreadable \(ContentDigest.hex(of: path))"
        }
    }

    private static func parts(
        _ bytes: [UInt8],
        type: String,
        _ ignored: Set<String>
    ) -> (kind: String, digest: String) {
        if type == "application/json" || type.hasSuffix("+json"),
            let canonical = CanonicalJSON.bytes(of: bytes)
        {
            return ("json", ContentDigest.hex(of: canonical))
        }
        if type == "application/x-www-form-urlencoded",
            let text = String(validating: bytes, as: UTF8.self)
        {
            return ("form", ContentDigest.hex(of: ParameterText.sorted(text, ignored)))
        }
        return ("bytes", ContentDigest.hex(of: bytes))
    }

    private static func mediaType(of request: PreparedRequest) -> String {
        let value = request.head.headerFields[.contentType] ?? ""
        return value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
