import Glibc

/// What was made of texts that came lately, by their bytes.
///
/// A table with one place for each text, in which a later one takes the place of an
/// earlier one: to find a text costs a fraction of making its value.
final class RecentlySeen<Value> {
    /// A text's place in the table.
    struct Place {
        fileprivate let index: Int
        fileprivate let digest: UInt
    }

    private struct Entry {
        /// A value is kept when its text comes the second time in a row, for many never do.
        var lastSeen: UInt = 0
        var text: [UInt8] = []
        var value: Value?
    }

    /// Longer texts are seldom the same.
    private let maximumLength: Int
    private let placeBits: UInt
    private var entries: [Entry] = []
    /// Where the last value was found.
    private var lastFound = 0

    /// - Parameters:
    ///   - placeBits: the logarithm of the number of places, at least 1.
    ///   - maximumLength: the longest text that is kept, in bytes.
    init(placeBits: UInt, maximumLength: Int) {
        self.placeBits = placeBits
        self.maximumLength = maximumLength
    }

    /// Where a text has its place; nil if it is too long to be kept.
    func place(of text: UnsafeRawBufferPointer) -> Place? {
        guard text.count <= maximumLength else { return nil }
        if entries.isEmpty { entries = Array(repeating: Entry(), count: 1 << placeBits) }
        let digest = Self.digest(text)
        return Place(index: Int(digest >> (64 - placeBits)), digest: digest)
    }

    /// What was made of a text, if it is the one that was found last: that is the least to do.
    func last(for text: UnsafeRawBufferPointer) -> Value? {
        entries.isEmpty ? nil : value(of: text, at: lastFound)
    }

    /// What was made of a text, if it is kept.
    func value(of text: UnsafeRawBufferPointer, at place: Place) -> Value? {
        let value = value(of: text, at: place.index)
        if value != nil { lastFound = place.index }
        return value
    }

    private func value(of text: UnsafeRawBufferPointer, at index: Int) -> Value? {
        guard let value = entries[index].value, Self.isSame(entries[index].text, text)
        else { return nil }
        return value
    }

    /// Keeps what was made of a text, if that came the last time too.
    func note(_ value: Value, of text: UnsafeRawBufferPointer, at place: Place) {
        if entries[place.index].lastSeen == place.digest {
            entries[place.index].text = Array(text)
            entries[place.index].value = value
        }
        entries[place.index].lastSeen = place.digest
    }

    private static func isSame(_ known: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        guard known.count == text.count, let start = text.baseAddress else { return false }
        return known.withUnsafeBytes { memcmp($0.baseAddress ?? start, start, text.count) == 0 }
    }

    /// Mixes the bytes, a word at a time; the upper bits are the good ones.
    private static func digest(_ text: UnsafeRawBufferPointer) -> UInt {
        var digest = UInt(text.count)
        var start = 0
        while start + 8 <= text.count {
            digest =
                (digest ^ text.loadUnaligned(fromByteOffset: start, as: UInt.self))
                &* 0x9E37_79B9_7F4A_7C15
            digest ^= digest >> 32
            start += 8
        }
        while start < text.count {
            digest = (digest ^ UInt(text[start])) &* 0x9E37_79B9_7F4A_7C15
            start += 1
        }
        return digest
    }
}
