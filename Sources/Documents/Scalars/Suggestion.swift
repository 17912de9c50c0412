/// Finds the name that was probably meant.
package enum Suggestion {
    /// The number of names to compare; further ones are ignored.
    private static let maximumCandidates = 1000

    /// "did you mean `headers`?", or nil if no candidate is near.
    package static func hint(for name: String, among candidates: some Sequence<String>) -> String? {
        nearest(to: name, among: candidates).map { "did you mean `\($0)`?" }
    }

    /// The candidate most likely to be meant, allowing for typing errors; nil if none is near.
    package static func nearest(to name: String, among candidates: some Sequence<String>) -> String?
    {
        // A longer name is not a typing error, and the table would grow with it.
        guard name.count <= 64 else { return nil }
        let limit = max(1, name.count / 3)
        let lowercased = name.lowercased()
        let ranked = candidates.prefix(maximumCandidates).lazy
            .filter { abs($0.count - name.count) <= limit }
            .map { (name: $0, distance: distance(lowercased, $0.lowercased())) }
            .filter { $0.distance <= limit && $0.distance < min(name.count, $0.name.count) }
        return ranked.min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }

    /// The number of insertions, removals, replacements and swaps of neighbors between two names.
    package static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a)
        let b = Array(b)
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                    best = min(best, beforeLast[j - 1] + 1)
                }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
