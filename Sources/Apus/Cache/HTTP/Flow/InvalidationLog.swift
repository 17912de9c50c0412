/// The recently invalidated URLs, by their primary keys.
///
/// A response that was in flight then may predate the change and is not stored (RFC 9111, 4.4). The log
/// covers this process only. Another process that shares the disk may store an earlier response; to prevent
/// that, each response would have to be checked on disk.
struct InvalidationLog {
    /// The number of invalidations at a point in time.
    struct Mark: Sendable, Hashable {
        fileprivate let count: Int
    }

    private let limit: Int
    private var count = 0
    private var last: [KeyName: Int] = [:]
    /// The number of the last invalidation whose key has been forgotten.
    private var forgotten = 0

    /// Remembers at most `limit` keys.
    init(limit: Int = 4096) { self.limit = limit }

    /// The point in the log to compare with later, when a response is about to be stored.
    var mark: Mark { Mark(count: count) }

    /// Whether a URL has been invalidated after a mark, or may have been.
    func has(_ primary: KeyName, after mark: Mark) -> Bool {
        (last[primary] ?? forgotten) > mark.count
    }

    /// Records the invalidation of a URL.
    ///
    /// - Returns: the mark for the invalidating response: the new one, or its own if another response has
    ///   invalidated the URL since.
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
