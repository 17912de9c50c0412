import TestSupport
import Testing

@testable import Documents

@Suite struct DiffSequenceTests {
    /// The length of a longest common part, by the table that everybody knows.
    private func longestCommon(_ a: [UInt64], _ b: [UInt64]) -> Int {
        var row = [Int](repeating: 0, count: b.count + 1)
        for x in a {
            var diagonal = 0
            for (j, y) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = x == y ? diagonal + 1 : max(above, row[j])
                diagonal = above
            }
        }
        return row[b.count]
    }

    private func expectValid(_ alignment: SequenceAlignment, _ a: [UInt64], _ b: [UInt64]) {
        var last = (a: -1, b: -1)
        for match in alignment.matches {
            #expect(match.a > last.a && match.b > last.b)
            #expect(a[match.a] == b[match.b])
            last = match
        }
    }

    @Test("small rows keep as much as possible", arguments: 0..<200)
    func keepsMost(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        func row() -> [UInt64] {
            let count = Int.random(in: 0..<40, using: &generator)
            return (0..<count).map { _ in
                UInt64.random(in: 0..<UInt64(2 + seed % 30), using: &generator)
            }
        }
        let a = row()
        let b = row()
        let alignment = SequenceAlignment(a, b)
        expectValid(alignment, a, b)
        #expect(alignment.matches.count == longestCommon(a, b))
    }

    static let count = 30_000

    @Test(
        "long rows of every kind cost a bounded number of steps",
        arguments: [
            "equal", "different", "rotated", "reversed", "coin", "periods", "removed",
            "shuffled twins",
        ]
    )
    func isBounded(kind: String) {
        let (a, b) = Self.rows(kind)
        let alignment = SequenceAlignment(a, b)
        expectValid(alignment, a, b)
        #expect(alignment.work <= 80 * (a.count + b.count) + 1 << 21)
        switch kind {
        case "equal": #expect(alignment.matches.count == b.count)
        case "different": #expect(alignment.matches.isEmpty)
        case "rotated": #expect(alignment.matches.count == a.count * 2 / 3)
        case "reversed": #expect(alignment.matches.count == 1)
        case "removed": #expect(alignment.matches.count == b.count)
        default: #expect(alignment.matches.count > b.count / 100)
        }
    }

    private static func rows(_ kind: String) -> ([UInt64], [UInt64]) {
        var generator = SeededGenerator(seed: 7)
        let numbers = (0..<UInt64(count)).map { $0 }
        switch kind {
        case "equal":
            return (Array(repeating: 1, count: count), Array(repeating: 1, count: count - 77))
        case "different": return (numbers, numbers.map { $0 + UInt64(count) })
        case "rotated": return (numbers, Array(numbers[(count / 3)...] + numbers[..<(count / 3)]))
        case "reversed": return (numbers, numbers.reversed())
        case "coin":
            return (
                numbers.map { _ in .random(in: 0...1, using: &generator) },
                numbers.map { _ in .random(in: 0...1, using: &generator) }
            )
        case "periods": return (numbers.map { $0 % 7 }, numbers.map { $0 % 11 })
        case "removed":
            let twins = numbers.map { $0 / 3 }
            return (twins, twins.enumerated().filter { $0.offset % 1000 != 5 }.map(\.element))
        default:
            return (
                numbers.map { $0 / 2 }.shuffled(using: &generator),
                numbers.map { $0 / 2 }.shuffled(using: &generator)
            )
        }
    }

    @Test(
        "big arrays are compared and patched as a whole",
        arguments: ["equal", "rotated", "coin", "removed"]
    )
    func patchesBigArrays(kind: String) throws {
        let (a, b) = Self.rows(kind)
        func document(_ row: [UInt64]) -> Document {
            .make("[" + row.prefix(5000).map { String($0) }.joined(separator: ",") + "]")
        }
        let left = document(a)
        let right = document(b)
        let diff = DocumentDiff(between: left, and: right)
        #expect(
            try diff.patch().apply(to: left).sourceText(of: .root) == right.sourceText(of: .root)
        )
    }
}
