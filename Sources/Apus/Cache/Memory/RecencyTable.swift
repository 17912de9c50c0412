/// Values by key, in the order of their use, within a limit of cost and count.
///
/// The order is a doubly linked list through one array, so that neither a hit
/// nor an insertion allocates per entry; what goes when a limit is passed is
/// always what was used longest ago.
///
/// ```
/// slots:   [0: c] [1: a] [2: b]     newest: 1 ⇄ 2 ⇄ 0 :oldest
/// ```
struct RecencyTable<Key: Hashable, Value> {
    private struct Slot {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    private static var none: Int { -1 }

    // Without holes: a removed slot is filled by the last one.
    private var slots: [Slot] = []
    private var index: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1
    private let costLimit: Int
    private let countLimit: Int

    /// The cost of all values.
    private(set) var cost = 0
    /// How many values there are.
    var count: Int { slots.count }

    init(costLimit: Int, countLimit: Int) {
        self.costLimit = costLimit
        self.countLimit = countLimit
    }

    /// Gives the value to `body`, which may change it; nil if there is none.
    ///
    /// Unless `isUse` is false it becomes the newest.
    mutating func withValue<R>(
        _ key: Key,
        isUse: Bool = true,
        _ body: (inout Value) -> R
    ) -> R? {
        guard let place = index[key] else { return nil }
        if isUse && newest != place {
            unlink(place)
            linkAsNewest(place)
        }
        return body(&slots[place].value)
    }

    /// Puts a value in as the newest, in the place of the key's last one.
    ///
    /// - Returns: what had to go; the value itself if it is larger than the limit.
    mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Value] {
        _ = remove(key)
        guard cost <= costLimit, countLimit > 0 else { return [value] }
        index[key] = slots.count
        slots.append(
            Slot(key: key, value: value, cost: cost, newer: Self.none, older: Self.none)
        )
        self.cost += cost
        linkAsNewest(slots.count - 1)
        return trim()
    }

    /// Takes a value out.
    mutating func remove(_ key: Key) -> Value? {
        guard let place = index.removeValue(forKey: key) else { return nil }
        unlink(place)
        let removed = slots[place]
        let last = slots.removeLast()
        if place < slots.count { move(last, from: slots.count, to: place) }
        cost -= removed.cost
        return removed.value
    }

    /// Takes all values out.
    mutating func removeAll() {
        self = RecencyTable(costLimit: costLimit, countLimit: countLimit)
    }

    /// The values, newest first.
    var values: [Value] {
        var all: [Value] = []
        all.reserveCapacity(count)
        var place = newest
        while place != Self.none {
            all.append(slots[place].value)
            place = slots[place].older
        }
        return all
    }

    private mutating func trim() -> [Value] {
        var evicted: [Value] = []
        while cost > costLimit || count > countLimit, oldest != Self.none,
            let value = remove(slots[oldest].key)
        {
            evicted.append(value)
        }
        return evicted
    }

    private mutating func move(_ slot: Slot, from old: Int, to new: Int) {
        slots[new] = slot
        index[slot.key] = new
        if slot.newer == Self.none { newest = new } else { slots[slot.newer].older = new }
        if slot.older == Self.none { oldest = new } else { slots[slot.older].newer = new }
    }

    private mutating func linkAsNewest(_ place: Int) {
        slots[place].newer = Self.none
        slots[place].older = newest
        if newest != Self.none { slots[newest].newer = place }
        newest = place
        if oldest == Self.none { oldest = place }
    }

    private mutating func unlink(_ place: Int) {
        let slot = slots[place]
        if slot.newer == Self.none {
            newest = slot.older
        } else {
            slots[slot.newer].older = slot.older
        }
        if slot.older == Self.none {
            oldest = slot.newer
        } else {
            slots[slot.older].newer = slot.newer
        }
    }
}
