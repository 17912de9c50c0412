import Testing

@testable import Apus

struct ChecksumTests {
    @Test(
        "the checksum is XXH64",
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999),
            ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
        ] as [(String, UInt64)]
    )
    func knownValues(text: String, value: UInt64) {
        #expect(Checksum.of(Array(text.utf8)) == value)
    }

    @Test("in pieces it is the same")
    func pieces() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        for count in 0..<bytes.count {
            for piece in [1, 7, 31, 32, 33, 200] {
                var state = Checksum()
                bytes[..<count].withUnsafeBytes { all in
                    for start in stride(from: 0, to: count, by: piece) {
                        let end = min(count, start + piece)
                        state.update(UnsafeRawBufferPointer(rebasing: all[start..<end]))
                    }
                }
                #expect(state.value == Checksum.of(Array(bytes[..<count])))
            }
        }
    }
}
