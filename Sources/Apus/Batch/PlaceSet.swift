/// Places of a batch, a bit for each, so that many of them cost little.
package struct PlaceSet: Sendable, Hashable {
    private var words: [UInt64] = []
    /// How many places are in it.
    private(set) var count = 0

    /// The places in it, in order.
    var places: [Int] {
        words.indices.flatMap { word in
            (0..<64).compactMap { words[word] & (1 << UInt64($0)) == 0 ? nil : word << 6 | $0 }
        }
    }

    mutating func formUnion(_ other: PlaceSet) {
        if other.words.count > words.count {
            let missing = other.words.count - words.count
            words.append(contentsOf: repeatElement(0, count: missing))
        }
        for word in other.words.indices { words[word] |= other.words[word] }
        count = words.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// Whether a place is in it.
    package func contains(_ place: Int) -> Bool {
        let word = place >> 6
        return word < words.count && words[word] & (1 << UInt64(place & 63)) != 0
    }

    mutating func insert(_ place: Int) {
        guard !contains(place) else { return }
        let word = place >> 6
        if word >= words.count {
            words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
        }
        words[word] |= 1 << UInt64(place & 63)
        count += 1
    }
}
