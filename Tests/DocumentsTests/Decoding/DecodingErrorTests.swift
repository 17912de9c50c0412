import Documents
import Testing

@Suite("Decoding errors")
struct DecodingErrorTests {
    private struct Users: Decodable { var users: [User] }
    private struct User: Decodable { var age: Int }

    private func error<T: Decodable>(_ type: T.Type, _ text: String) throws -> DecodingError {
        try #require(
            #expect(throws: DecodingError.self) {
                try DocumentDecoder().decode(type, from: text)
            }
        )
    }

    @Test("a value of another kind: what was expected, what was found, and where")
    func mismatch() throws {
        let text = "{\"users\":[\n {\"age\":1},\n {\"é\":0, \"age\": \"old\"}]}"
        let error = try error(Users.self, text)
        #expect(
            error.decodingContext.debugDescription
                == "expected an integer at $.users[1].age, but found the string \"old\""
                + " (line 3, column 17, byte 40)"
        )
        #expect(error.decodingContext.codingPath.map(\.stringValue) == ["users", "Index 1", "age"])
        #expect(error.decodingContext.codingPath.map(\.intValue) == [nil, 1, nil])
        #expect(error.location?.path == "$.users[1].age")
        #expect(error.location?.offset == 40)
        #expect(error.location?.position == TextPosition(line: 3, column: 17))
    }

    @Test("a missing member, null, a number that is too large")
    func others() throws {
        #expect(
            try error(Users.self, #"{"users":[{}]}"#).decodingContext.debugDescription
                == #"the object at $.users[0] has no member "age" (line 1, column 11, byte 10)"#
        )
        #expect(
            try error(Users.self, #"{"users":null}"#).decodingContext.debugDescription
                == "expected an array at $.users, but found null (line 1, column 10, byte 9)"
        )
        #expect(
            try error([UInt8].self, "[1,300]").decodingContext.debugDescription
                == "the number 300 does not fit UInt8 at $[1] (line 1, column 4, byte 3)"
        )
        #expect(
            try error([Double].self, "[1e999]").decodingContext.debugDescription
                == "the number 1e999 does not fit Double at $[0] (line 1, column 2, byte 1)"
        )
    }

    @Test("a broken text: the fault's place")
    func broken() throws {
        let error = try error(Users.self, "{\"users\":\n[1,}")
        #expect(error.location?.position == TextPosition(line: 2, column: 4))
        #expect(error.location?.reason as? DocumentFault == DocumentFault(.expectedValue, at: 13))
    }

    @Test("an error of a type's own gets a place and keeps its words")
    func own() throws {
        struct Even: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                guard try container.decode(Int.self) % 2 == 0 else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "odd")
                }
            }
        }
        let error = try error([String: [Even]].self, #"{"a":[2,3]}"#)
        #expect(
            error.decodingContext.debugDescription == "odd at $.a[1] (line 1, column 9, byte 8)"
        )
        #expect(error.decodingContext.codingPath.map(\.stringValue) == ["a", "Index 1"])
        #expect(error.location?.offset == 8)
    }

    @Test("places are right when errors come in any order")
    func manyErrors() throws {
        struct Either: Decodable {
            var position: TextPosition?
            init(from decoder: any Decoder) throws {
                do {
                    _ = try decoder.singleValueContainer().decode(Bool.self)
                } catch let error as DecodingError {
                    position = error.location?.position
                }
            }
        }
        struct Backwards: Decodable {
            var b: Either
            var a: [Either]
        }
        let value = try DocumentDecoder().decode(
            Backwards.self,
            from: "{\"a\":[1,\n 2,\n3],\n\"b\": 4}"
        )
        #expect(value.b.position == TextPosition(line: 4, column: 6))
        #expect(
            value.a.map(\.position) == [
                TextPosition(line: 1, column: 7), TextPosition(line: 2, column: 2),
                TextPosition(line: 3, column: 1),
            ]
        )
    }
}
