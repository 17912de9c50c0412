import HTTPTypes

/// The decisions of a private HTTP cache, as functions of what is known.
///
/// ```
/// request ─▶ reuse(of:for:at:) ─▶ answer | answerAndRevalidate | validate | fetch | 504
///                                                │
/// answer of the origin ─▶ validation(…) ─▶ update stored, answer from it
///        │                              └▶ storing(…) ─▶ store or not
///        └ unsafe method ─▶ invalidation(…)      HEAD ─▶ headUpdate(…)
/// ```
///
/// RFC 9111, with RFC 5861 (serving stale) and RFC 8246 (immutable). Nothing
/// here waits, reads a clock or knows where responses are kept.
struct HTTPCacheRules: Sendable {
    /// The part of the time since the last change for which a response is taken
    /// to stay the same (RFC 9111, 4.2.2).
    var heuristicFraction = 0.1
    /// The longest lifetime that nobody gave.
    var heuristicLimit: Duration = .seconds(86_400)
    /// Whether a 206 is stored, as the part that it is.
    ///
    /// A part is never served for the whole.
    var storesParts = true

    /// The statuses that RFC 9110 defines, without those that have rules of
    /// their own for caches: 206 and 304.
    static let understoodStatuses: Set<Int> = Set(200...205).union(300...303).union([305, 307, 308])
        .union(400...417).union([421, 422, 426]).union(500...505)

    /// The statuses that are cacheable without being told (RFC 9110, 15.1).
    static let heuristicStatuses: Set<Int> = [
        200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501,
    ]

    /// The errors that a stale response may stand in for (RFC 5861, 4).
    static let errorStatuses: Set<Int> = [500, 502, 503, 504]
}
