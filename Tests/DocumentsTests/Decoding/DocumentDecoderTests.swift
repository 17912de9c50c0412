import Documents
import FoundationEssentials
import Testing

@Suite("DocumentDecoder")
struct DocumentDecoderTests {
    @Test("of equal keys the last counts, with escapes too")
    func duplicates() throws {
        let text = #"{"name":"A","age":1,"tags":[],"\u0061ge":2,"name":"B"}"#
        let person = try DocumentDecoder().decode(Person.self, from: text)
        #expect(person == Person(name: "B", age: 2, tags: []))
        #expect(
            try DocumentDecoder().decode([String: Int].self, from: #"{"a":1,"a":2}"#) == ["a": 2]
        )
    }

    @Test("objects beside each other may differ in order, names and repetition")
    func mixedObjects() throws {
        let text = """
            [{"name":"A","age":1,"tags":[]},{"tags":[],"age":2,"name":"B"},
            {"name":"x","age":3,"tags":[],"name":"C"},{"name":"D","more":{"age":9},"age":4,"tags":[]},
            {"name":"E","age":5,"tags":[]}]
            """
        let people = try DocumentDecoder().decode([Person].self, from: text)
        #expect(people.map(\.name) == ["A", "B", "C", "D", "E"])
        #expect(people.map(\.age) == [1, 2, 3, 4, 5])
    }

    @Test("an object of more than 32 members")
    func wideObject() throws {
        let more = (0..<1000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let text = "{\(more),\"name\":\"A\",\"age\":1,\"tags\":[]}"
        #expect(try DocumentDecoder().decode(Person.self, from: text).age == 1)
        #expect(try DocumentDecoder().decode([String: Int].self, from: "{\(more)}").count == 1000)
    }

    @Test("integers are exact however they are written")
    func exactIntegers() throws {
        let decoder = DocumentDecoder()
        #expect(try decoder.decode(Int.self, from: "9007199254740993.0") == 9_007_199_254_740_993)
        #expect(try decoder.decode(Int.self, from: "922337203685477580.7e1") == .max)
        #expect(try decoder.decode(Int.self, from: "-9.223372036854775808E18") == .min)
        #expect(try decoder.decode(Int.self, from: "0e99999999999999999999") == 0)
        #expect(throws: DecodingError.self) {
            try decoder.decode(Int.self, from: "1e99999999999999")
        }
        #expect(
            try decoder.decode(UInt128.self, from: "340282366920938463463374607431768211455")
                == .max
        )
        #expect(
            try decoder.decode([Int128].self, from: "[-170141183460469231731687303715884105728]")
                == [.min]
        )
    }

    @Test("a Decimal keeps what a Double would lose")
    func decimals() throws {
        let decimal = try DocumentDecoder().decode(
            Decimal.self,
            from: "0.1234567890123456789012345678"
        )
        #expect("\(decimal)" == "0.1234567890123456789012345678")
    }

    @Test("values at a node and at a path")
    func places() throws {
        let text = #"{"a":{"b":[{"age":7},{"x.y":8}]}}"#
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        let decoder = DocumentDecoder()
        #expect(try decoder.decode(Int.self, from: document, at: "a.b[0].age") == 7)
        #expect(try decoder.decode(Int.self, from: document, at: "a>b>0>age") == 7)
        #expect(try decoder.decode(Int.self, from: document, at: "$.a['b'][1][\"x.y\"]") == 8)
        #expect(try decoder.decode(Int.self, from: document, at: "$..age") == 7)
        #expect(try decoder.decode(Int.self, from: document, at: "a.b[-1]['x.y']") == 8)
        #expect(
            try decoder.decode([String: Int].self, from: document, at: NodeIndex(3)) == ["age": 7]
        )
    }

    @Test(
        "a path that leads nowhere names the part that is missing",
        arguments: [
            ("a.c.d", #"the object at $.a has no member "c""#),
            ("a.b[2].x", "the array at $.a.b has no element 2; it has 2 elements"),
            ("a.b.x", "expected an object at $.a.b, but found an array"),
            ("a.b[0].age.z", "expected an object at $.a.b[0].age, but found the number 7"),
            ("a..b", "\"a..b\" is not a valid path: column 3"),
            ("a[", "\"a[\" is not a valid path"),
            ("a[0]", "expected an array at $.a, but found an object"),
            ("a.0", #"the object at $.a has no member "0""#), ("$..c", "nothing matches \"$..c\""),
        ]
    )
    func missingPlaces(_ path: String, _ message: String) throws {
        let text = #"{"a":{"b":[{"age":7},{"x.y":8}]}}"#
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        let error = #expect(throws: DecodingError.self) {
            try DocumentDecoder().decode(Int.self, from: document, at: path)
        }
        #expect(try #require(error).decodingContext.debugDescription.hasPrefix(message))
    }

    @Test("a type that takes nodes gets the node, in arrays, dictionaries and optionals too")
    func nodes() throws {
        struct Raw: NodeDecodable {
            let text: String
            init(document: Document, node: NodeIndex) { text = document.sourceText(of: node) }
            init(from decoder: any Decoder) throws { text = "" }
        }
        struct Holder: Decodable {
            var one: Raw
            var some: [String: Raw?]
            var all: [Raw]
        }
        let text = #"{"one":{"x": 1},"some":{"a":1.50},"all":[[ ],"b"]}"#
        let holder = try DocumentDecoder().decode(Holder.self, from: text)
        #expect(holder.one.text == #"{"x": 1}"#)
        #expect(holder.some["a"]??.text == "1.50")
        #expect(holder.all.map(\.text) == ["[ ]", #""b""#])
    }

    @Test("custom keys get the path, formatted dates the string, types the user info")
    func strategies() throws {
        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            path.count > 1 ? StrategyKey("age") : StrategyKey(path[0].stringValue.lowercased())
        }
        struct Outer: Decodable {
            var inner: [String: Int]
            var one: One
        }
        struct One: Decodable { var age: Int }
        let outer = try decoder.decode(Outer.self, from: #"{"INNER":{"B":1},"One":{"any":5}}"#)
        #expect(outer.inner == ["B": 1])
        #expect(outer.one.age == 5)
        decoder.dateDecodingStrategy = .formatted { text in
            Date(timeIntervalSince1970: try #require(Double(text.dropFirst())))
        }
        #expect(
            try decoder.decode(Date.self, from: #""@5""#) == Date(timeIntervalSince1970: 5)
        )
        decoder.dateDecodingStrategy = .parsed(by: Date.ISO8601FormatStyle().year().month().day())
        #expect(
            try decoder.decode(Date.self, from: #""1970-01-02""#)
                == Date(timeIntervalSince1970: 86400)
        )
        struct Told: Decodable {
            var word: String?
            init(from decoder: any Decoder) {
                word = CodingUserInfoKey(rawValue: "word").flatMap {
                    decoder.userInfo[$0] as? String
                }
            }
        }
        decoder.userInfo[try #require(CodingUserInfoKey(rawValue: "word"))] = "hello"
        #expect(try decoder.decode(Told.self, from: "1").word == "hello")
    }

    @Test("a hostile text for a recursive type is an error")
    func depth() {
        let text =
            String(repeating: #"{"inner":["#, count: 100_000)
            + String(repeating: "]}", count: 100_000)
        #expect(throws: DecodingError.self) { try DocumentDecoder().decode(Nest.self, from: text) }
    }

    @Test("any node of a random document decodes or throws, as any type")
    func randomDocuments() {
        for seed in 0..<200 {
            let text = RandomJSON(seed: UInt64(seed)).spaced
            for decode in [
                decodes(Person.self), decodes([String: Nest].self), decodes([Int?].self),
            ] {
                let (strict, lenient) = decode(text)
                #expect(!strict || lenient)
            }
        }
    }

    private func decodes<T: Decodable>(_ type: T.Type) -> (String) -> (Bool, Bool) {
        { text in
            let strict = (try? DocumentDecoder().decode(type, from: text)) != nil
            return (strict, (try? DocumentDecoder().decodeLeniently(type, from: text)) != nil)
        }
    }
}

private struct StrategyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension DecodingError {
    var decodingContext: Context {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context), .dataCorrupted(let context):
            context
        @unknown default: Context(codingPath: [], debugDescription: "")
        }
    }

    var location: DecodingLocation? { decodingContext.underlyingError as? DecodingLocation }
}
