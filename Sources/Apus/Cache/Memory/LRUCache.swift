/// Values by key in LRU order, limited by cost and count.
///
/// The order is a doubly linked list in one array, so neither a hit nor an insertion allocates per entry.
/// Eviction always removes the least recently used value. The links are stored apart from the values: a hit
/// changes the links of three other slots, and they are small enough to stay in the processor's cache.
///
/// ```
/// slots:   [0: c] [1: a] [2: b]     newest: 1 ⇄ 2 ⇄ 0 :oldest
/// ```
struct LRUCache<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        var cost: Int
    }

    private struct Link {
        var newer: Int32
        var older: Int32
    }

    private static var none: Int32 { -1 }
    // The most slots that a link can address.
    private static var mostSlots: Int { Int(Int32.max) }

    // No holes: the last slot fills a removed one.
    private var slots: [Slot] = []
    private var links: [Link] = []
    // A table with one word per entry, plus an `OrderedSet` in the order of the slots, was 10 % slower than a
    // dictionary with 20,000 entries: 0.70 µs a hit instead of 0.63 (`Tests/Benchmarks/Cache`).
    private var places: [Key: Int32] = [:]
    private var newest: Int32 = -1
    private var oldest: Int32 = -1
    private let costLimit: Int
    private let countLimit: Int

    /// The total cost of all values.
    private(set) var cost = 0
    var count: Int { slots.count }

    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = min(countLimit, Self.mostSlots)
    }

    /// Passes the value to `body`, which may change it; returns nil if there is none.
    ///
    /// Makes it the most recently used, unless `isUse` is false.
    mutating func withValue<R>(
        _ key: Key,
        isUse: Bool = true,
        _ body: (inout Value) -> R
    ) -> R? {
        guard let place = places[key] else { return nil }
        if isUse && newest != place {
            unlink(place)
            linkAsNewest(place)
        }
        return body(&slots[Int(place)].value)
    }

    /// Inserts a value as the most recently used, and replaces the key's previous one.
    ///
    /// - Returns: the evicted values; the value itself if it exceeds the limit.
    mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Value] {
        _ = remove(key)
        guard cost <= costLimit, countLimit > 0 else { return [value] }
        let place = Int32(slots.count)
        places[key] = place
        slots.append(Slot(key: key, value: value, cost: cost))
        links.append(Link(newer: Self.none, older: Self.none))
        self.cost += cost
        linkAsNewest(place)
        return trim()
    }

    /// Sets the cost of a value; does not count as a use.
    ///
    /// - Returns: the evicted values; the value itself if it exceeds the limit.
    mutating func setCost(_ cost: Int, of key: Key) -> [Value] {
        guard let place = places[key] else { return [] }
        guard cost <= costLimit else { return remove(key).map { [$0] } ?? [] }
        self.cost += cost - slots[Int(place)].cost
        slots[Int(place)].cost = cost
        return trim()
    }

    mutating func remove(_ key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        places[key] = nil
        unlink(place)
        let removed = slots[Int(place)]
        let last = (slot: slots.removeLast(), link: links.removeLast())
        if Int(place) < slots.count {
            places[last.slot.key] = place
            move(last.slot, last.link, to: place)
        }
        cost -= removed.cost
        return removed.value
    }

    /// Removes the values that satisfy a predicate, and returns them.
    mutating func removeAll(where isUnwanted: (Value) -> Bool) -> [Value] {
        var removed: [Value] = []
        // From the end, so that the slot that fills the hole has already been checked.
        for place in slots.indices.reversed() where isUnwanted(slots[place].value) {
            if let value = remove(slots[place].key) { removed.append(value) }
        }
        return removed
    }

    mutating func removeAll() {
        self = LRUCache(costLimit: costLimit, countLimit: countLimit)
    }

    /// The values, most recently used first.
    var values: [Value] {
        var all: [Value] = []
        all.reserveCapacity(count)
        var place = newest
        while place != Self.none {
            all.append(slots[Int(place)].value)
            place = links[Int(place)].older
        }
        return all
    }

    private mutating func trim() -> [Value] {
        var evicted: [Value] = []
        while cost > costLimit || count > countLimit, oldest != Self.none,
            let value = remove(slots[Int(oldest)].key)
        {
            evicted.append(value)
        }
        return evicted
    }

    private mutating func move(_ slot: Slot, _ link: Link, to place: Int32) {
        slots[Int(place)] = slot
        links[Int(place)] = link
        setOlder(of: link.newer, to: place)
        setNewer(of: link.older, to: place)
    }

    private mutating func linkAsNewest(_ place: Int32) {
        links[Int(place)] = Link(newer: Self.none, older: newest)
        if newest != Self.none { links[Int(newest)].newer = place }
        newest = place
        if oldest == Self.none { oldest = place }
    }

    private mutating func unlink(_ place: Int32) {
        let link = links[Int(place)]
        setOlder(of: link.newer, to: link.older)
        setNewer(of: link.older, to: link.newer)
    }

    /// Sets the older neighbor of a slot; if `place` is `none`, sets the newest slot of all.
    private mutating func setOlder(of place: Int32, to older: Int32) {
        if place == Self.none { newest = older } else { links[Int(place)].older = older }
    }

    /// Sets the newer neighbor of a slot; if `place` is `none`, sets the oldest slot of all.
    private mutating func setNewer(of place: Int32, to newer: Int32) {
        if place == Self.none { oldest = newer } else { links[Int(place)].newer = newer }
    }
}
