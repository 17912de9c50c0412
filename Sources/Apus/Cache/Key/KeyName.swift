import FoundationEssentials
import SQLite

/// The identity of a key: a SHA-256 digest, or any other text that the caller chose.
///
/// A digest is four words, so it is quick to compare and hash; it is formatted only on demand.
struct KeyName: Sendable, Hashable {
    private typealias Words = (UInt64, UInt64, UInt64, UInt64)

    /// The digest, its first byte the most significant; zeros for other text.
    private let words: Words
    /// The text; nil for a digest.
    let other: String?

    init(digestOf bytes: [UInt8]) {
        words = SHA256.withHash(of: bytes, Self.words)
        other = nil
    }

    /// Makes a digest from 64 lowercase hexadecimal digits; any other text is the name itself.
    init(_ text: String) {
        var text = text
        if let words = text.withUTF8(Self.words(ofDigits:)) {
            self.words = words
            other = nil
        } else {
            words = (0, 0, 0, 0)
            other = text
        }
    }

    /// Makes a name from a digest; nil unless it has 32 bytes.
    init?(digest bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        words = Self.words(bytes)
        other = nil
    }

    /// The digest as 64 hexadecimal digits, or the text.
    var text: String { other ?? withDigest { ContentDigest.hex($0) } }

    /// Passes the 32 bytes of the digest to `body`; zeros if the name is not a digest.
    func withDigest<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        let (a, b, c, d) = words
        let bytes = (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian)
        return withUnsafeBytes(of: bytes, body)
    }

    /// The row of the name's entry on disk.
    ///
    /// Two names may share a row (once in 10⁸ caches of a million entries), so compare the name found there.
    var row: Int64 {
        guard let other else { return Int64(bitPattern: words.0) }
        // FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in other.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int64(bitPattern: hash)
    }

    static func == (a: KeyName, b: KeyName) -> Bool {
        a.words == b.words && a.other == b.other
    }

    func hash(into hasher: inout Hasher) { hasher.combine(row) }

    private static func words(_ bytes: UnsafeRawBufferPointer) -> Words {
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
        }
        return (word(0), word(1), word(2), word(3))
    }

    private static func words(ofDigits text: UnsafeBufferPointer<UInt8>) -> Words? {
        guard text.count == 64 else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { bytes in
            for index in 0..<32 {
                guard let high = value(text[2 * index]), let low = value(text[2 * index + 1])
                else { return nil }
                bytes[index] = high << 4 | low
            }
            return words(UnsafeRawBufferPointer(bytes))
        }
    }

    /// The value of a digit; capitals are not digits, because equal names must have equal text.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// A digest is stored as 32 bytes, any other name as text.
extension KeyName: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        other?.databaseValue ?? withDigest { .blob([UInt8]($0)) }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> KeyName? {
        if case .blob(let bytes) = value {
            return bytes.withUnsafeBytes { KeyName(digest: $0) }
        }
        return String.fromDatabaseValue(value).map { KeyName($0) }
    }
}
