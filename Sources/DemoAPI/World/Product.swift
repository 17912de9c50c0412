import Documents

struct Product: Sendable {
    let id: Int
    var name: String
    var category: String
    var price: Int
    var stock: Int
    var rating: Int
    var updatedAt: Double

    var json: JSON {
        [
            "id": JSON(id),
            "sku": JSON("AP-\(4000 + id * 7)"),
            "name": JSON(name),
            "category": JSON(category),
            "price": .cents(price),
            "stock": JSON(stock),
            "rating": .number("\(rating / 10).\(rating % 10)"),
            "updated_at": JSON(Moment.timestamp(updatedAt)),
        ]
    }
}

/// The data of a product that a client may set.
struct ProductDraft: Decodable, Sendable {
    var name: String?
    var price: Double?
    var category: String?
    var stock: Int?
}

extension ProductDraft {
    /// What is wrong with the draft, given that a whole product needs a name and a price.
    func problems(isWhole: Bool) -> [Problem.Field] {
        var found: [Problem.Field] = []
        if isWhole, name == nil { found.append(.init("name", "is needed")) }
        if isWhole, price == nil { found.append(.init("price", "is needed")) }
        if let name, name.allSatisfy(\.isWhitespace) {
            found.append(.init("name", "must not be empty"))
        }
        if let price, !(0...1_000_000).contains(price) {
            found.append(.init("price", "must be from 0 to 1000000"))
        }
        if let stock, stock < 0 { found.append(.init("stock", "must not be negative")) }
        return found
    }
}

/// The number and size of a page of a list.
struct Page: Sendable {
    let number: Int
    let limit: Int

    static let limits = 1...100

    /// The elements of `all` on this page, as the JSON of a list response.
    func answer<Element>(_ all: [Element], path: String, query: String, _ json: (Element) -> JSON)
        -> JSON
    {
        let range = range(of: all.count)
        let more = range.upperBound < all.count
        return [
            "items": JSON(all[range].map(json)),
            "page": JSON(number),
            "limit": JSON(limit),
            "total": JSON(all.count),
            "next": more ? JSON("\(path)?page=\(number + 1)&limit=\(limit)\(query)") : nil,
        ]
    }

    /// The identifiers on this page.
    func slice(of identifiers: [Int]) -> ArraySlice<Int> {
        identifiers[range(of: identifiers.count)]
    }

    private func range(of count: Int) -> Range<Int> {
        let start = min((number - 1) * limit, count)
        return start..<min(start + limit, count)
    }
}
