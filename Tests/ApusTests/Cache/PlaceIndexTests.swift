import Testing

@testable import Apus

@Suite("places by the hashes of their keys")
struct PlaceIndexTests {
    @Test(
        "does what a dictionary does, however many keys share a hash",
        arguments: [1, 3, 64, 1 << 20]
    )
    func model(hashes: Int) {
        // Also hashes that stand at the end of the words, and whose upper half differs alone.
        func hash(_ key: Int32) -> Int { (Int(key) % hashes) &* -7 &+ Int(key) << 40 }
        var index = PlaceIndex()
        var keys: [Int32: Int32] = [:]
        var random = SeededNumbers(state: UInt64(hashes))
        func place(_ key: Int32) -> Int32? {
            index.place(hash(key)) { keys[key] == $0 }
        }
        for step in 0..<4000 as Range<Int32> {
            let key = Int32.random(in: 0..<300, using: &random)
            switch (keys[key], Int.random(in: 0..<3, using: &random)) {
            case (nil, _):
                index.insert(step, hash(key))
                keys[key] = step
            case (let place?, 0):
                index.move(place, hash(key), to: step)
                keys[key] = step
            case (let place?, 1):
                index.remove(place, hash(key))
                keys[key] = nil
                #expect(index.place(hash(key)) { $0 == place } == nil)
            default: break
            }
            guard step % 50 == 0 else { continue }
            for key in 0..<300 as Range<Int32> { #expect(place(key) == keys[key]) }
        }
        for key in keys.keys { #expect(place(key) == keys[key]) }
    }

    @Test("nothing is found in none, and what is not there is neither moved nor removed")
    func nothing() {
        var index = PlaceIndex()
        index.remove(1, 5)
        index.move(1, 5, to: 2)
        #expect(index.place(5) { _ in true } == nil)
        index.insert(1, 5)
        index.remove(2, 5)
        #expect(index.place(5) { $0 == 1 } == 1)
    }
}
