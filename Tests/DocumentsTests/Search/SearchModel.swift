@testable import Documents

/// A search as simple as can be, over a decoded copy: what the fast one must agree with.
struct SearchModel {
    struct Unit {
        let scalar: Unicode.Scalar
        let range: Range<Int>
    }

    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The hits of a text in everything, or in the keys or values of a tree.
    func hits(
        of needle: String,
        in scope: SearchScope,
        of document: Document,
        isSensitive: Bool = true
    ) -> [Range<Int>] {
        guard scope != .everything else {
            return hits(of: needle, in: 0..<bytes.count, isSensitive: isSensitive)
        }
        return document.allNodes.flatMap { node -> [Range<Int>] in
            let range: Range<Int>
            if scope == .keys {
                guard let key = document.keyRange(of: node) else { return [] }
                range = key.lowerBound - 1..<key.upperBound + 1
            } else {
                guard !document.kind(of: node).isContainer else { return [] }
                range = document.valueRange(of: node)
            }
            return hits(of: needle, in: range, isSensitive: isSensitive)
        }
    }

    /// The hits of a text that don't overlap, from the left.
    func hits(of needle: String, in range: Range<Int>, isSensitive: Bool) -> [Range<Int>] {
        let units = decoded(range)
        let wanted = Array(needle.unicodeScalars)
        var hits: [Range<Int>] = []
        var at = 0
        while !wanted.isEmpty && at + wanted.count <= units.count {
            let part = units[at..<at + wanted.count]
            let isEqual = zip(part, wanted).allSatisfy { unit, scalar in
                unit.scalar == scalar
                    || !isSensitive && Self.folded(unit.scalar) == Self.folded(scalar)
            }
            if isEqual {
                hits.append(
                    units[at].range.lowerBound..<units[at + wanted.count - 1].range.upperBound
                )
            }
            at += isEqual ? wanted.count : 1
        }
        return hits
    }

    /// The characters of a range with their escapes decoded.
    func decoded(_ range: Range<Int>) -> [Unit] {
        var units: [Unit] = []
        var at = range.lowerBound
        while at < range.upperBound {
            var length = 1
            while at + length < bytes.count && bytes[at + length] & 0xC0 == 0x80 { length += 1 }
            var text = String(decoding: bytes[at..<at + length], as: UTF8.self)
            if bytes[at] == 0x5C {
                length = bytes[at + 1] == 0x75 ? 6 : 2
                let raw = String(decoding: bytes[at..<at + length], as: UTF8.self)
                text =
                    Document.parse(DocumentBytes(Array("\"\(raw)\"".utf8))).string(of: .root) ?? ""
                let pair = Array(bytes[at..<min(bytes.count, at + 12)])
                let both = String(decoding: pair, as: UTF8.self)
                let whole = Document.parse(DocumentBytes(Array("\"\(both)\"".utf8)))
                if length == 6, pair.count == 12, pair[6] == 0x5C, text == "\u{FFFD}",
                    let string = whole.string(of: .root), string.unicodeScalars.count == 1,
                    whole.fault == nil
                {
                    text = string
                    length = 12
                }
            }
            for scalar in text.unicodeScalars {
                units.append(Unit(scalar: scalar, range: at..<at + length))
            }
            at += length
        }
        return units
    }

    private static func folded(_ scalar: Unicode.Scalar) -> String {
        String(scalar).lowercased()
    }
}

extension DocumentSearch {
    /// Searches to the end.
    static func make(
        _ pattern: SearchPattern,
        in document: Document,
        sliceLength: Int = SliceScanner.length,
        keptHits: Int = DocumentSearch.keptHits
    ) -> DocumentSearch {
        let search = DocumentSearch(
            pattern,
            in: document.bytes,
            document: document,
            sliceLength: sliceLength,
            keptHits: keptHits
        )
        while search.searchSlice() {}
        return search
    }

    /// All hits, asked for one after the other.
    var allHits: [Range<Int>] {
        var hits: [Range<Int>] = []
        var hit = firstHit(from: 0)
        while let current = hit {
            hits.append(current.range)
            hit = firstHit(from: current.range.lowerBound + 1)
        }
        return hits
    }
}
