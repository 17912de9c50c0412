import Terminal
import Testing

@testable import Explorer

@Suite("The time of finding", .serialized)
struct FindingBenchmark {
    private static let catalog = Catalog(
        name: "Large",
        nodes: (0..<100).map { group in
            let names = ["List", "Show", "Create", "Change", "Delete"]
            return .group(
                name: "Group \(group)",
                (0..<1_000).map { number in
                    let name = "\(names[number % 5]) thing \(group * 1_000 + number)"
                    return .target(.sample("Group \(group)/\(name)", name))
                }
            )
        }
    )

    /// How long each key takes.
    private func time(_ keys: [String], _ play: inout Play) -> [Duration] {
        keys.map { key in
            let start = ContinuousClock.now
            play.type(key)
            return ContinuousClock.now - start
        }
    }

    @Test("a letter in the palette among 100,000 targets")
    func palette() {
        var play = Play(catalog: Self.catalog)
        play.type(":")
        play.receive(.targetsIndexed(TargetIndex(Self.catalog)))
        let keys = ["s", "h", "o", "w", "space", "9", "9", "x"] + ["esc"]
        let times = time(keys, &play)
        print("palette, 100,000 targets:", zip(keys, times).map { "\($0) \($1)" })
        #expect(play.model.layers.picker == nil)
    }

    @Test("a letter in the filter of the list among 100,000 targets")
    func filter() {
        var play = Play(catalog: Self.catalog)
        play.type("/")
        let keys = ["s", "h", "o", "w", "space", "9", "9", "backspace"]
        print("filter, 100,000 targets:", zip(keys, time(keys, &play)).map { "\($0) \($1)" })
    }
}
