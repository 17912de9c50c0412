import Documents
import HTTPTypes

extension Route {
    static let orders: [Route] = [
        Route("GET", "/orders", "orders in pages (page, limit), those of a status") { call in
            let asked = call.queryText("status")
            let status = asked.flatMap(Order.Status.init)
            if let asked, status == nil {
                throw Problem.invalid([
                    .init(
                        "status",
                        "must be one of \(Order.Status.allCases.map(\.rawValue).joined(separator: ", "))"
                    )
                ])
            }
            let query = asked.map { "&status=\($0)" } ?? ""
            return .json(await call.world.listOrders(try call.page(), status: status, query: query))
        },
        Route(
            "POST",
            "/orders",
            "a new order: user_id, lines of product_id and quantity",
            readsBody: true
        ) { call in
            let order = try await call.world.createOrder(try await call.decoded(OrderDraft.self))
            return .json(order.json, status: 201, fields: [.location: "/orders/\(order.id)"])
        },
        Route("GET", "/orders/{id}", "one order; it moves on as it is read") { call in
            .json(try await call.world.order(try call.identifier(of: "order")).json)
        },
        Route("PATCH", "/orders/{id}", "sets the status", readsBody: true) { call in
            let change = try await call.decoded(OrderChange.self)
            return .json(
                try await call.world.changeOrder(
                    try call.identifier(of: "order"),
                    to: change.status
                ).json
            )
        },
        Route("DELETE", "/orders/{id}", "deletes an order") { call in
            try await call.world.deleteOrder(try call.identifier(of: "order"))
            return .empty(status: 204)
        },
    ]
}

extension Route {
    static let products: [Route] = [
        Route("GET", "/products", "products in pages (page, limit), those matching q") { call in
            let text = call.queryText("q") ?? ""
            let query = text.isEmpty ? "" : "&q=\(PercentEncoding.component(text))"
            return .json(
                await call.world.listProducts(
                    try call.page(),
                    matching: text.lowercased(),
                    query: query
                )
            )
        },
        Route("POST", "/products", "a new product: name, price, category, stock", readsBody: true) {
            call in
            let product = try await call.world.createProduct(
                try await call.decoded(ProductDraft.self)
            )
            return .json(product.json, status: 201, fields: [.location: "/products/\(product.id)"])
        },
        Route("GET", "/products/{id}", "one product; its stock goes down as it is read") { call in
            .json(try await call.world.product(try call.identifier(of: "product")).json)
        },
        Route("PUT", "/products/{id}", "replaces name and price", readsBody: true) { call in
            try await changeProduct(call, isWhole: true)
        },
        Route("PATCH", "/products/{id}", "changes name, price, category or stock", readsBody: true)
        { call in
            try await changeProduct(call, isWhole: false)
        },
        Route("DELETE", "/products/{id}", "deletes a product") { call in
            try await call.world.deleteProduct(try call.identifier(of: "product"))
            return .empty(status: 204)
        },
    ]

    private static func changeProduct(_ call: Call, isWhole: Bool) async throws -> DemoResponse {
        let draft = try await call.decoded(ProductDraft.self)
        return .json(
            try await call.world.changeProduct(
                try call.identifier(of: "product"),
                to: draft,
                isWhole: isWhole
            )
            .json
        )
    }
}
