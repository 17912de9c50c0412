/// Which URLs have been invalidated lately, by their primary keys: what was under way then may be
/// from before the change, and is not stored (RFC 9111, 4.4).
///
/// It is of this process. Another one that shares the disk may store what it asked for earlier: to
/// know that, each answer would have to be looked up on disk.
struct InvalidationLog {
    /// How many invalidations there had been at a moment.
    struct Mark: Sendable, Hashable {
        fileprivate let count: Int
    }

    private let limit: Int
    private var count = 0
    private var last: [KeyName: Int] = [:]
    /// The last of which the key has been forgotten.
    private var forgotten = 0

    /// Knows of none; `limit` keys are remembered.
    init(limit: Int = 4096) { self.limit = limit }

    /// The mark of now.
    var mark: Mark { Mark(count: count) }

    /// Whether a URL has been invalidated after a mark, or may have been.
    func has(_ primary: KeyName, after mark: Mark) -> Bool {
        (last[primary] ?? forgotten) > mark.count
    }

    /// Notes that a URL is invalidated.
    ///
    /// - Returns: the mark for the answer that does it: that of now, or its own if another answer
    ///   has invalidated the URL since.
    mutating func note(_ primary: KeyName, after mark: Mark) -> Mark {
        let isFirst = !has(primary, after: mark)
        if last.count >= limit {
            last = [:]
            forgotten = count
        }
        count += 1
        last[primary] = count
        return isFirst ? self.mark : mark
    }
}
