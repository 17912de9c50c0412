import Documents
import Foundation
import TestSupport
import Testing

@Suite("DocumentDecoder decodes as JSONDecoder does")
struct DocumentDecoderConformanceTests {
    static let texts = [
        "null", "true", "false", "0", "-0", "1", "-1", "12", "127", "128", "-128", "-129", "255",
        "256", "32768", "65536", "2147483648", "4294967296", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "18446744073709551615", "18446744073709551616", "1.0", "1.5", "-1.0", "1e2", "1E+2",
        "15e-1", "100e-2", "0.1", "123456.789", "1e22", "1e23", "1.7976931348623157e308",
        "5e-324", "2.2250738585072014e-308", "0.30000000000000004", "3.4028234e38",
        "9007199254740993", "1e-7", #""""#, #""a""#, #""12""#, #""é日本😀""#, #""\u00e9\n\"\\\/""#,
        #""\ud83d\ude00""#, #""red""#, #""blue""#, #""https://a.b/c?d=e""#, #""aGVsbG8=""#,
        #""2026-11-21T12:00:00Z""#, "[]", "[1]", "[1,2,3]", "[1,null]", #"["a","b"]"#,
        #"[1,"a"]"#, "[[1],[2]]", "[1.5,2]", "[true]", "{}", #"{"a":1}"#, #"{"a":1,"b":2}"#,
        #"{"a":null}"#, #"{"a":{"b":1}}"#, #"{"1":"x"}"#, #"{"":1}"#, #"{"a b":1,"é":2}"#,
        #"{"name":"Ann","age":3,"tags":["x"]}"#, #"{"tags":[],"age":3,"nick":null,"name":"A"}"#,
        #"{"name":"Ann","age":"3","tags":[]}"#, #"{"name":"Ann","tags":[]}"#,
        #"{"name":null,"age":3,"tags":[]}"#, #"{"name":"Ann","age":3,"tags":[1]}"#,
        #"{"n\u0061me":"Ann","\u0061ge":3,"tags":[]}"#, #"{"circle":{"radius":2}}"#,
        #"{"square":{"_0":4}}"#, #"{"empty":{}}"#, #"{"circle":{},"empty":{}}"#,
        #"{"triangle":{}}"#, #"{"name":"Rex","super":{"legs":4}}"#, #"{"name":"Rex"}"#,
        #"{"inner":[{"inner":[]},{"inner":[{"inner":[]}]}]}"#, "", " ", "[1,", "tru", "[1 2]",
        "{\"a\"}", "1 2", " 1 ", "nul", "\"a", "+1", ".5",
    ]

    @Test("every scalar of every text", arguments: texts)
    func scalars(_ text: String) {
        expectSame(Bool.self, text)
        expectSame(String.self, text)
        expectSame(Int.self, text)
        expectSame(Int8.self, text)
        expectSame(Int16.self, text)
        expectSame(Int32.self, text)
        expectSame(Int64.self, text)
        expectSame(UInt.self, text)
        expectSame(UInt8.self, text)
        expectSame(UInt16.self, text)
        expectSame(UInt32.self, text)
        expectSame(UInt64.self, text)
        expectSame(Double.self, text)
        expectSame(Float.self, text)
    }

    @Test("every other type of every text", arguments: texts)
    func types(_ text: String) {
        expectSame(Int?.self, text)
        expectSame([Int].self, text)
        expectSame([Int?].self, text)
        expectSame([String].self, text)
        expectSame([Double].self, text)
        expectSame([UInt8].self, text)
        expectSame([[Int]].self, text)
        expectSame(Set<Int>.self, text)
        expectSame([String: Int?]?.self, text)
        expectSame(Person.self, text)
        expectSame([Person]?.self, text)
        expectSame(Shape.self, text)
        expectSame(Colour.self, text)
        expectSame(Level.self, text)
        expectSame(Dog.self, text)
        expectSame(Nest.self, text)
        expectSame(URL.self, text)
        expectSame(Decimal.self, text)
        expectSame(Data.self, text)
        expectSame(Date.self, text)
        expectSame(ClosedRange<Int>.self, text)
    }

    @Test(
        "what JSONDecoder reads and RFC 8259 forbids is refused",
        arguments: ["[1,]", "[01]", "-", "1."]
    )
    func strictness(_ text: String) {
        #expect(
            DecodingOutcome { try DocumentDecoder().decode([Int].self, from: text) }
                == .error("dataCorrupted")
        )
    }

    @Test("every question to every container")
    func containers() {
        expectSame(Prober.self, Prober.text)
        expectSame([Prober].self, "[\(Prober.text)]")
    }

    @Test(
        "names in snake case",
        arguments: [
            "one", "one_two", "one_two_three", "_one_two", "__one_two__", "one__two", "_", "__",
            "", "oneTwo", "one_Two", "ONE_TWO", "ONE", "one_2_three", "one_2three", "url_string",
            "é_ü", "a_b_c", "one_two_", "_one", "one-two_three", "x_straße", "a_日本",
        ]
    )
    func snakeCase(_ name: String) {
        struct Names: Decodable, CustomDebugStringConvertible {
            struct Key: CodingKey {
                var stringValue: String
                var intValue: Int? { nil }
                init?(stringValue: String) { self.stringValue = stringValue }
                init?(intValue: Int) { nil }
            }
            var debugDescription: String
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let values = try container.allKeys.map {
                    "\($0.stringValue)=\(try container.decode(Int.self, forKey: $0))"
                }
                debugDescription = values.joined(separator: ",")
            }
        }
        var ours = DocumentDecoder()
        ours.keyDecodingStrategy = .convertFromSnakeCase
        let theirs = JSONDecoder()
        theirs.keyDecodingStrategy = .convertFromSnakeCase
        expectSame(Names.self, "{\"\(name)\":1}", ours: ours, theirs: theirs)
        expectSame([String: Int].self, "{\"\(name)\":1}", ours: ours, theirs: theirs)
    }

    @Test(
        "dates",
        arguments: [
            "0", "1.5", "1700000000", "-1", #""2026-11-21T12:00:00Z""#, #""2024-02-29T00:00:00Z""#,
            #""2026-11-21T12:00:00+01:00""#, #""2026-11-21T12:00:00.5Z""#,
            #""1970-01-01T00:00:00Z""#,
            #""0001-01-01T00:00:00Z""#, #""2026-02-31T00:00:00Z""#, #""2026-13-01T00:00:00Z""#,
            #""1900-03-01T23:59:59Z""#, #""2000-02-28T23:59:59Z""#, #""2026-11-21""#, #""x""#,
            "null",
            #""2026-11-21T24:00:00Z""#, #""2026-11-21T12:60:00Z""#, #""2026-11-21T12:00:60Z""#,
        ]
    )
    func dates(_ text: String) {
        var ours = DocumentDecoder()
        let theirs = JSONDecoder()
        expectSame(Date.self, text, ours: ours, theirs: theirs)
        ours.dateDecodingStrategy = .secondsSince1970
        theirs.dateDecodingStrategy = .secondsSince1970
        expectSame(Date.self, text, ours: ours, theirs: theirs)
        ours.dateDecodingStrategy = .millisecondsSince1970
        theirs.dateDecodingStrategy = .millisecondsSince1970
        expectSame([String: Date].self, "{\"a\":\(text)}", ours: ours, theirs: theirs)
        ours.dateDecodingStrategy = .iso8601
        theirs.dateDecodingStrategy = .iso8601
        expectSame([Date].self, "[\(text)]", ours: ours, theirs: theirs)
        ours.dateDecodingStrategy = .custom { decoder in
            Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) * 2)
        }
        theirs.dateDecodingStrategy = .custom { decoder in
            Date(timeIntervalSince1970: try decoder.singleValueContainer().decode(Double.self) * 2)
        }
        expectSame(Date.self, text, ours: ours, theirs: theirs)
    }

    @Test(
        "data",
        arguments: [#""aGVsbG8=""#, #""x""#, "[1,2,255]", "[1,256]", "null", #""""#, "{}"]
    )
    func data(_ text: String) {
        var ours = DocumentDecoder()
        let theirs = JSONDecoder()
        expectSame(Data.self, text)
        ours.dataDecodingStrategy = .deferredToData
        theirs.dataDecodingStrategy = .deferredToData
        expectSame(Data.self, text, ours: ours, theirs: theirs)
        ours.dataDecodingStrategy = .custom { _ in Data([1]) }
        theirs.dataDecodingStrategy = .custom { _ in Data([1]) }
        expectSame(Data.self, text, ours: ours, theirs: theirs)
    }

    @Test("numbers that JSON lacks", arguments: [#""inf""#, #""-inf""#, #""nan""#, #""x""#, "1.5"])
    func nonConforming(_ text: String) {
        var ours = DocumentDecoder()
        ours.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        let theirs = JSONDecoder()
        theirs.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        expectSame(Double.self, text, ours: ours, theirs: theirs)
        expectSame([Float].self, "[\(text)]", ours: ours, theirs: theirs)
        expectSame(Double.self, text)
    }

    @Test("random doubles, to the last bit")
    func randomDoubles() throws {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<5000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            let decoded = try DocumentDecoder().decode(Double.self, from: "\(value)")
            #expect(decoded.bitPattern == value.bitPattern)
            let small = Double(Int64(bitPattern: generator.next()) >> 20) / 1e6
            #expect(try DocumentDecoder().decode(Double.self, from: "\(small)") == small)
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            guard float.isFinite else { continue }
            #expect(try DocumentDecoder().decode(Float.self, from: "\(float)") == float)
        }
    }

    @Test("numbers of up to 19 digits and any place of the point are rounded correctly")
    func longNumbers() throws {
        var generator = SeededGenerator(seed: 19)
        for _ in 0..<5000 {
            let digits = generator.next() >> UInt64.random(in: 0..<64, using: &generator)
            let exponent = Int.random(in: -40...30, using: &generator)
            let text = "\(digits)e\(exponent)"
            #expect(try DocumentDecoder().decode(Double.self, from: text) == Double(text))
        }
    }

    @Test(
        "numbers halfway between two doubles are rounded to the even one",
        arguments: [
            "9007199254740993.0", "9007199254740995.0", "9007199254740993e-1",
            "0.9999999999999999445", "0.99999999999999995", "1.8014398509481985",
            "4503599627370496.5", "4503599627370497.5", "4503599627370497.501",
            "1125899906842624.125", "1125899906842624.375", "1125899906842624.1250000001",
            "18014398509481983.9", "0.1000000000000000055", "9999999999999999999e-27",
            "1.0000000000000001110", "1.0000000000000001111", "-9007199254740993.0",
        ]
    )
    func ties(text: String) throws {
        let value = try DocumentDecoder().decode(Double.self, from: text)
        #expect(value.bitPattern == Double(text)?.bitPattern)
    }
}
