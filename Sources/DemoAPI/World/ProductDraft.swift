/// What a client may say about a product.
struct ProductDraft: Decodable, Sendable {
    var name: String?
    var price: Double?
    var category: String?
    var stock: Int?
}

extension ProductDraft {
    /// What is wrong; name and price must be there when the draft is to be a whole product.
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
