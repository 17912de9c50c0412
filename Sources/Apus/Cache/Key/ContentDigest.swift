// SHA-256 comes from nettle. swift-crypto would compile the 370 files of BoringSSL for one digest and one
// HMAC: a quarter of a clean build, and 2 MB.

import CNettle
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes

/// SHA-256 as 64 hexadecimal digits.
package enum ContentDigest {
    /// The digest of bytes in memory.
    package static func hex(of bytes: [UInt8]) -> String {
        hex(SHA256.hash(bytes))
    }

    /// The digest of a text's UTF-8.
    package static func hex(of text: String) -> String { hex(of: Array(text.utf8)) }

    /// The keyed digest of a text's UTF-8, 32 bytes (HMAC, RFC 2104).
    package static func authenticationCode(of text: String, key: [UInt8]) -> [UInt8] {
        SHA256.authenticationCode(of: text, key: key)
    }

    /// The digest and size of a file; nil if it cannot be read, or if `isWanted` returned false before its
    /// end.
    package static func hex(
        ofFile path: String,
        while isWanted: () -> Bool = { true }
    ) -> (digest: String, count: Int)? {
        var state = SHA256()
        guard let count = add(file: path, to: &state, while: isWanted) else { return nil }
        return (hex(state.finalize()), count)
    }

    /// Adds a file's bytes; returns their number, or nil if the file cannot be read or `isWanted`, which is
    /// called for every piece, returned false.
    static func add(
        file path: String,
        to state: inout SHA256,
        while isWanted: () -> Bool = { true }
    ) -> Int? {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Only regular files: others may have no end.
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        var count = 0
        let isWhole = FilePieces.forEach(of: descriptor) { piece in
            guard isWanted() else { return false }
            state.update(piece)
            count += piece.count
            return true
        }
        return isWhole ? count : nil
    }

    static func hex(_ digest: some Sequence<UInt8>) -> String {
        String(unsafeUninitializedCapacity: 64) { text in
            var count = 0
            for byte in digest.prefix(32) {
                text[count] = digit(byte >> 4)
                text[count + 1] = digit(byte & 15)
                count += 2
            }
            return count
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }
}

/// An incremental SHA-256 digest (FIPS 180-4), by nettle.
struct SHA256 {
    private var context = sha256_ctx()

    init() { nettle_sha256_init(&context) }

    static func hash(_ bytes: [UInt8]) -> [UInt8] { withHash(of: bytes) { [UInt8]($0) } }

    /// Passes the digest of bytes to `body`, without allocating an array.
    static func withHash<R>(of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> R) -> R {
        var state = SHA256()
        state.update(bytes)
        let size = Int(SHA256_DIGEST_SIZE)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { digest in
            nettle_sha256_digest(&state.context, size, digest.baseAddress)
            return body(UnsafeRawBufferPointer(digest))
        }
    }

    /// The keyed digest of a text's UTF-8 (HMAC, RFC 2104), 32 bytes.
    static func authenticationCode(of text: String, key: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        let bytes = Array(text.utf8)
        nettle_hmac_sha256_update(&context, bytes.count, bytes)
        return digest { nettle_hmac_sha256_digest(&context, $0.count, $0.baseAddress) }
    }

    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds bytes; does not keep the buffer.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        nettle_sha256_update(
            &context,
            bytes.count,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
    }

    /// The digest of all bytes added, 32 bytes.
    func finalize() -> [UInt8] {
        var context = context
        return Self.digest { nettle_sha256_digest(&context, $0.count, $0.baseAddress) }
    }

    private static func digest(
        _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void
    ) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_SIZE)) { buffer, count in
            count = Int(SHA256_DIGEST_SIZE)
            write(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
        }
    }
}

/// A request body's part in a key: a digest of its canonical form, if its `Content-Type` has one.
struct BodyDigest {
    /// "json", "form", "bytes", "file", "multipart" or "stream".
    let kind: String
    /// The SHA-256 of the canonical form.
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
            digest = "\(stream.hashValue)"
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
        return value.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
