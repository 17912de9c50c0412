import Documents
import HTTPTypes

/// What a request's body adds to its key: a digest of its meaning, as far as
/// its `Content-Type` tells one.
struct BodyDigest {
    /// "json", "form", "bytes", "file" or "multipart".
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
            digest = Self.digest(ofFile: path)
        case .multipart(let form):
            kind = "multipart"
            digest = Self.digest(of: form)
        }
    }

    private static func digest(ofFile path: String) -> String {
        // A file that cannot be read fails when it is sent; its path keeps
        // the keys of two such requests apart.
        ContentDigest.hex(ofFile: path)?.digest ?? "unreadable \(ContentDigest.hex(of: path))"
    }

    /// Part by part and without the boundary, which is another each time.
    private static func digest(of form: MultipartForm) -> String {
        var form = form
        form.boundary = "apus"
        let digests = form.pieces().map { piece in
            switch piece {
            case .bytes(let bytes): ContentDigest.hex(of: bytes)
            case .file(let path): digest(ofFile: path)
            // What a stream will give is not known: no two are alike.
            case .stream(let stream): "stream \(stream.hashValue)"
            }
        }
        return ContentDigest.hex(of: digests.joined(separator: " "))
    }

    private static func parts(
        _ bytes: [UInt8],
        type: String,
        _ ignored: Set<String>
    ) -> (kind: String, digest: String) {
        if type == "application/json" || type.hasSuffix("+json"),
            let canonical = canonicalJSON(bytes)
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

    /// The form of RFC 8785 that equal bodies share; nil if they are not JSON.
    ///
    /// Lossless, because a key must not be shared by bodies that a server could tell apart: two
    /// integers that round to one double, or the values of equal keys. So the form is that of the
    /// RFC wherever a double holds a number's digits, and never refuses.
    private static func canonicalJSON(_ bytes: [UInt8]) -> [UInt8]? {
        let document = Document.parse(DocumentBytes(bytes))
        guard document.fault == nil else { return nil }
        // Fails only for a text without a value: then the bytes themselves are the key.
        return try? DocumentWriter(.canonical(.lossless)).bytes(in: document)
    }

    private static func mediaType(of request: PreparedRequest) -> String {
        let value = request.head.headerFields[.contentType] ?? ""
        return value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
