import FoundationEssentials
import GRDB

/// What a key is told apart by: a SHA-256, or any other text that it was given.
///
/// A digest is four words: compared and hashed in a step, and written in
/// hexadecimal only when it is looked at.
struct KeyName: Sendable, Hashable {
    private typealias Words = (UInt64, UInt64, UInt64, UInt64)

    /// The digest, its first byte on top; zeros for other text.
    private let words: Words
    /// The text that is no digest.
    let other: String?

    /// The SHA-256 of bytes.
    init(digestOf bytes: [UInt8]) {
        words = SHA256.withHash(of: bytes, Self.words)
        other = nil
    }

    /// What a text names: the digest whose 64 digits it has, else itself.
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

    /// A digest by its 32 bytes; nil if they are not as many.
    init?(digest bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        words = Self.words(bytes)
        other = nil
    }

    /// The 64 digits, or the text that was given.
    var text: String { other ?? withDigest { ContentDigest.hex($0) } }

    /// Gives the 32 bytes of the digest; zeros if the name is none.
    func withDigest<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        let (a, b, c, d) = words
        let bytes = (a.bigEndian, b.bigEndian, c.bigEndian, d.bigEndian)
        return withUnsafeBytes(of: bytes, body)
    }

    /// A number for the name: the row of its entry on disk.
    ///
    /// Two names may share one (once in 10⁸ caches of a million entries), so
    /// what is found under it is compared with the name.
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

    /// What a digit stands for; capitals are other text, because equal names have equal text.
    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// A digest is a column's 32 bytes, any other name its text.
extension KeyName: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        other?.databaseValue ?? withDigest { Data($0).databaseValue }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> KeyName? {
        if case .blob(let bytes) = value.storage {
            return bytes.withUnsafeBytes { KeyName(digest: $0) }
        }
        return String.fromDatabaseValue(value).map { KeyName($0) }
    }
}
