internal import CScan

/// Lets through the hits that lie in one key, or in one value.
struct TokenFilter {
    /// How far the end of a string is looked for: what is longer is taken for a value.
    static let longestKey = 1 << 20
    /// How far a colon is looked for behind a string.
    static let longestGap = 4 << 10

    private let scope: SearchScope
    private let map: StringMap
    private let text: UnsafePointer<UInt8>
    private let limit: Int
    // The string of the hit before, which often is this hit's too.
    private var stringEnd = 0
    private var isKey = false

    init(_ scope: SearchScope, map: StringMap, text: UnsafePointer<UInt8>, limit: Int) {
        self.scope = scope
        self.map = map
        self.text = text
        self.limit = limit
    }

    mutating func admits(_ hit: PackedHit) -> Bool {
        if map.contains(hit.start) {
            if hit.start >= stringEnd { findString(around: hit.start) }
            return isKey == (scope == .keys) && hit.end <= stringEnd
        }
        if text[hit.start] == 0x22 {
            // A closing quote.
            return hit.end == hit.start + 1 && isColon(behind: hit.end) == (scope == .keys)
        }
        return scope == .values && hit.range.allSatisfy { !Self.isStructure(text[$0]) }
    }

    /// Finds where the string ends that holds a byte or begins with it, and what it is.
    private mutating func findString(around offset: Int) {
        let limit = min(limit, offset + Self.longestKey)
        let end = JSONToken.stringEnd(in: text, from: offset, limit: limit)
        stringEnd = end ?? limit
        isKey = end.map(isColon(behind:)) ?? false
    }

    private func isColon(behind end: Int) -> Bool {
        var at = end
        let limit = min(limit, end + Self.longestGap)
        while at < limit && JSONToken.isSpace(text[at]) { at += 1 }
        return at < limit && text[at] == 0x3A
    }

    private static func isStructure(_ byte: UInt8) -> Bool {
        byte == 0x22 || !JSONToken.isScalar(byte)
    }
}
