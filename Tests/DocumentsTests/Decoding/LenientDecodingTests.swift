import Documents
import FoundationEssentials
import Testing

@Suite("Lenient decoding")
struct LenientDecodingTests {
    @Test(
        "an integer from what means one",
        arguments: [
            (#""12""#, 12), (#"" -3 ""#, -3), (#""1.0""#, 1), (#""1e2""#, 100), ("true", 1),
            ("false", 0),
        ]
    )
    func integers(_ text: String, _ value: Int) throws {
        let result = try DocumentDecoder().decodeLeniently([Int].self, from: "[\(text)]")
        #expect(result.value == [value])
        #expect(result.coercions.map(\.path) == ["$[0]"])
        #expect(result.coercions.map(\.offset) == [1])
        #expect(result.coercions.map(\.source) == [text])
        #expect(result.coercions.map(\.result) == ["\(value)"])
    }

    @Test(
        "what would lose something stays an error",
        arguments: [#""1.5""#, #""x""#, "[]", "null", "{}"]
    )
    func refusals(_ text: String) {
        #expect(throws: DecodingError.self) {
            try DocumentDecoder().decodeLeniently(Int.self, from: text)
        }
    }

    @Test("a number in a string is as much out of range as one without quotes")
    func outOfRange() throws {
        let decoder = DocumentDecoder()
        for text in ["1e-400", "-1e-400", "1e400"] {
            #expect(throws: DecodingError.self) {
                try decoder.decodeLeniently(Double.self, from: "\"\(text)\"")
            }
        }
        #expect(throws: DecodingError.self) {
            try decoder.decodeLeniently(Float.self, from: #""1e-60""#)
        }
        #expect(try decoder.decodeLeniently(Double.self, from: #""0e-400""#).value == 0)
        #expect(try decoder.decodeLeniently(Double.self, from: #""1e-60""#).value == 1e-60)
    }

    @Test(
        "true and false from what means them",
        arguments: [
            ("1", true), (#""yes""#, true), (#""TRUE""#, true), (#""1""#, true), (#""on""#, true),
            ("0", false), (#""no""#, false), (#""off""#, false), ("1.0", true),
        ]
    )
    func booleans(_ text: String, _ value: Bool) throws {
        #expect(try DocumentDecoder().decodeLeniently(Bool.self, from: text).value == value)
    }

    @Test("what is no date is an error", arguments: [#""yesterday""#, #""""#, "{}", "null"])
    func wrongDate(_ text: String) {
        #expect(throws: DecodingError.self) {
            try DocumentDecoder().decodeLeniently([Date].self, from: "[\(text)]")
        }
    }

    @Test("text from numbers as they are written, numbers from text")
    func scalars() throws {
        let decoder = DocumentDecoder()
        #expect(try decoder.decodeLeniently(String.self, from: "1.10").value == "1.10")
        #expect(try decoder.decodeLeniently(String.self, from: "true").value == "true")
        #expect(try decoder.decodeLeniently(Double.self, from: #""1.5""#).value == 1.5)
        #expect(throws: DecodingError.self) {
            try decoder.decodeLeniently(Double.self, from: #""nan""#)
        }
    }

    private struct Account: Decodable, Equatable {
        @DecodingDefault<DecodingDefaults.Integer<18>> var age: Int
        @DecodingDefault<DecodingDefaults.True> var isActive: Bool
        @DecodingDefault<DecodingDefaults.OfType<[String]>> var tags: [String]
        var name: String
        var nick: String?
    }

    @Test("a declared default stands in for what is missing or null, strictly too")
    func declaredDefaults() throws {
        let text = #"{"name":"A","age":null}"#
        let strict = try DocumentDecoder().decode(Account.self, from: text)
        #expect(strict.age == 18 && strict.isActive && strict.tags.isEmpty)
        let result = try DocumentDecoder().decodeLeniently(Account.self, from: text)
        #expect(result.value == strict)
        #expect(result.coercions.map(\.path) == ["$.age", "$.isActive", "$.tags"])
        #expect(result.coercions.map(\.kind) == [.defaulted, .defaulted, .defaulted])
        #expect(result.coercions.map(\.result) == ["18", "true", "[]"])
    }

    @Test("leniently a declared default also stands in for what cannot be decoded")
    func undecodableDefault() throws {
        let text = #"{"name":"A","age":{},"isActive":"on","tags":["a"]}"#
        let result = try DocumentDecoder().decodeLeniently(Account.self, from: text)
        #expect(result.value.age == 18)
        #expect(result.coercions.map(\.path) == ["$.age", "$.isActive"])
    }

    @Test("on request every missing member has the default of its type")
    func typeDefaults() throws {
        struct Outer: Decodable, Equatable {
            var person: Inner
            var count: Int
            var ratio: Double
            var flag: Bool
            var list: [Inner]
            var map: [String: Int]
            var maybe: Int?
        }
        struct Inner: Decodable, Equatable { var name: String }
        var decoder = DocumentDecoder()
        decoder.lenience.missingValues = .typeDefault
        let result = try decoder.decodeLeniently(Outer.self, from: #"{"flag":null}"#)
        #expect(
            result.value
                == Outer(
                    person: Inner(name: ""),
                    count: 0,
                    ratio: 0,
                    flag: false,
                    list: [],
                    map: [:],
                    maybe: nil
                )
        )
        #expect(
            result.coercions.map(\.path) == [
                "$.person", "$.count", "$.ratio", "$.flag", "$.list", "$.map",
            ]
        )
        decoder.lenience.missingValues = .throw
        #expect(throws: DecodingError.self) { try decoder.decodeLeniently(Outer.self, from: "{}") }
    }

    private struct Page: Codable, Equatable, DecodingDefaultProviding {
        var size = 4
        var sort = "name"
        var isOpen = true
        var next: Int? = 9
        var frame = Frame(width: 2)
        struct Frame: Codable, Equatable { var width: Int }
        private enum CodingKeys: String, CodingKey {
            case size, isOpen, next, frame
            case sort = "order_by"
        }
        static var decodingDefault: Page { Page() }
    }

    private var forgiving: DocumentDecoder {
        var decoder = DocumentDecoder()
        decoder.lenience.missingValues = .typeDefault
        return decoder
    }

    @Test(
        "what a plain model declares stands in for what is missing, null or cannot be decoded",
        arguments: [
            "{}", #"{"size":null,"order_by":null,"isOpen":null,"frame":null}"#,
            #"{"size":[1],"order_by":{},"isOpen":"maybe","frame":{"width":"wide"}}"#,
        ]
    )
    func declaredByModel(_ text: String) throws {
        let result = try forgiving.decodeLeniently([Page].self, from: "[\(text)]")
        var expected = Page()
        // As every decoder has it.
        expected.next = nil
        #expect(result.value == [expected])
        #expect(
            result.coercions.map(\.path) == [
                "$[0].size", "$[0].isOpen", "$[0].frame", "$[0].order_by",
            ]
        )
        #expect(result.coercions.allSatisfy { $0.kind == .defaulted })
        #expect(result.coercions.first?.result == "4")
    }

    @Test("names with quotes and backslashes are escaped in the path of what is missing")
    func missingNames() throws {
        struct Row: Decodable {
            let first: Int
            let second: Int
            private enum CodingKeys: String, CodingKey {
                case first = "it's"
                case second = "a\\b"
            }
        }
        let result = try forgiving.decodeLeniently(Row.self, from: "{}")
        #expect(result.coercions.map(\.path) == [#"$['it\'s']"#, #"$['a\\b']"#])
        for coercion in result.coercions { _ = try JSONPath(parsing: coercion.path) }
    }

    @Test("what the text has counts, also in another form, and what is read strictly has no note")
    func declaredAndPresent() throws {
        let text = #"{"size":"7","order_by":"age","isOpen":0,"next":[],"frame":{"width":1}}"#
        let result = try forgiving.decodeLeniently(Page.self, from: text)
        #expect(result.value.size == 7)
        #expect(result.value.sort == "age")
        #expect(!result.value.isOpen)
        #expect(result.value.next == 9)
        #expect(result.value.frame.width == 1)
        #expect(result.coercions.map(\.kind) == [.converted, .converted, .defaulted])
        #expect(throws: DecodingError.self) {
            try DocumentDecoder().decodeLeniently(Page.self, from: "{}")
        }
        #expect(throws: DecodingError.self) { try forgiving.decode(Page.self, from: "{}") }
    }

    @Test("a model that cannot be encoded keeps its defaults by the names of its properties")
    func declaredByProperty() throws {
        struct Row: Decodable, DecodingDefaultProviding {
            var width = 80
            var wraps = true
            var label = "none"
            enum CodingKeys: String, CodingKey {
                case width, wraps
                case label = "title"
            }
            static var decodingDefault: Row { Row() }
        }
        let result = try forgiving.decodeLeniently(Row.self, from: #"{"wraps":[]}"#)
        #expect(result.value.width == 80 && result.value.wraps)
        #expect(result.value.label.isEmpty)
        #expect(result.coercions.prefix(2).map(\.result) == ["80", "true"])
    }

    @Test("inherited properties have their defaults, too")
    func declaredByClass() throws {
        class Shape: Decodable {
            var sides = 3
            init() {}
        }
        final class Named: Shape, DecodingDefaultProviding {
            private(set) var name = "triangle"
            private enum CodingKeys: CodingKey { case name }
            override init() { super.init() }
            required init(from decoder: any Decoder) throws {
                name = try decoder.container(keyedBy: CodingKeys.self)
                    .decode(String.self, forKey: .name)
                try super.init(from: decoder)
            }
            static var decodingDefault: Named { Named() }
        }
        let result = try forgiving.decodeLeniently(Named.self, from: "{}")
        #expect(result.value.name == "triangle")
        #expect(result.value.sides == 3)
    }

    @Test("a type that needs itself cannot be made from nothing")
    func endlessDefaults() {
        final class Endless: Decodable { let next: Endless }
        var decoder = DocumentDecoder()
        decoder.lenience.missingValues = .typeDefault
        #expect(throws: DecodingError.self) {
            try decoder.decodeLeniently(Endless.self, from: "{}")
        }
    }

    @Test("on request elements that cannot be decoded are left out and reported")
    func skippedElements() throws {
        var decoder = DocumentDecoder()
        decoder.lenience.undecodableElements = .skip
        let result = try decoder.decodeLeniently(
            [String: [Int]].self,
            from: #"{"a":[1,"x","2",{}],"b":3}"#
        )
        #expect(result.value == ["a": [1, 2]])
        #expect(result.coercions.map(\.kind) == [.skipped, .converted, .skipped, .skipped])
        #expect(result.coercions.map(\.path) == ["$.a[1]", "$.a[2]", "$.a[3]", "$.b"])
    }

    @Test("a type can say what it is made of")
    func coercible() throws {
        enum Size: String, DecodingCoercible {
            case small, large
            init?(coercing scalar: DecodingScalar) {
                guard case .number(let text) = scalar else { return nil }
                self = text == "0" ? .small : .large
            }
        }
        let result = try DocumentDecoder().decodeLeniently([Size].self, from: #"["small",7]"#)
        #expect(result.value == [.small, .large])
        #expect(result.coercions.map(\.path) == ["$[1]"])
        #expect(throws: DecodingError.self) {
            try DocumentDecoder().decodeLeniently(Size.self, from: #""huge""#)
        }
    }

    @Test("what decodes strictly decodes to the same, with nothing to report")
    func wellFormed() throws {
        enum Either: Decodable, Equatable {
            case number(Int)
            case text(String)
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Int.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }
        }
        let result = try DocumentDecoder().decodeLeniently([Either].self, from: #"["12",3]"#)
        #expect(result.value == [.text("12"), .number(3)])
        #expect(result.coercions.isEmpty)
    }
}
