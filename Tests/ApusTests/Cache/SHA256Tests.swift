import Testing

@testable import Apus

@Suite("SHA-256")
struct SHA256Tests {
    @Test(
        "the examples of FIPS 180-4",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ]
    )
    func examples(text: String, digest: String) {
        #expect(ContentDigest.hex(of: text) == digest)
    }

    @Test("pieces make the digest of the whole, and a digest can be taken on the way")
    func pieces() {
        var state = SHA256()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
        for _ in 0..<1000 {
            state.update(piece)
            _ = state.finalize()
        }
        #expect(
            ContentDigest.hex(state.finalize())
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
    }

    @Test(
        "the examples of RFC 4231: a short key, and one longer than a block",
        arguments: [
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func keyed(key: [UInt8], text: String, code: String) {
        #expect(ContentDigest.hex(SHA256.authenticationCode(of: text, key: key)) == code)
    }
}
