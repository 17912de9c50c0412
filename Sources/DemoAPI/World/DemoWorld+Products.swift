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

    /// A few are sold between two reads; an empty shelf is filled again.
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
