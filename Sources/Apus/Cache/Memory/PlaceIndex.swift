// An index of one word for each entry: a hit among a million entries is mostly waiting for memory,
// and a dictionary touches three places of its own before the entry's.

/// Places by the hashes of their keys: open addressing with linear probing, one word for each.
///
/// Half of a word is the hash, half the place. A dictionary has the keys a second time, and a
/// lookup in it touches its bits, its keys and its values: with a million keys none of them is in
/// the processor's cache. The keys themselves are where the places are, and compared there.
///
/// ```
/// words:   [ - ][ 7f…|3 ][ 7f…|0 ][ - ][ 03…|1 ]      a word stands at its hash, or behind it
/// ```
struct PlaceIndex {
    private static let smallest = 8

    // At most half of them are in use, so that there is always an end to look for.
    private var words: [UInt64] = []
    private var count = 0

    /// The place whose key has the hash and is the one that is looked for.
    func place(_ hash: Int, where isIt: (Int32) -> Bool) -> Int32? {
        position(hash, where: isIt).map { Self.place(words[$0]) }
    }

    /// Puts in a place whose key is not here.
    mutating func insert(_ place: Int32, _ hash: Int) {
        if 2 * (count + 1) > words.count { grow() }
        put(Self.word(hash, place))
        count += 1
    }

    /// Says that what was at a place is at another.
    mutating func move(_ place: Int32, _ hash: Int, to other: Int32) {
        guard let position = position(hash, where: { $0 == place }) else { return }
        words[position] = Self.word(hash, other)
    }

    /// Takes a place out.
    mutating func remove(_ place: Int32, _ hash: Int) {
        guard var hole = position(hash, where: { $0 == place }) else { return }
        count -= 1
        var next = following(hole)
        while words[next] != 0 {
            // A word may move up to the hole if its hash stands there or before.
            let distance = (next - home(words[next])) & (words.count - 1)
            if distance >= (next - hole) & (words.count - 1) {
                words[hole] = words[next]
                hole = next
            }
            next = following(next)
        }
        words[hole] = 0
    }

    private func position(_ hash: Int, where isIt: (Int32) -> Bool) -> Int? {
        guard !words.isEmpty else { return nil }
        let mark = UInt32(truncatingIfNeeded: hash)
        var position = home(UInt64(mark) << 32)
        while words[position] != 0 {
            let word = words[position]
            if UInt32(word >> 32) == mark, isIt(Self.place(word)) { return position }
            position = following(position)
        }
        return nil
    }

    private mutating func grow() {
        let old = words
        words = [UInt64](repeating: 0, count: max(Self.smallest, 2 * old.count))
        for word in old where word != 0 { put(word) }
    }

    private mutating func put(_ word: UInt64) {
        var position = home(word)
        while words[position] != 0 { position = following(position) }
        words[position] = word
    }

    /// Where a word stands if nothing is in its way.
    private func home(_ word: UInt64) -> Int { Int(word >> 32) & (words.count - 1) }

    private func following(_ position: Int) -> Int { (position + 1) & (words.count - 1) }

    // Not 0, which is no word: the place is counted from 1.
    private static func word(_ hash: Int, _ place: Int32) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: hash)) << 32 | UInt64(UInt32(place) + 1)
    }

    private static func place(_ word: UInt64) -> Int32 {
        Int32(truncatingIfNeeded: word & 0xFFFF_FFFF) - 1
    }
}
