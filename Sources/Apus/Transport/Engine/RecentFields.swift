import Glibc
import HTTPTypes

/// Fields of answers that came lately, by their lines.
///
/// Most lines of an answer are those of the one before (`Server`, `Content-Type`):
/// to find a field costs a fraction of making it.
struct RecentFields {
    private struct Entry {
        /// A line is kept when it comes the second time in a row, for many never do.
        var lastSeen: UInt = 0
        var line: [UInt8] = []
        var field: HTTPField?
    }

    private static let placeCount = 64
    /// Longer lines are seldom the same.
    private static let maximumLength = 128

    private var entries: [Entry] = []

    /// The field that a line is, made by `make` if it is none of those kept.
    mutating func field(
        _ line: UnsafeRawBufferPointer,
        _ make: (UnsafeRawBufferPointer) -> HTTPField?
    ) -> HTTPField? {
        guard line.count <= Self.maximumLength else { return make(line) }
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.placeCount) }
        let digest = Self.digest(line)
        let place = Int(digest >> 58)
        if let field = entries[place].field, Self.isSame(entries[place].line, line) {
            return field
        }
        let field = make(line)
        if entries[place].lastSeen == digest, let field, field.name != .setCookie {
            entries[place].line = Array(line)
            entries[place].field = field
        }
        entries[place].lastSeen = digest
        return field
    }

    private static func isSame(_ known: [UInt8], _ line: UnsafeRawBufferPointer) -> Bool {
        guard known.count == line.count, let start = line.baseAddress else { return false }
        return known.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, line.count) == 0 }
    }

    /// Mixes the bytes, a word at a time; the upper bits are the good ones.
    private static func digest(_ line: UnsafeRawBufferPointer) -> UInt {
        var digest = UInt(line.count)
        var start = 0
        while start + 8 <= line.count {
            digest =
                (digest ^ line.loadUnaligned(fromByteOffset: start, as: UInt.self))
                &* 0x9E37_79B9_7F4A_7C15
            digest ^= digest >> 32
            start += 8
        }
        while start < line.count {
            digest = (digest ^ UInt(line[start])) &* 0x9E37_79B9_7F4A_7C15
            start += 1
        }
        return digest
    }
}
