/// What a client says to order something.
struct OrderDraft: Decodable, Sendable {
    var userID: Int
    var lines: [Line]

    struct Line: Decodable, Sendable {
        var productID: Int
        var quantity: Int

        enum CodingKeys: String, CodingKey {
            case productID = "product_id"
            case quantity
        }
    }

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case lines
    }
}
