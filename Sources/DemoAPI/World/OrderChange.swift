/// What a client may change in an order.
struct OrderChange: Decodable, Sendable {
    var status: Order.Status
}
