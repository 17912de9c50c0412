import Testing

@testable import Documents

@Suite struct ContentHashTests {
    @Test(
        "numbers of the same value have the same hash, however they are written",
        arguments: [
            ["0", "-0", "0.0", "-0.00", "0e5"],
            ["1", "1.0", "10e-1", "0.1e1", "1.0000000000000000000"],
            ["-120", "-120.00", "-1.2e2", "-12E1"], ["0.00123", "1.23e-3", "0.0012300"],
            ["123456789012345678", "123456789012345678.0", "1.23456789012345678e17"],
            ["12345678901234567890123", "12345678901234567890123.0"],
        ]
    )
    func hashesNumbers(texts: [String]) {
        let hashes = texts.map { text in
            SubtreeHashing.hashes(of: text).last
        }
        #expect(Set(hashes).count == 1)
    }

    @Test("values that differ have hashes that differ")
    func tellsApart() {
        let texts = [
            "0", "1", "-1", "10", "0.1", "1.5", "\"1\"", "\"\"", "null", "true", "false", "[]",
            "{}",
            "[[]]", "[0]", "[null]", #"{"a":1}"#, #"{"b":1}"#, "[1,2]", "[2,1]", #"{"a":2,"b":1}"#,
            #"{"a":1,"b":2}"#, "1e400", "1e401", #""\ud800""#, #""\ud801""#,
        ]
        #expect(Set(texts.map { SubtreeHashing.hashes(of: $0)[0] }).count == texts.count)
    }
}

extension SubtreeHashing {
    fileprivate static func hashes(of text: String) -> [UInt64] {
        var hashing = SubtreeHashing(
            ComparedDocument(.make(text), ignored: NodeSet(), numbers: .value)
        )
        return hashing.run { false } ?? []
    }
}
