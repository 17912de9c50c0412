/// `start:end:step`, RFC 9535 section 2.3.4.
struct QuerySlice: Hashable, Sendable {
    let start: Int?
    let end: Int?
    let step: Int

    /// The places in an array of `count` elements that are selected, in their order.
    func places(count: Int) -> StrideTo<Int>? {
        // Every number is under 2^54, so that nothing overflows.
        func normalized(_ place: Int) -> Int { place < 0 ? count + place : place }
        if step > 0 {
            let lower = max(0, min(normalized(start ?? 0), count))
            let upper = max(0, min(normalized(end ?? count), count))
            return lower < upper ? stride(from: lower, to: upper, by: step) : nil
        }
        guard step < 0 else { return nil }
        let upper = max(-1, min(start.map(normalized) ?? count - 1, count - 1))
        let lower = max(-1, min(end.map(normalized) ?? -1, count - 1))
        return upper > lower ? stride(from: upper, to: lower, by: step) : nil
    }
}
