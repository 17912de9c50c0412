import CCurl
import Glibc
import Synchronization

// libcurl 7.88 reports neither the TLS version nor the cipher, and no certificate of a handshake that failed.
// It does give out OpenSSL's session and context (CURLINFO_TLS_SSL_PTR, CURLOPT_SSL_CTX_FUNCTION), so that
// OpenSSL's public functions can be asked. A second connection without verification would show a certificate
// too, but perhaps another one, and servers would see it.

/// The functions of the OpenSSL that libcurl has loaded; nothing is loaded for them.
///
/// With another TLS library in libcurl, `library` may exist, but libcurl gives out no session of OpenSSL's.
struct OpenSSL: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    typealias Verifier = @convention(c) (Pointer?, Pointer?) -> Int32

    private let versionName: @convention(c) @Sendable (Pointer) -> UnsafePointer<CChar>?
    private let currentCipher: @convention(c) @Sendable (Pointer) -> Pointer?
    private let cipherName: @convention(c) @Sendable (Pointer) -> UnsafePointer<CChar>?
    private let selectedALPN:
        @convention(c) @Sendable (
            Pointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
        ) -> Void
    private let verifyResult: @convention(c) @Sendable (Pointer) -> Int
    private let setVerifier: @convention(c) @Sendable (Pointer, Verifier, Pointer?) -> Void
    private let verifyCertificate: @convention(c) @Sendable (Pointer) -> Int32
    private let storeError: @convention(c) @Sendable (Pointer) -> Int32
    private let storeChain: @convention(c) @Sendable (Pointer) -> Pointer?
    private let storeData: @convention(c) @Sendable (Pointer, Int32) -> Pointer?
    private let sessionIndex: @convention(c) @Sendable () -> Int32
    private let stackCount: @convention(c) @Sendable (Pointer) -> Int32
    private let stackValue: @convention(c) @Sendable (Pointer, Int32) -> Pointer?
    private let encode:
        @convention(c) @Sendable (
            Pointer, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?
        ) -> Int32

    /// nil if libcurl has brought no OpenSSL, or one without these functions.
    static let library = OpenSSL()

    private init?() {
        // libcurl's handle, because a symbol is looked for in the libraries that it has brought. Never closed.
        let names = ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"]
        guard let library = names.lazy.compactMap({ dlopen($0, RTLD_LAZY | RTLD_NOLOAD) }).first
        else { return nil }
        func find<Function>(_ name: String) -> Function? {
            // Their types are those of OpenSSL's manual; since 1.1.0 all of them are functions.
            dlsym(library, name).map { unsafeBitCast($0, to: Function.self) }
        }
        guard
            let versionName: @convention(c) @Sendable (Pointer) -> UnsafePointer<CChar>? =
                find("SSL_get_version"),
            let currentCipher: @convention(c) @Sendable (Pointer) -> Pointer? =
                find("SSL_get_current_cipher"),
            let cipherName: @convention(c) @Sendable (Pointer) -> UnsafePointer<CChar>? =
                find("SSL_CIPHER_get_name"),
            let selectedALPN:
                @convention(c) @Sendable (
                    Pointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>,
                    UnsafeMutablePointer<UInt32>
                ) -> Void = find("SSL_get0_alpn_selected"),
            let verifyResult: @convention(c) @Sendable (Pointer) -> Int =
                find("SSL_get_verify_result"),
            let setVerifier: @convention(c) @Sendable (Pointer, Verifier, Pointer?) -> Void =
                find("SSL_CTX_set_cert_verify_callback"),
            let verifyCertificate: @convention(c) @Sendable (Pointer) -> Int32 =
                find("X509_verify_cert"),
            let storeError: @convention(c) @Sendable (Pointer) -> Int32 =
                find("X509_STORE_CTX_get_error"),
            let storeChain: @convention(c) @Sendable (Pointer) -> Pointer? =
                find("X509_STORE_CTX_get0_untrusted"),
            let storeData: @convention(c) @Sendable (Pointer, Int32) -> Pointer? =
                find("X509_STORE_CTX_get_ex_data"),
            let sessionIndex: @convention(c) @Sendable () -> Int32 =
                find("SSL_get_ex_data_X509_STORE_CTX_idx"),
            let stackCount: @convention(c) @Sendable (Pointer) -> Int32 = find("OPENSSL_sk_num"),
            let stackValue: @convention(c) @Sendable (Pointer, Int32) -> Pointer? =
                find("OPENSSL_sk_value"),
            let encode:
                @convention(c) @Sendable (
                    Pointer, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?
                ) -> Int32 = find("i2d_X509")
        else { return nil }
        self.versionName = versionName
        self.currentCipher = currentCipher
        self.cipherName = cipherName
        self.selectedALPN = selectedALPN
        self.verifyResult = verifyResult
        self.setVerifier = setVerifier
        self.verifyCertificate = verifyCertificate
        self.storeError = storeError
        self.storeChain = storeChain
        self.storeData = storeData
        self.sessionIndex = sessionIndex
        self.stackCount = stackCount
        self.stackValue = stackValue
        self.encode = encode
    }

    /// What was agreed on in a session (`SSL *`).
    func facts(of session: Pointer) -> TLSHandshake {
        var facts = TLSHandshake()
        facts.version = versionName(session).map { String(cString: $0) }
        facts.cipher = currentCipher(session).flatMap(cipherName).map { String(cString: $0) }
        var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        selectedALPN(session, &name, &count)
        if let name, count > 0 {
            let bytes = UnsafeBufferPointer(start: name, count: Int(count))
            facts.alpn = String(decoding: bytes, as: UTF8.self)
        }
        facts.verifyResult = verifyResult(session)
        return facts
    }

    /// Has a context (`SSL_CTX *`) note its handshake under a number.
    func watch(_ context: Pointer, as number: UInt) {
        setVerifier(context, noteVerification, Pointer(bitPattern: number))
    }

    /// Verifies as OpenSSL does by itself, and notes what was verified; called by OpenSSL.
    fileprivate func verify(_ store: Pointer, number: UInt) -> Int32 {
        let result = verifyCertificate(store)
        var facts = storeData(store, sessionIndex()).map { self.facts(of: $0) } ?? TLSHandshake()
        facts.verifyResult = Int(storeError(store))
        // Only after a failed handshake are the certificates available nowhere else.
        if result <= 0 { facts.certificates = storeChain(store).map(encoded) ?? [] }
        TLSHandshake.note(facts, as: number)
        return result
    }

    /// The most certificates of a chain that are kept.
    private static let chainLimit: Int32 = 16

    /// The certificates of a stack in DER form.
    private func encoded(_ stack: Pointer) -> [[UInt8]] {
        (0..<min(max(0, stackCount(stack)), Self.chainLimit)).compactMap { index in
            guard let certificate = stackValue(stack, index) else { return nil }
            let count = Int(encode(certificate, nil))
            guard count > 0 else { return nil }
            return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
                // i2d_X509 moves the pointer that it is given.
                var end = buffer.baseAddress
                written = Int(encode(certificate, &end)) == count ? count : 0
            }
        }
    }
}

private func noteVerification(
    _ store: OpenSSL.Pointer?,
    _ number: OpenSSL.Pointer?
) -> Int32 {
    guard let store, let library = OpenSSL.library else { return 0 }
    return library.verify(store, number: UInt(bitPattern: number))
}

/// What is known of a TLS handshake, also of one that failed.
struct TLSHandshake: Sendable, Hashable {
    var version: String?
    var cipher: String?
    var alpn: String?
    /// OpenSSL's number for what is wrong with the certificate (x509_vfy.h); 0 if nothing is.
    var verifyResult = 0
    /// The certificates that were refused, as the server sent them, in DER form.
    var certificates: [[UInt8]] = []

    // A connection can outlive the transfer that opened it, and a server may ask for another handshake then.
    // So OpenSSL is given a number, under which nobody waits any more, and never a pointer.
    private struct Expected {
        var last: UInt = 0
        var handshakes: [UInt: TLSHandshake?] = [:]
    }

    private static let expected = Mutex(Expected())

    /// A number under which a handshake is noted until it is taken.
    static func expect() -> UInt {
        expected.withLock { state in
            state.last += 1
            state.handshakes[state.last] = .some(nil)
            return state.last
        }
    }

    fileprivate static func note(_ handshake: TLSHandshake, as number: UInt) {
        expected.withLock { state in
            guard state.handshakes[number] != nil else { return }
            state.handshakes[number] = handshake
        }
    }

    /// The handshake under a number, which is expected no longer; nil if it did not get to a certificate.
    static func removeExpected(_ number: UInt) -> TLSHandshake? {
        expected.withLock { $0.handshakes.removeValue(forKey: number) ?? nil }
    }
}
