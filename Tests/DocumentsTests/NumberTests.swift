import TestSupport
import Testing

@testable import Documents

@Suite struct NumberTests {
    private static let big = String(repeating: "1234567890", count: 10)

    @Test(
        "numbers of the same value are equal and hash alike, however they are written",
        arguments: [
            ["1", "1.0", "10e-1", "0.1E1", "1.000000000000000000000000000e+0", "100e-002"],
            ["0", "-0", "0.000", "0e99999999999999999999999", "-0.0E-7"],
            ["-12.5", "-125e-1", "-0.0125e3"],
            ["1e1000000000000", "10e999999999999", "0.001e1000000000003"],
            ["1e99999999999999999999", "10e99999999999999999998", "0.01e100000000000000000001"],
            ["1e1000000000000000000", "10e999999999999999999", "0.1e1000000000000000001"],
            ["1e-1000000000000000000", "10e-1000000000000000001", "0.1e-999999999999999999"],
            ["\(big)", "\(big).000", "\(big)0e-1", "0.\(big)e100"],
            ["9999999999999999999", "9.999999999999999999e18"],
        ]
    )
    func comparesByValue(spellings: [String]) throws {
        let numbers = try spellings.map { try #require(DecimalNumber($0)) }
        for number in numbers {
            #expect(number == numbers[0])
            #expect(number.hashValue == numbers[0].hashValue)
            #expect(!(number < numbers[0]) && !(numbers[0] < number))
        }
    }

    @Test("numbers are ordered by value without loss")
    func orders() throws {
        let ascending = [
            "-1e99999999999999999999", "-1e99999999999999999998", "-1E400", "-2\(Self.big)",
            "-1\(Self.big)", "-12.6", "-12.5", "-1", "-1e-400", "-1e-99999999999999999999", "0",
            "1e-99999999999999999999", "1e-99999999999999999998", "1e-400", "0.1",
            "0.10000000000000000000000000001", "1", "9007199254740992", "9007199254740993",
            "9999999999999999999", "10000000000000000000", "10000000000000000000.1",
            "10000000000000000000.12", "10000000000000000001", "9.9E399", "1E400", "11e399",
            "1e1000000000000", "1e99999999999999999998", "1e99999999999999999999",
        ]
        let numbers = try ascending.map { try #require(DecimalNumber($0)) }
        for (index, number) in numbers.enumerated() {
            for (other, second) in numbers.enumerated() {
                #expect((number < second) == (index < other), "\(number) \(second)")
                #expect((number == second) == (index == other), "\(number) \(second)")
            }
        }
    }

    @Test(
        "what JSON does not write so is no number",
        arguments: [
            "", "-", "+1", "01", "-01", "00", "1.", ".1", "1e", "1e+", "0x1", "1 ", " 1", "--1",
            "NaN", "Infinity", "1.e1", "1a", "1e1.5", "1_000", "１",
        ]
    )
    func refuses(text: String) {
        #expect(DecimalNumber(text) == nil)
    }

    @Test(
        "the nearest Double is found",
        arguments: [
            ("0", 0), ("1", 1), ("-1.5", -1.5), ("0.1", 0.1), ("123456789.125", 123_456_789.125),
            ("1e22", 1e22), ("1e23", 1e23), ("9007199254740993", 9_007_199_254_740_992),
            ("2.2250738585072014e-308", .leastNormalMagnitude), ("5e-324", .leastNonzeroMagnitude),
            ("1e-400", 0), ("1e400", .infinity), ("-1e400", -.infinity),
            ("1e99999999999999999999", .infinity), ("-1e-99999999999999999999", 0),
            ("1.7976931348623157e308", .greatestFiniteMagnitude),
            ("0.30000000000000004440892098500626161694", 0.30000000000000004),
        ]
    )
    func convertsToDouble(text: String, value: Double) throws {
        #expect(try #require(DecimalNumber(text)).doubleValue == value)
    }

    @Test("Double and exact order agree on random numbers, and descriptions read back")
    func agreesWithDouble() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let pair = (0..<2).map { _ in Double.random(in: -1000...1000, using: &generator) }
            let numbers = try pair.map { try #require(DecimalNumber($0.description)) }
            #expect((numbers[0] < numbers[1]) == (pair[0] < pair[1]))
            #expect(numbers[0].doubleValue == pair[0])
            #expect(DecimalNumber(numbers[0].description) == numbers[0])
            let integer = Int.random(in: .min ... .max, using: &generator)
            #expect(DecimalNumber(integer) == DecimalNumber(String(integer)))
            #expect(DecimalNumber(integer).description == String(integer))
        }
    }

    @Test(
        "numbers are described in their shortest form",
        arguments: [
            ("-0", "0"), ("10", "10"), ("1.50", "1.5e0"), ("1E400", "1e400"),
            ("12345678901234567890123", "1.2345678901234567890123e22"),
            ("-10e-99999999999999999999", "-1e-99999999999999999998"),
        ]
    )
    func describes(text: String, shortest: String) {
        #expect(DecimalNumber(text)?.description == shortest)
    }

    @Test("a document gives its numbers")
    func readsFromDocuments() {
        let document = Document.make(#"[1.50,"1",-3]"#)
        #expect(document.number(of: NodeIndex(1)) == DecimalNumber("1.5"))
        #expect(document.number(of: NodeIndex(2)) == nil)
        #expect(document.number(of: NodeIndex(3)) == DecimalNumber(-3))
    }
}
