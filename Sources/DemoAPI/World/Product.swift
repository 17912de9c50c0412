/// A thing that the demo world sells.
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
            "id": .integer(id),
            "sku": .string("AP-\(4000 + id * 7)"),
            "name": .string(name),
            "category": .string(category),
            "price": .cents(price),
            "stock": .integer(stock),
            "rating": .number("\(rating / 10).\(rating % 10)"),
            "updated_at": .string(Moment.timestamp(updatedAt)),
        ]
    }
}
