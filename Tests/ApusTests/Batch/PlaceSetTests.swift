import Testing

@testable import Apus

@Suite("Places of a batch")
struct PlaceSetTests {
    @Test("places are held once each, in order, however far they are apart")
    func places() {
        var set = PlaceSet()
        for place in [700, 3, 64, 63, 3, 0] { set.insert(place) }
        #expect(set.places == [0, 3, 63, 64, 700])
        #expect(set.count == 5)
        #expect(set.contains(64))
        #expect(!set.contains(65))
        #expect(!set.contains(100_000))
    }

    @Test("a union has the places of both")
    func union() {
        var first = PlaceSet()
        var second = PlaceSet()
        first.insert(1)
        second.insert(1)
        second.insert(200)
        first.formUnion(second)
        #expect(first.places == [1, 200])
        #expect(first.count == 2)
    }
}
