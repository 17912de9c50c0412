/// A query in a filter, from the value that is tested (`@`) or from the root (`$`).
struct FilterQuery: Hashable, Sendable {
    /// The number of a query that begins with `$`, whose result is the same for every value; nil for `@`.
    let absoluteNumber: Int?
    let segments: [QuerySegment]

    var isSingular: Bool { segments.allSatisfy(\.isSingular) }
}
