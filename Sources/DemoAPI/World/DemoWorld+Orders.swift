extension DemoWorld {
    func listOrders(_ page: Page, status: Order.Status?, query: String) -> JSON {
        let found = orders.values
            .filter { status == nil || $0.status == status }
            .sorted { $0.id < $1.id }
        return page.answer(found, path: "/orders", query: query, \.json)
    }

    /// Every second read or so the order has gone one step on its way.
    func order(_ id: Int) throws(Problem) -> Order {
        guard var order = orders[id] else { throw .notFound("order \(id)") }
        if let next = order.status.next, Bool.random(using: &generator) {
            order.move(to: next, at: clock.now)
            orders[id] = order
        }
        return order
    }

    func createOrder(_ draft: OrderDraft) throws(Problem) -> Order {
        var problems: [Problem.Field] = []
        if users[draft.userID] == nil { problems.append(.init("user_id", "is not a user")) }
        if draft.lines.isEmpty { problems.append(.init("lines", "must not be empty")) }
        var lines: [Order.Line] = []
        for (index, line) in draft.lines.enumerated() {
            guard let product = products[line.productID] else {
                problems.append(.init("lines[\(index)].product_id", "is not a product"))
                continue
            }
            if !(1...1000).contains(line.quantity) {
                problems.append(.init("lines[\(index)].quantity", "must be from 1 to 1000"))
            }
            lines.append(
                .init(
                    productID: product.id,
                    name: product.name,
                    quantity: line.quantity,
                    unitPrice: product.price
                )
            )
        }
        guard problems.isEmpty else { throw .invalid(problems) }
        let now = clock.now
        let order = Order(
            id: nextOrder,
            userID: draft.userID,
            status: .placed,
            placedAt: now,
            updatedAt: now,
            lines: lines,
            history: [.init(status: .placed, at: now)]
        )
        nextOrder += 1
        orders[order.id] = order
        return order
    }

    func changeOrder(_ id: Int, to status: Order.Status) throws(Problem) -> Order {
        guard var order = orders[id] else { throw .notFound("order \(id)") }
        if order.status != status { order.move(to: status, at: clock.now) }
        orders[id] = order
        return order
    }

    func deleteOrder(_ id: Int) throws(Problem) {
        guard orders.removeValue(forKey: id) != nil else { throw .notFound("order \(id)") }
    }
}
