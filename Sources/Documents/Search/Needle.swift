internal import CScan
import Glibc

/// A text or some bytes, prepared for being found.
struct Needle: Sendable {
    enum Folding {
        /// Bytes are equal.
        case none
        /// Bytes are equal but for the case of ASCII letters.
        case ascii
        /// Characters are equal by simple case folding.
        case unicode
    }

    /// Where the two bytes that are looked for may be in it.
    private static let anchored = 64

    /// What is compared; lower case when ASCII is folded.
    let bytes: [UInt8]
    let folding: Folding
    /// The spellings of each character; empty for bytes.
    let characters: [[UInt32]]
    /// The two bytes that are looked for first.
    let anchor: csearch_anchor

    init(_ text: String, isCaseSensitive: Bool) {
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let hasLetters = text.utf8.contains { Self.lowered($0) &- 0x61 < 26 }
        folding = isCaseSensitive || isASCII && !hasLetters ? .none : isASCII ? .ascii : .unicode
        let scalars = text.unicodeScalars
        characters =
            switch folding {
            case .none: scalars.map { [$0.value] }
            case .ascii: scalars.map { Self.asciiVariants(of: UInt8($0.value)) }
            case .unicode: scalars.map { CaseVariants.all(of: $0) }
            }
        bytes = folding == .ascii ? text.utf8.map(Self.lowered) : Array(text.utf8)
        anchor =
            folding == .unicode
            ? Self.anchor(spellings: characters.first ?? [])
            : Self.anchor(of: bytes, isFolded: folding == .ascii)
    }

    init(bytes: [UInt8]) {
        self.bytes = bytes
        folding = .none
        characters = []
        anchor = Self.anchor(of: bytes, isFolded: false)
    }

    var hasBackslash: Bool { bytes.contains(0x5C) }

    // MARK: - Comparing

    /// The end of the needle that begins at a byte, written without escapes.
    @inline(__always) func end(in text: UnsafePointer<UInt8>, at start: Int, limit: Int) -> Int? {
        switch folding {
        case .unicode: return decodedEnd(in: text, at: start, limit: limit, decodes: false)
        case .none:
            guard start + bytes.count <= limit else { return nil }
            let isEqual = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { memcmp(text + start, $0, bytes.count) == 0 } ?? false
            }
            return isEqual ? start + bytes.count : nil
        case .ascii:
            guard start + bytes.count <= limit else { return nil }
            let isEqual = bytes.withUnsafeBufferPointer { bytes in
                for index in 0..<bytes.count
                where Self.lowered(text[start + index]) != bytes[index] { return false }
                return true
            }
            return isEqual ? start + bytes.count : nil
        }
    }

    /// The end of the needle that begins at a byte, with escapes or without.
    func decodedEnd(
        in text: UnsafePointer<UInt8>,
        at start: Int,
        limit: Int,
        decodes: Bool = true
    ) -> Int? {
        var at = start
        for spellings in characters {
            guard at < limit else { return nil }
            let (scalar, length) =
                decodes && text[at] == 0x5C
                ? JSONCharacter.escape(in: text, at: at, end: limit)
                : JSONCharacter.plain(in: text, at: at, end: limit)
            guard spellings.contains(scalar) else { return nil }
            at += length
        }
        return at
    }

    @inline(__always) private static func lowered(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    private static func asciiVariants(of byte: UInt8) -> [UInt32] {
        let isLetter = lowered(byte) &- 0x61 < 26
        return isLetter ? [UInt32(byte), UInt32(byte ^ 0x20)] : [UInt32(byte)]
    }

    // MARK: - Anchors

    /// The two rarest bytes near the begin.
    private static func anchor(of bytes: [UInt8], isFolded: Bool) -> csearch_anchor {
        var anchor = csearch_anchor()
        guard !bytes.isEmpty else { return anchor }
        let order = bytes.indices.prefix(anchored).sorted {
            let ranks = (commonness(of: bytes[$0]), commonness(of: bytes[$1]))
            return ranks.0 == ranks.1 ? $0 < $1 : ranks.0 < ranks.1
        }
        let first = order[0]
        let second = order.dropFirst().first ?? first
        anchor.pair_count = 1
        anchor.first_offset = UInt32(min(first, second))
        anchor.second_offset = UInt32(max(first, second))
        let (firstByte, secondByte) = (bytes[min(first, second)], bytes[max(first, second)])
        anchor.pairs.0 = csearch_pair(
            first_or: isFolded ? caseBit(of: firstByte) : 0,
            first: firstByte,
            second_or: isFolded ? caseBit(of: secondByte) : 0,
            second: secondByte
        )
        return anchor
    }

    /// The first two bytes of each spelling of the first character.
    private static func anchor(spellings: [UInt32]) -> csearch_anchor {
        var anchor = csearch_anchor()
        anchor.second_offset = 1
        let pairs = spellings.compactMap(Unicode.Scalar.init).prefix(4).map { scalar in
            let bytes = Array(String(scalar).utf8)
            // A single byte is followed by anything.
            return csearch_pair(
                first_or: 0,
                first: bytes[0],
                second_or: bytes.count > 1 ? 0 : 0xFF,
                second: bytes.count > 1 ? bytes[1] : 0xFF
            )
        }
        anchor.pair_count = UInt32(pairs.count)
        withUnsafeMutableBytes(of: &anchor.pairs) { memory in
            let slots = memory.bindMemory(to: csearch_pair.self)
            for (index, pair) in pairs.enumerated() { slots[index] = pair }
        }
        return anchor
    }

    private static func caseBit(of byte: UInt8) -> UInt8 { byte &- 0x61 < 26 ? 0x20 : 0 }

    /// How often a byte is met in JSON texts: the most common ones first.
    private static let common = Array(
        #"" ,:0123456789eatoinsrldcumphgyfbvw{}[].-_/TSACxkjq\"#.utf8
    )

    private static func commonness(of byte: UInt8) -> Int {
        // What is not ASCII is rare in most texts, and common in some.
        if byte >= 0x80 { return common.count / 3 }
        return common.firstIndex(of: byte).map { common.count - $0 } ?? 0
    }
}
