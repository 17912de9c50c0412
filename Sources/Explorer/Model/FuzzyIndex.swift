import Glibc

/// Texts that are searched at each key: all of them in one buffer, letters of ASCII in lower case.
///
/// A word is found as it is, or by its letters in their order. Where the letters cannot all be there, a
/// mask of 64 bits says so without a look at the text.
struct FuzzyIndex: Sendable {
    /// A text that was found; the lowest score is the best.
    struct Hit: Equatable {
        var index: Int
        var score: Int
    }

    /// What a search found: the best, and all, for the search of a longer text.
    struct Result {
        var best: [Hit] = []
        fileprivate(set) var all: [Int32] = []
        var count: Int { all.count }
    }

    /// More are never read; who looks for another types another letter.
    static let mostShown = 200

    private var bytes: [UInt8] = []
    private var ends: [Int32] = []
    private var masks: [UInt64] = []

    /// How many texts there are.
    var count: Int { ends.count }

    /// Adds a text.
    mutating func append(_ text: String) {
        var mask: UInt64 = 0
        // A long text is found by its beginning.
        for byte in text.utf8.prefix(256) {
            let folded = Self.folded(byte)
            bytes.append(folded)
            mask |= 1 << UInt64(folded & 63)
        }
        ends.append(Int32(truncatingIfNeeded: bytes.count))
        masks.append(mask)
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        65...90 ~= byte ? byte + 32 : byte
    }

    /// The texts that have each word of `text`, the best first; `within` are those of a shorter text.
    func search(_ text: String, within former: Result? = nil) -> Result {
        let words = text.utf8.prefix(256).map(Self.folded).split(separator: 32).map(Array.init)
        let mask = words.joined().reduce(UInt64(0)) { $0 | 1 << UInt64($1 & 63) }
        var result = Result()
        var buckets = Array(repeating: [Int32](), count: 64)
        bytes.withUnsafeBufferPointer { bytes in
            func look(_ index: Int32) {
                guard masks[Int(index)] & mask == mask,
                    let score = score(Int(index), words, bytes)
                else { return }
                result.all.append(index)
                let bucket = min(63, score)
                if buckets[bucket].count < Self.mostShown { buckets[bucket].append(index) }
            }
            if let former {
                former.all.forEach(look)
            } else {
                (0..<Int32(count)).forEach(look)
            }
        }
        for (score, bucket) in buckets.enumerated() {
            let room = Self.mostShown - result.best.count
            result.best += bucket.prefix(room).map { Hit(index: Int($0), score: score) }
        }
        return result
    }

    /// How far a text is from the words; nil when one of them is not in it.
    private func score(
        _ index: Int,
        _ words: [[UInt8]],
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let start = index == 0 ? 0 : Int(ends[index - 1])
        let text = UnsafeBufferPointer(rebasing: bytes[start..<Int(ends[index])])
        var score = 0
        for word in words {
            guard let part = Self.score(word, text) else { return nil }
            score += part
        }
        return score
    }

    /// 0 for what begins the text, 2 a word in it, 6 what is inside of one, more for letters apart.
    private static func score(_ word: [UInt8], _ text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard word.count <= text.count else { return nil }
        if let place = find(word, in: text) {
            return place == 0 ? 0 : isLetter(text[place - 1]) ? 6 : 2
        }
        var (next, gaps, last) = (0, 0, -1)
        for (place, byte) in text.enumerated() where byte == word[next] {
            // Letters that begin words are as good as letters that follow each other.
            if last != place - 1, place > 0, isLetter(text[place - 1]) { gaps += 1 }
            (next, last) = (next + 1, place)
            if next == word.count { return 12 + 4 * gaps }
        }
        return nil
    }

    private static func find(_ word: [UInt8], in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let base = text.baseAddress, let first = word.first else { return nil }
        var place = 0
        let last = text.count - word.count
        while place <= last, let hit = memchr(base + place, Int32(first), last - place + 1) {
            place = UnsafeRawPointer(base).distance(to: hit)
            if memcmp(base + place, word, word.count) == 0 { return place }
            place += 1
        }
        return nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        97...122 ~= byte || 48...57 ~= byte || byte >= 128
    }
}

/// The targets, batches and chains of a catalog, to be searched.
struct TargetIndex: Sendable {
    private(set) var texts = FuzzyIndex()
    private(set) var lines: [(id: CatalogID, method: String)] = []

    init(_ catalog: Catalog) { append(catalog.nodes) }

    private mutating func append(_ nodes: [CatalogNode]) {
        for node in nodes {
            switch node {
            case .group(_, let children): append(children)
            case .target(let target): append(target.id, target.method, target.path)
            case .batch(let batch): append(batch.id, "", "")
            case .chain(let chain): append(chain.id, "", "")
            }
        }
    }

    private mutating func append(_ id: CatalogID, _ method: String, _ path: String) {
        texts.append("\(id) \(method) \(path)")
        lines.append((id, method))
    }
}
