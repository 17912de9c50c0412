// SHA-256 comes from nettle. swift-crypto would compile the 370 files of BoringSSL for one digest and one
// HMAC: a quarter of a clean build, and 2 MB.

import CNettle
import Glibc

/// SHA-256 as 64 hexadecimal digits.
package enum ContentDigest {
    /// The digest of bytes in memory.
    package static func hex(of bytes: [UInt8]) -> String {
        hex(SHA256.hash(bytes))
    }

    /// The digest of a text's UTF-8.
    package static func hex(of text: String) -> String { hex(of: Array(text.utf8)) }

    /// Text that stands for a credential: `sha256-` and half of its digest.
    static func short(of text: String) -> String { "sha256-\(hex(of: text).prefix(32))" }

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

    /// The keyed digest of bytes, 32 bytes (HMAC, RFC 2104).
    package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        SHA256.authenticationCode(of: bytes, key: key)
    }

    /// A digest as hexadecimal digits.
    package static func hex(ofCode digest: [UInt8]) -> String { hex(digest) }

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
        authenticationCode(of: Array(text.utf8), key: key)
    }

    static func authenticationCode(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
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
