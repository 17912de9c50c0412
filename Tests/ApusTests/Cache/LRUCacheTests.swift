import Testing

@testable import Apus

struct RecencyTableTests {
    /// The same, by an array in the order of use.
    private struct Model {
        var items: [(key: Int, value: Int, cost: Int)] = []
        let costLimit: Int
        let countLimit: Int

        mutating func insert(_ value: Int, for key: Int, cost: Int) -> [Int] {
            items.removeAll { $0.key == key }
            guard cost <= costLimit, countLimit > 0 else { return [value] }
            items.insert((key, value, cost), at: 0)
            var evicted: [Int] = []
            while items.count > countLimit || items.map(\.cost).reduce(0, +) > costLimit {
                evicted.append(items.removeLast().value)
            }
            return evicted
        }

        mutating func use(_ key: Int) -> Int? {
            guard let place = items.firstIndex(where: { $0.key == key }) else { return nil }
            items.insert(items.remove(at: place), at: 0)
            return items[0].value
        }

        mutating func remove(_ key: Int) -> Int? {
            items.firstIndex { $0.key == key }.map { items.remove(at: $0).value }
        }
    }

    @Test(
        "does what a naive model does",
        arguments: [(1000, 8), (40, 1000), (60, 6), (10, 1), (0, 5), (50, 0)]
    )
    func model(costLimit: Int, countLimit: Int) {
        var model = Model(costLimit: costLimit, countLimit: countLimit)
        var table = LRUCache<Int, Int>(costLimit: costLimit, countLimit: countLimit)
        var random = SeededNumbers(state: UInt64(costLimit * 1000 + countLimit))
        for step in 0..<5000 {
            let key = Int.random(in: 0..<16, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<4:
                let cost = Int.random(in: 0..<20, using: &random)
                #expect(
                    table.insert(step, for: key, cost: cost)
                        == model.insert(step, for: key, cost: cost)
                )
            case 4, 5: #expect(table.withValue(key) { $0 } == model.use(key))
            case 6: #expect(table.remove(key) == model.remove(key))
            default:
                let known = model.items.first { $0.key == key }?.value
                #expect(table.withValue(key, isUse: false) { $0 } == known)
            }
            #expect(table.values == model.items.map(\.value))
            #expect(table.cost == model.items.map(\.cost).reduce(0, +))
        }
    }
}

/// SplitMix64: the same numbers in every run.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
