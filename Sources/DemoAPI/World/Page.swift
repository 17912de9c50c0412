/// One page of a list, and how to go on.
struct Page: Sendable {
    let number: Int
    let limit: Int

    static let limits = 1...100

    /// The slice of `all` on this page, as the JSON of a list answer.
    func answer<Element>(_ all: [Element], path: String, query: String, _ json: (Element) -> JSON)
        -> JSON
    {
        let start = min((number - 1) * limit, all.count)
        let end = min(start + limit, all.count)
        let more = end < all.count
        return [
            "items": .array(all[start..<end].map(json)),
            "page": .integer(number),
            "limit": .integer(limit),
            "total": .integer(all.count),
            "next": more ? .string("\(path)?page=\(number + 1)&limit=\(limit)\(query)") : nil,
        ]
    }

    /// The identifiers on this page.
    func slice(of identifiers: [Int]) -> ArraySlice<Int> {
        let start = min((number - 1) * limit, identifiers.count)
        return identifiers[start..<min(start + limit, identifiers.count)]
    }
}
