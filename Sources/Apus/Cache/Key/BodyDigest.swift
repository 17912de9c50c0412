import Documents
import FoundationEssentials
import HTTPTypes

/// A request body's part in a key: a digest of its canonical form, if its `Content-Type` has one.
struct BodyDigest {
    /// "json", "form", "bytes", "file", "multipart" or "stream".
    let kind: String
    /// The SHA-256 of the canonical form; the identity of a stream.
    let digest: String

    /// Computes the digest of a request's body; nil if it has none.
    ///
    /// If `isWanted` returns false while a file is read, the digest is unique.
    init?(
        _ request: PreparedRequest,
        ignoring ignored: Set<String>,
        while isWanted: () -> Bool = { true }
    ) {
        switch request.body {
        case .none: return nil
        case .bytes(let bytes):
            (kind, digest) = Self.parts(bytes, type: Self.mediaType(of: request), ignored)
        case .file(let path):
            kind = "file"
            digest = Self.digest(ofFile: path, while: isWanted)
        case .multipart(let form):
            kind = "multipart"
            digest = Self.digest(of: form, while: isWanted)
        case .stream(let stream):
            // The content of a stream is not known in advance, so each stream is different.
            kind = "stream"
            digest = stream.identity
        }
    }

    private static func digest(ofFile path: String, while isWanted: () -> Bool) -> String {
        if let found = ContentDigest.hex(ofFile: path, while: isWanted) { return found.digest }
        // An unreadable file fails when it is sent. Its path distinguishes the keys of such requests.
        return isWanted() ? "unreadable \(ContentDigest.hex(of: path))" : "unread \(UUID())"
    }

    /// Digests each part, without the boundary, which is different each time.
    private static func digest(of form: MultipartForm, while isWanted: () -> Bool) -> String {
        var form = form
        form.boundary = "apus"
        let digests = form.pieces().map { piece in
            switch piece {
            case .bytes(let bytes): ContentDigest.hex(of: bytes)
            case .file(let path): digest(ofFile: path, while: isWanted)
            // The content of a stream is not known in advance, so each stream is different.
            case .stream(let stream): "stream \(stream.identity)"
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

    /// The canonical form (RFC 8785) of a JSON body; nil if it is not JSON.
    ///
    /// Numbers keep all their digits and equal keys all their values, because two bodies that a server could
    /// distinguish must not share a key. The form is that of the RFC wherever a double holds the number's
    /// digits, and it never refuses a number.
    private static func canonicalJSON(_ bytes: [UInt8]) -> [UInt8]? {
        let document = Document.parse(DocumentBytes(bytes))
        guard document.fault == nil else { return nil }
        // Fails only for text without a value; then the raw bytes are used.
        return try? DocumentWriter(.canonical(.lossless)).bytes(in: document)
    }

    private static func mediaType(of request: PreparedRequest) -> String {
        let value = request.head.headerFields[.contentType] ?? ""
        return value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.asciiLowercased
    }
}
