import Documents
import Testing

@testable import DemoAPI

@Suite("The formats of the demo API")
struct CodingTests {
    static let inputs: [[UInt8]] = [
        [],
        [7],
        Array("abc".utf8),
        [UInt8](repeating: 0, count: 100_000),
        Array(0...255) + Array(0...255),
        (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) },
        {
            var generator = SeededGenerator(seed: 1)
            return (0..<50_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }(),
    ]

    @Test("gzip expands what was compressed to what it was", arguments: inputs)
    func gzip(_ input: [UInt8]) throws {
        try #expect(GzipProgram.expand(Zlib.compress(input, as: .gzip)) == input)
    }

    @Test("control letters are escaped in JSON")
    func escapes() {
        let text = String(decoding: JSON("a\"\\\n\u{1}\u{1F}é").compact, as: UTF8.self)
        #expect(text == #""a\"\\\n\u0001\u001fé""#)
    }

    @Test("cents are written with two decimals", arguments: [(5, "0.05"), (-1234, "-12.34")])
    func cents(_ amount: Int, _ text: String) {
        #expect(JSON.cents(amount) == .number(text))
    }
}
