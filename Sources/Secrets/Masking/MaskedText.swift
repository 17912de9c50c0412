import Glibc

/// A text with masks in place of secrets: `••••••`, or `••1` for a numbered secret.
package struct MaskedText {
    /// The texts around the masks: one more than there are masks.
    private var literals: [String] = []
    /// The masks, in order.
    package private(set) var masks: [String] = []

    /// Finds the masks of a text.
    package init(_ text: String) {
        var (text, start) = (text, 0)
        text.withUTF8 { bytes in
            func add(literal range: Range<Int>) {
                literals.append(String(decoding: bytes[range], as: UTF8.self))
            }
            // Two bullets without a number may be anything.
            for mask in Mask.all(in: bytes) where mask.bulletCount > 2 || mask.isNumbered {
                add(literal: start..<mask.range.lowerBound)
                masks.append(String(decoding: bytes[mask.range], as: UTF8.self))
                start = mask.range.upperBound
            }
            add(literal: start..<bytes.count)
        }
    }

    /// Whether the text has masks.
    package var isMasked: Bool { !masks.isEmpty }

    /// The parts of `text` at the places of the masks; nil if the rest of the text differs.
    package func values(in text: String) -> [String]? {
        let (bytes, pieces) = (Array(text.utf8), literals.map { Array($0.utf8) })
        guard let first = pieces.first, let last = pieces.last, isMasked else { return nil }
        guard bytes.starts(with: first) else { return nil }
        var (values, place) = ([String](), first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard !piece.isEmpty, let found = bytes[place...].firstRange(of: piece) else {
                return nil
            }
            values.append(String(decoding: bytes[place..<found.lowerBound], as: UTF8.self))
            place = found.upperBound
        }
        guard bytes.count - place >= last.count, bytes.suffix(last.count).elementsEqual(last) else {
            return nil
        }
        values.append(
            String(decoding: bytes[place..<bytes.count - last.count], as: UTF8.self)
        )
        return values
    }

    /// The text with its masks replaced by these values.
    package func filled(with values: [String]) -> String {
        zip(literals.dropFirst(), values).reduce(into: literals[0]) { text, next in
            text += next.1 + next.0
        }
    }
}

/// A mask in a text: two bullets and the number of a secret, or more bullets.
struct Mask {
    /// Its bytes.
    let range: Range<Int>
    /// The number of its bullets, at least two.
    let bulletCount: Int
    /// The digits after two bullets; after more of them, digits belong to the text.
    var digits: Range<Int> { range.lowerBound + 3 * bulletCount..<range.upperBound }
    /// Whether it says which secret it stands for.
    var isNumbered: Bool { !digits.isEmpty }

    /// The masks in a text, in order.
    static func all(in bytes: UnsafeBufferPointer<UInt8>) -> [Mask] {
        guard let start = bytes.baseAddress else { return [] }
        let bullet = Array("•".utf8)
        var (masks, place) = ([Mask](), 0)
        while let found = memchr(start + place, Int32(bullet[0]), bytes.count - place) {
            let first = UnsafeRawPointer(found) - UnsafeRawPointer(start)
            place = first
            while bytes[place...].starts(with: bullet) { place += bullet.count }
            let count = (place - first) / bullet.count
            if count == 0 { place += 1 }
            guard count > 1 else { continue }
            if count == 2 {
                place = bytes[place...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.count
            }
            masks.append(Mask(range: first..<place, bulletCount: count))
        }
        return masks
    }
}

/// Numbered masks, `••1`, in text that is to be written.
package enum NumberedMask {
    private static func all(in bytes: UnsafeBufferPointer<UInt8>) -> [Mask] {
        Mask.all(in: bytes).filter(\.isNumbered)
    }

    /// The bytes with each numbered mask replaced by one without a number.
    package static func unnumbered(_ bytes: [UInt8]) -> [UInt8] {
        let masks = bytes.withUnsafeBufferPointer(all)
        return masks.isEmpty
            ? bytes : bytes.replacing(masks.map { ($0.range, Array(CredentialMask.mask.utf8)) })
    }

    /// The same for a text.
    package static func unnumbered(_ text: String) -> String {
        text.utf8.contains(0xE2)
            ? String(decoding: unnumbered(Array(text.utf8)), as: UTF8.self) : text
    }

    /// The highest number of fewer than ten digits, since no session has more; 0 if there is none.
    package static func highest(in bytes: [UInt8]) -> Int {
        bytes.withUnsafeBufferPointer { bytes in
            all(in: bytes).lazy.map(\.digits).filter { $0.count < 10 }.reduce(0) { highest, range in
                max(highest, bytes[range].reduce(0) { 10 * $0 + Int($1 & 0x0F) })
            }
        }
    }
}
