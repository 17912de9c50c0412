import CNettle

/// A SHA-256 digest in the making (FIPS 180-4), by nettle.
struct SHA256 {
    private var context = sha256_ctx()

    init() { nettle_sha256_init(&context) }

    /// The digest of bytes in memory.
    static func hash(_ bytes: [UInt8]) -> [UInt8] { withHash(of: bytes) { [UInt8]($0) } }

    /// Gives the digest of bytes in memory, without an array for it.
    static func withHash<R>(of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) -> R) -> R {
        var state = SHA256()
        state.update(bytes)
        let size = Int(SHA256_DIGEST_SIZE)
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { digest in
            nettle_sha256_digest(&state.context, size, digest.baseAddress)
            return body(UnsafeRawBufferPointer(digest))
        }
    }

    /// The keyed digest of a text's UTF-8 (HMAC, RFC 2104).
    static func authenticationCode(of text: String, key: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        nettle_hmac_sha256_set_key(&context, key.count, key)
        let bytes = Array(text.utf8)
        nettle_hmac_sha256_update(&context, bytes.count, bytes)
        return digest { nettle_hmac_sha256_digest(&context, $0.count, $0.baseAddress) }
    }

    /// Adds bytes.
    mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// Adds bytes, which may be gone when this returns.
    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        nettle_sha256_update(
            &context,
            bytes.count,
            bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
    }

    /// The digest of all that was added, 32 bytes.
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
