import Glibc

/// Texts that are searched at each key: all of them in one buffer, ASCII letters in lower case.
///
/// A word matches as it is, by the beginnings of words ("shus" matches "Show user"), or by its letters in order
/// and close together. A mask of 64 bits rules out most texts that lack a letter without reading them.
struct FuzzyIndex: Sendable {
    /// A match; the lowest score is the best.
    struct Hit: Equatable {
        var index: Int
        var score: Int
    }

    /// The best hits to show, and all hits for the search of a longer text.
    struct Result {
        var best: [Hit] = []
        fileprivate(set) var all: [Int32] = []
        var count: Int { all.count }
    }

    /// The most hits that are shown.
    static let mostShown = 200
    private static let bucketCount = 128

    private var bytes: [UInt8] = []
    /// Where each text begins, where the last one ends, and where each name ends.
    private var starts: [Int32] = [0]
    private var nameEnds: [Int32] = []
    private var masks: [UInt64] = []
    /// The masks of the letters that begin words.
    private var beginMasks: [UInt64] = []

    var count: Int { masks.count }

    /// Adds a text: a name, and more text to find it by, which counts less.
    mutating func append(_ name: String, _ more: String = "") {
        var (mask, beginMask) = (UInt64(0), UInt64(0))
        var isInWord = false
        func appendLetters(of text: String) {
            // Only the beginning of a long text is searched.
            for byte in text.utf8.prefix(256) {
                let folded = Self.folded(byte)
                bytes.append(folded)
                mask |= 1 << UInt64(folded & 63)
                if !isInWord { beginMask |= 1 << UInt64(folded & 63) }
                isInWord = FuzzyText.isLetter(folded)
            }
        }
        appendLetters(of: name)
        nameEnds.append(Int32(truncatingIfNeeded: bytes.count))
        if !more.isEmpty { appendLetters(of: " \(more)") }
        starts.append(Int32(truncatingIfNeeded: bytes.count))
        masks.append(mask)
        beginMasks.append(beginMask)
    }

    fileprivate static func folded(_ byte: UInt8) -> UInt8 {
        65...90 ~= byte ? byte + 32 : byte
    }

    /// The texts that match each word of `text`, best first; `within` is the result for a beginning of `text`.
    func search(_ text: String, within former: Result? = nil) -> Result {
        let typed = text.utf8.prefix(256).map(Self.folded)
        let phrase = Self.trimmed(typed)
        let words = typed.indices.split { typed[$0] == 32 }.map { $0.startIndex..<$0.endIndex }
        let mask = typed.reduce(UInt64(0)) { $1 == 32 ? $0 : $0 | 1 << UInt64($1 & 63) }
        var result = Result()
        var buckets = Array(repeating: [Int32](), count: Self.bucketCount)
        result.all.reserveCapacity(former?.count ?? count)
        func look(
            _ index: Int32,
            _ typed: UnsafeBufferPointer<UInt8>,
            _ bytes: UnsafeBufferPointer<UInt8>
        ) {
            let place = Int(index)
            guard masks[place] & mask == mask,
                let score = score(place, words: words, of: typed, phrase: phrase, in: bytes)
            else { return }
            result.all.append(index)
            let bucket = min(Self.bucketCount - 1, score)
            if buckets[bucket].count < Self.mostShown { buckets[bucket].append(index) }
        }
        typed.withUnsafeBufferPointer { typed in
            bytes.withUnsafeBufferPointer { bytes in
                if let former {
                    for index in former.all { look(index, typed, bytes) }
                } else {
                    for index in 0..<Int32(truncatingIfNeeded: count) { look(index, typed, bytes) }
                }
            }
        }
        for (score, bucket) in buckets.enumerated() {
            let room = Self.mostShown - result.best.count
            result.best += bucket.prefix(room).map { Hit(index: Int($0), score: score) }
        }
        return result
    }

    private static func trimmed(_ typed: [UInt8]) -> Range<Int> {
        let start = typed.firstIndex { $0 != 32 } ?? 0
        return start..<(typed.lastIndex { $0 != 32 }.map { $0 + 1 } ?? start)
    }

    /// How badly a text matches the words; nil if one of them does not match.
    ///
    /// Names that are the whole input come first, then those that begin with it, then those in which a word does.
    private func score(
        _ index: Int,
        words: [Range<Int>],
        of typed: UnsafeBufferPointer<UInt8>,
        phrase: Range<Int>,
        in bytes: UnsafeBufferPointer<UInt8>
    ) -> Int? {
        let (start, end) = (Int(starts[index]), Int(starts[index + 1]))
        let name = Int(nameEnds[index]) - start
        let text = FuzzyText(
            bytes: UnsafeBufferPointer(rebasing: bytes[start..<end]),
            beginMask: beginMasks[index]
        )
        var score = 0
        for word in words {
            guard let found = text.match(UnsafeBufferPointer(rebasing: typed[word])) else {
                return nil
            }
            score += found.score + (found.place >= name ? 12 : 0)
        }
        let rank = text.rank(of: UnsafeBufferPointer(rebasing: typed[phrase]), in: name)
        return rank ?? score + FuzzyText.lastRank + 1
    }
}

/// A text in which a word is searched for.
private struct FuzzyText {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The letters that begin its words; they rule out most texts.
    let beginMask: UInt64

    /// The furthest that the beginning of a word may be from the letter before it.
    private static let longestJump = 24
    /// The most steps of the search for beginnings of words; no sensible input needs more.
    private static let mostSteps = 400

    /// Where a word matches, and its score; nil if it does not match.
    ///
    /// A text that matches a word also matches each beginning of the word, so a longer word is only searched for
    /// in the hits of a shorter one.
    func match(_ word: UnsafeBufferPointer<UInt8>) -> (place: Int, score: Int)? {
        guard word.count <= bytes.count else { return nil }
        if let found = whole(word) { return found }
        guard mayBegin(word[0]) else { return nil }
        return beginnings(word) ?? scattered(word)
    }

    /// The last of the ranks below.
    static let lastRank = 4

    /// How the whole input stands in a name, which is the first `count` bytes of the text, or in the part after its
    /// last `/`: 0 it is the name, 1 its words begin it, 2 it begins it, 3 its words are in it, 4 it begins a word.
    ///
    /// Nil if it does not stand there as one.
    func rank(of phrase: UnsafeBufferPointer<UInt8>, in count: Int) -> Int? {
        guard !phrase.isEmpty else { return nil }
        let last = bytes[..<count].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        var best: Int?
        var place = 0
        while let found = find(phrase, from: place), found + phrase.count <= count {
            place = found + 1
            guard beginsWord(found) else { continue }
            let end = found + phrase.count
            let isWhole = end == count || !Self.isLetter(bytes[end])
            let begins = found == 0 || found == last
            let rank = begins ? (end == count ? 0 : isWhole ? 1 : 2) : isWhole ? 3 : 4
            best = min(best ?? rank, rank)
        }
        return best
    }

    /// 0 at the beginning of the text, 2 at the beginning of a word, 6 inside a word.
    private func whole(_ word: UnsafeBufferPointer<UInt8>) -> (place: Int, score: Int)? {
        var inside: Int?
        var place = 0
        while let found = find(word, from: place) {
            if beginsWord(found) { return (found, found == 0 ? 0 : 2) }
            inside = inside ?? found
            place = found + 1
        }
        return inside.map { ($0, 6) }
    }

    /// Letters that follow one another or begin words: 14, and more for each word.
    private func beginnings(_ word: UnsafeBufferPointer<UInt8>) -> (place: Int, score: Int)? {
        var steps = 0
        var start = 0
        while let place = firstWord(word[0], from: start) {
            if let count = words(word, 1, after: place, &steps) {
                return (place, 14 + 2 * min(count, 8) + (place == 0 ? 0 : 1))
            }
            guard steps < Self.mostSteps else { return nil }
            start = place + 1
        }
        return nil
    }

    /// The number of words that the letters from `next` on take, after a letter at `place`; nil without a match.
    private func words(
        _ word: UnsafeBufferPointer<UInt8>,
        _ next: Int,
        after place: Int,
        _ steps: inout Int
    ) -> Int? {
        guard next < word.count else { return 0 }
        steps += 1
        guard steps < Self.mostSteps else { return nil }
        if place + 1 < bytes.count, bytes[place + 1] == word[next],
            let count = words(word, next + 1, after: place + 1, &steps)
        {
            return count
        }
        guard mayBegin(word[next]) else { return nil }
        let last = min(bytes.count - 1, place + Self.longestJump)
        var start = place + 2
        while let other = firstWord(word[next], from: start), other <= last {
            if let count = words(word, next + 1, after: other, &steps) { return count + 1 }
            start = other + 1
        }
        return nil
    }

    /// Letters in order from the beginning of a word, close together: 40, and more for gaps.
    private func scattered(_ word: UnsafeBufferPointer<UInt8>) -> (place: Int, score: Int)? {
        var best: (place: Int, score: Int)?
        var from = 0
        while let start = firstWord(word[0], from: from) {
            from = start + 1
            var (next, place) = (1, start + 1)
            while next < word.count, place < bytes.count, place - start <= 2 * next + 1 {
                if bytes[place] == word[next] { next += 1 }
                place += 1
            }
            guard next == word.count else { continue }
            let score = 40 + (place - start) - word.count
            if score < best?.score ?? .max { best = (start, score) }
        }
        return best
    }

    /// Where the next word begins with a letter.
    private func firstWord(_ letter: UInt8, from start: Int) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        var place = start
        while place < bytes.count,
            let hit = memchr(base + place, Int32(letter), bytes.count - place)
        {
            place = UnsafeRawPointer(base).distance(to: hit)
            if beginsWord(place) { return place }
            place += 1
        }
        return nil
    }

    private func mayBegin(_ letter: UInt8) -> Bool { beginMask & 1 << UInt64(letter & 63) != 0 }

    private func find(_ word: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let base = bytes.baseAddress, let letters = word.baseAddress else { return nil }
        var place = start
        let last = bytes.count - word.count
        while place <= last, let hit = memchr(base + place, Int32(word[0]), last - place + 1) {
            place = UnsafeRawPointer(base).distance(to: hit)
            if memcmp(base + place, letters, word.count) == 0 { return place }
            place += 1
        }
        return nil
    }

    private func beginsWord(_ place: Int) -> Bool {
        place == 0 || !Self.isLetter(bytes[place - 1])
    }

    static func isLetter(_ byte: UInt8) -> Bool {
        97...122 ~= byte || 48...57 ~= byte || byte >= 128
    }
}

/// The targets, batches and chains of a catalog, ready to be searched.
struct TargetIndex: Sendable {
    private(set) var texts = FuzzyIndex()
    /// What is shown of one.
    struct Line {
        var id: CatalogID
        /// The method of a target; empty for others.
        var method = ""
        var summary: String
        /// What it is: "target".
        var kind: String
    }

    private(set) var lines: [Line] = []

    init(_ catalog: Catalog) { append(catalog.nodes) }

    private mutating func append(_ nodes: [CatalogNode]) {
        for node in nodes {
            switch node {
            case .group(_, let children): append(children)
            case .target(let target):
                let line = Line(
                    id: target.id,
                    method: target.method,
                    summary: target.summary ?? "",
                    kind: "target"
                )
                append(line, words: target.path)
            case .batch(let batch):
                let summary = batch.summary ?? ""
                append(
                    Line(id: batch.id, summary: summary, kind: "batch"),
                    words: "batches run all"
                )
            case .chain(let chain):
                let summary = chain.summary ?? ""
                append(
                    Line(id: chain.id, summary: summary, kind: "chain"),
                    words: "chains run steps"
                )
            }
        }
    }

    private mutating func append(_ line: Line, words: String) {
        texts.append(line.id.description, "\(line.method) \(words) \(line.summary)")
        lines.append(line)
    }
}
