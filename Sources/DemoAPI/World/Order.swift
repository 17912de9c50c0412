import Documents

struct Order: Sendable {
    let id: Int
    let userID: Int
    var status: Status
    let placedAt: Double
    var updatedAt: Double
    let lines: [Line]
    var history: [Step]

    enum Status: String, CaseIterable, Sendable, Decodable {
        case placed, paid, packed, shipped, delivered, cancelled

        /// The status that follows by itself; nil for a final status.
        var next: Status? {
            switch self {
            case .placed: .paid
            case .paid: .packed
            case .packed: .shipped
            case .shipped: .delivered
            case .delivered, .cancelled: nil
            }
        }
    }

    struct Line: Sendable {
        let productID: Int
        let name: String
        let quantity: Int
        let unitPrice: Int
    }

    struct Step: Sendable {
        let status: Status
        let at: Double
    }

    mutating func move(to status: Status, at moment: Double) {
        self.status = status
        updatedAt = moment
        history.append(Step(status: status, at: moment))
    }
}

extension Order {
    var json: JSON {
        [
            "id": JSON(id),
            "user_id": JSON(userID),
            "status": JSON(status.rawValue),
            "placed_at": JSON(Moment.timestamp(placedAt)),
            "updated_at": JSON(Moment.timestamp(updatedAt)),
            "currency": "EUR",
            "total": .cents(lines.reduce(0) { $0 + $1.quantity * $1.unitPrice }),
            "lines": JSON(lines.map(\.json)),
            "history": JSON(history.map(\.json)),
        ]
    }
}

extension Order.Line {
    var json: JSON {
        [
            "product_id": JSON(productID),
            "name": JSON(name),
            "quantity": JSON(quantity),
            "unit_price": .cents(unitPrice),
        ]
    }
}

extension Order.Step {
    var json: JSON {
        ["status": JSON(status.rawValue), "at": JSON(Moment.timestamp(at))]
    }
}

/// The part of an order that a client may change.
struct OrderChange: Decodable, Sendable {
    var status: Order.Status
}

/// A client's new order.
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
