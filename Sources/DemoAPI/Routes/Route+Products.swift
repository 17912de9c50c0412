import FlyingFox

extension Route {
    static let products: [Route] = [
        Route("GET", "/products", "products in pages (page, limit), those matching q") { call in
            let text = call.queryText("q") ?? ""
            let query = text.isEmpty ? "" : "&q=\(PercentEncoding.encode(text))"
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

    private static func changeProduct(_ call: Call, isWhole: Bool) async throws -> HTTPResponse {
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
