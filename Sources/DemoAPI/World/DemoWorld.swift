/// The users, products and orders of one demo server: the same at every start, a little different
/// at every read.
///
/// What can be done with them stands in the extensions, one file for each kind of thing.
actor DemoWorld {
    var users: [Int: User]
    var products: [Int: Product]
    var orders: [Int: Order]
    var codes: [Int: String] = [:]
    var owners: [String: Int] = [:]
    var nextUser: Int
    var nextProduct: Int
    var nextOrder: Int
    private var readsOfTaggedBody = 0
    var generator = SeededGenerator(seed: 0x5357_4946_54)
    let clock: DemoClock

    init(clock: DemoClock) {
        let seed = Seed(now: clock.now)
        users = Dictionary(uniqueKeysWithValues: seed.users.map { ($0.id, $0) })
        products = Dictionary(uniqueKeysWithValues: seed.products.map { ($0.id, $0) })
        orders = Dictionary(uniqueKeysWithValues: seed.orders.map { ($0.id, $0) })
        nextUser = seed.users.count + 1
        nextProduct = seed.products.count + 1
        nextOrder = 1001 + seed.orders.count
        self.clock = clock
    }

    /// The edition of the `/etag` body; a new one every tenth request.
    func taggedEdition() -> Int {
        defer { readsOfTaggedBody += 1 }
        return 1 + readsOfTaggedBody / 10
    }
}
