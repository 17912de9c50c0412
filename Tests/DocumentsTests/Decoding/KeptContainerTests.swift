import Documents
import Testing

@Suite("Containers that are used more than once, or kept")
struct KeptContainerTests {
    @Test("a container that a value keeps still reads its own object after the decode")
    func keptContainers() throws {
        let kept = try DocumentDecoder().decode([Kept].self, from: #"[{"n":1},{"n":2},{"n":3}]"#)
        #expect(try kept.map { try $0.number() } == [1, 2, 3])
    }

    @Test("a decoder that a value keeps still makes containers after the decode")
    func keptDecoders() throws {
        let text = #"[{"n":1},{"n":2}]"#
        var kept = try DocumentDecoder().decode([KeptDecoder].self, from: text)
        let containers = try kept.map { try $0.decoder.container(keyedBy: Kept.CodingKeys.self) }
        kept = []
        #expect(try containers.map { try $0.decode(Int.self, forKey: .n) } == [1, 2])
    }

    @Test("a container that was let go of is not seen by the next object of its type")
    func usedContainers() throws {
        let text = #"[{"n":1,"inner":{"n":2}},{"inner":{"inner":{"n":4},"n":5}},{}]"#
        let found = try DocumentDecoder().decode([Chained].self, from: text)
        #expect(found[0].n == 1 && found[0].inner?.first?.n == 2)
        #expect(found[1].n == nil && found[1].inner?.first?.inner?.first?.n == 4)
        #expect(found[2].n == nil && found[2].inner == nil)
    }

    @Test("two containers of one object read it independently")
    func twoContainers() throws {
        let pairs = try DocumentDecoder().decode(
            [Twice].self,
            from: #"[{"a":1,"b":2},{"b":4,"a":3}]"#
        )
        #expect(pairs == [Twice(a: 1, b: 2), Twice(a: 3, b: 4)])
    }

    @Test("objects deep inside each other are all decoded")
    func deepObjects() throws {
        let deep =
            String(repeating: #"{"n":7,"inner":"#, count: 200) + "{}"
            + String(repeating: "}", count: 200)
        var chained = try DocumentDecoder().decode(Chained.self, from: deep)
        var depth = 0
        while let inner = chained.inner?.first {
            #expect(chained.n == 7)
            chained = inner
            depth += 1
        }
        #expect(depth == 200 && chained.n == nil)
    }

    @Test(
        "objects of changing forms are read by their names",
        arguments: [
            #"[{"a":1,"b":2},{"b":4,"a":3},{"b":6,"x":0,"a":5},{"a":7,"b":8,"x":0},{"a":9,"b":10}]"#,
            #"[{"a":1,"b":2},{"x":0,"a":3,"b":4},{"a":5,"x":[{}],"b":6},{"a":7,"b":8},{"a":9,"b":10}]"#,
            #"[{"a":1,"b":2},{"a":0,"a":3,"b":4},{"\u0061":5,"b":6},{"b":8,"a":7},{"a":9,"b":10}]"#,
        ]
    )
    func changingForms(text: String) throws {
        let found = try DocumentDecoder().decode([Twice].self, from: text)
        #expect(found.map(\.a) == [1, 3, 5, 7, 9] && found.map(\.b) == [2, 4, 6, 8, 10])
    }

    @Test("names that differ only inside are told apart; of equal names the last counts")
    func alikeNames() throws {
        let text =
            #"{"abc":1,"axc":2,"":3,"axc":4,"ac":5,"a":6,"long-name-1-z":7,"long-name-2-z":8}"#
        let found = try DocumentDecoder().decode([Members].self, from: "[\(text),{},\(text)]")
        for members in [found[0], found[2]] {
            #expect(
                members.names == ["abc", "", "axc", "ac", "a", "long-name-1-z", "long-name-2-z"]
            )
            #expect(members.values == [1, 3, 4, 5, 6, 7, 8])
            #expect(members.hasOther == false)
        }
        #expect(found[1].names.isEmpty)
    }

    @Test("an object of any width is read by its names", arguments: [1, 31, 32, 33, 200])
    func widths(count: Int) throws {
        let text = (0..<count).map { "\"member\($0)\":\($0)" }.joined(separator: ",")
        let members = try DocumentDecoder().decode(Members.self, from: "{\(text),\"member0\":-1}")
        #expect(members.names == (1..<count).map { "member\($0)" } + ["member0"])
        #expect(members.values == Array(1..<count) + [-1])
        #expect(members.hasOther == false)
    }

    /// All members that an object has, and whether it says that it has one more.
    private struct Members: Decodable {
        let names: [String]
        let values: [Int]
        let hasOther: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            names = container.allKeys.map(\.stringValue)
            values = try container.allKeys.map { try container.decode(Int.self, forKey: $0) }
            hasOther = container.contains(AnyKey(stringValue: "other"))
        }
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Kept: Decodable {
        enum CodingKeys: CodingKey { case n }
        let container: KeyedDecodingContainer<CodingKeys>

        init(from decoder: any Decoder) throws {
            container = try decoder.container(keyedBy: CodingKeys.self)
        }

        func number() throws -> Int { try container.decode(Int.self, forKey: .n) }
    }

    private struct KeptDecoder: Decodable {
        let decoder: any Decoder

        init(from decoder: any Decoder) throws { self.decoder = decoder }
    }

    private struct Chained: Decodable {
        enum CodingKeys: CodingKey { case n, inner }
        let n: Int?
        let inner: [Chained]?

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            inner = try container.decodeIfPresent(Chained.self, forKey: .inner).map { [$0] }
            n = try container.decodeIfPresent(Int.self, forKey: .n)
        }
    }

    private struct Twice: Decodable, Equatable {
        enum CodingKeys: CodingKey { case a, b }
        let a: Int
        let b: Int

        init(a: Int, b: Int) {
            self.a = a
            self.b = b
        }

        init(from decoder: any Decoder) throws {
            let one = try decoder.container(keyedBy: CodingKeys.self)
            let other = try decoder.container(keyedBy: CodingKeys.self)
            b = try other.decode(Int.self, forKey: .b)
            a = try one.decode(Int.self, forKey: .a)
        }
    }
}
