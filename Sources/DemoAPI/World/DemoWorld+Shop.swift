import Documents

extension DemoWorld {
    func listOrders(_ page: Page, status: Order.Status?, query: String) -> JSON {
        let found = orders.values
            .filter { status == nil || $0.status == status }
            .sorted { $0.id < $1.id }
        return page.answer(found, path: "/orders", query: query, \.json)
    }

    /// Reads an order, which about every second time moves to its next status.
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

extension DemoWorld {
    func listProducts(_ page: Page, matching text: String, query: String) -> JSON {
        let found = products.values
            .filter {
                text.isEmpty || $0.name.lowercased().contains(text) || $0.category.contains(text)
            }
            .sorted { $0.id < $1.id }
        for id in page.slice(of: found.map(\.id)) { sell(id) }
        return page.answer(found, path: "/products", query: query) { (products[$0.id] ?? $0).json }
    }

    func product(_ id: Int) throws(Problem) -> Product {
        sell(id)
        guard let product = products[id] else { throw .notFound("product \(id)") }
        return product
    }

    func createProduct(_ draft: ProductDraft) throws(Problem) -> Product {
        let problems = draft.problems(isWhole: true)
        guard problems.isEmpty, let name = draft.name, let price = draft.price else {
            throw .invalid(problems)
        }
        let product = Product(
            id: nextProduct,
            name: name,
            category: draft.category ?? "new",
            price: Int((price * 100).rounded()),
            stock: draft.stock ?? 0,
            rating: 40,
            updatedAt: clock.now
        )
        nextProduct += 1
        products[product.id] = product
        return product
    }

    func changeProduct(_ id: Int, to draft: ProductDraft, isWhole: Bool) throws(Problem) -> Product
    {
        guard var product = products[id] else { throw .notFound("product \(id)") }
        let problems = draft.problems(isWhole: isWhole)
        guard problems.isEmpty else { throw .invalid(problems) }
        product.name = draft.name ?? product.name
        product.category = draft.category ?? product.category
        product.price = draft.price.map { Int(($0 * 100).rounded()) } ?? product.price
        product.stock = draft.stock ?? product.stock
        product.updatedAt = clock.now
        products[id] = product
        return product
    }

    func deleteProduct(_ id: Int) throws(Problem) {
        guard products.removeValue(forKey: id) != nil else { throw .notFound("product \(id)") }
    }

    /// Sells a few, so that the stock changes between reads, or restocks if there are too few.
    private func sell(_ id: Int) {
        guard var product = products[id] else { return }
        let sold = Int.random(in: 1...3, using: &generator)
        product.stock =
            product.stock >= sold
            ? product.stock - sold : Int.random(in: 40...90, using: &generator)
        product.updatedAt = clock.now
        products[id] = product
    }
}
