/// The users, products and orders of one demo server. They are the same at every start and change a little
/// with every read.
///
/// The operations on them are in extensions in other files.
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

    /// The edition of the `/etag` body, which changes with every tenth request.
    func taggedEdition() -> Int {
        defer { readsOfTaggedBody += 1 }
        return 1 + readsOfTaggedBody / 10
    }
}

/// The demo world as it is when a server starts.
struct Seed {
    private var generator = SeededGenerator(seed: 0x4150_5553)
    private let now: Double
    private(set) var users: [User] = []
    private(set) var products: [Product] = []
    private(set) var orders: [Order] = []

    init(now: Double) {
        self.now = now
        products = Self.goods.enumerated().map { product($0.offset + 1, $0.element) }
        users = Self.people.enumerated().map { user($0.offset + 1, name: $0.element) }
        orders = (1001...1040).map { order($0) }
    }

    private mutating func user(_ id: Int, name: String) -> User {
        let words = name.lowercased().split(separator: " ")
        return User(
            id: id,
            name: name,
            email: "\(words.joined(separator: "."))@example.org",
            role: id == 1 ? .admin : (id % 5 == 0 ? .editor : .viewer),
            city: pick(Self.cities),
            street: "\(Int.random(in: 1...120, using: &generator)) \(pick(Self.streets))",
            isVerified: id % 7 != 3,
            balance: Int.random(in: 1_000...250_000, using: &generator),
            visits: Int.random(in: 1...400, using: &generator),
            lastSeen: now - Double.random(in: 60...900_000, using: &generator),
            tags: Array(Self.tags.shuffled(using: &generator).prefix(id % 4)).sorted(),
            avatar: nil
        )
    }

    private mutating func product(_ id: Int, _ goods: (String, String)) -> Product {
        Product(
            id: id,
            name: goods.0,
            category: goods.1,
            price: Int.random(in: 3...400, using: &generator) * 50 - 1,
            stock: Int.random(in: 0...80, using: &generator),
            rating: Int.random(in: 31...50, using: &generator),
            updatedAt: now - Double.random(in: 60...90_000, using: &generator)
        )
    }

    private mutating func order(_ id: Int) -> Order {
        let placed = now - Double.random(in: 600...600_000, using: &generator)
        let lines = products.shuffled(using: &generator).prefix(1 + id % 3).map { product in
            Order.Line(
                productID: product.id,
                name: product.name,
                quantity: Int.random(in: 1...4, using: &generator),
                unitPrice: product.price
            )
        }
        var order = Order(
            id: id,
            userID: Int.random(in: 1...users.count, using: &generator),
            status: .placed,
            placedAt: placed,
            updatedAt: placed,
            lines: Array(lines),
            history: [Order.Step(status: .placed, at: placed)]
        )
        for step in 0..<(id % 5) {
            guard let next = order.status.next else { break }
            order.move(to: next, at: placed + Double(step + 1) * (now - placed) / 6)
        }
        return order
    }

    private mutating func pick(_ words: [String]) -> String {
        words[Int.random(in: 0..<words.count, using: &generator)]
    }
}

extension Seed {
    private static let people = """
        Grace Hopper,Alan Turing,Edsger Dijkstra,Barbara Liskov,Donald Knuth,Katherine Johnson,Ada Lovelace,Dennis Ritchie,\
        Margaret Hamilton,Ken Thompson,Radia Perlman,Tony Hoare,Frances Allen,John McCarthy,Hedy Lamarr,Niklaus Wirth,\
        Sophie Wilson,Claude Shannon,Jean Bartik,Alonzo Church,Karen Jones,Robin Milner,Shafi Goldwasser,Leslie Lamport,\
        Lynn Conway,Vint Cerf,Evelyn Berezin,Bjarne Stroustrup,Adele Goldberg,Alan Kay,Mary Wilkes,Brian Kernighan,\
        Kathleen Booth,John Backus,Ruzena Bajcsy,Peter Naur,Susan Kare,Douglas Engelbart,Betty Holberton,Ivan Sutherland,\
        Joan Clarke,Ole Dahl,Anita Borg,Kristen Nygaard,Carol Shaw,Rob Pike,Irene Greif,Chris Lattner,Erna Hoover,Fei Li
        """.split(separator: ",").map(String.init)

    static let countries = [
        "London": "United Kingdom", "Oslo": "Norway", "Porto": "Portugal", "Kyoto": "Japan",
        "Lima": "Peru",
        "Turku": "Finland", "Bergen": "Norway", "Ghent": "Belgium", "Tartu": "Estonia",
        "Zürich": "Switzerland",
    ]
    private static let cities = countries.keys.sorted()
    private static let streets = [
        "Harbour Street", "Mill Lane", "Swift Row", "Station Road", "St James's Square", "Old Quay",
    ]
    private static let tags = ["early", "press", "beta", "vip", "newsletter", "wholesale"]
    private static let goods: [(String, String)] = [
        ("Tin whistle", "music"), ("Brass compass", "travel"), ("Wool blanket", "home"),
        ("Field notebook", "paper"),
        ("Fountain pen", "paper"), ("Copper kettle", "kitchen"), ("Bread knife", "kitchen"),
        ("Paper kite", "play"),
        ("Nest box", "garden"), ("Bird table", "garden"), ("Binoculars", "travel"),
        ("Rain jacket", "clothing"),
        ("Linen shirt", "clothing"), ("Felt hat", "clothing"), ("Oak chair", "home"),
        ("Desk lamp", "home"),
        ("Chess set", "play"), ("Marbles", "play"), ("Ocarina", "music"), ("Harmonica", "music"),
        ("Atlas of birds", "books"), ("Tide tables", "books"), ("Star chart", "books"),
        ("Ink bottle", "paper"),
        ("Seed packet", "garden"), ("Watering can", "garden"), ("Tea cup «Möwe»", "kitchen"),
        ("Enamel mug", "kitchen"),
        ("Canvas bag", "travel"), ("Pocket torch", "travel"),
    ]
}

/// SplitMix64, which gives the same world for the same seed on every machine.
struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
