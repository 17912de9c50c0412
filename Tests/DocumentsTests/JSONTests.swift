import Testing

@testable import Documents

@Suite("Dynamic values")
struct JSONTests {
    private static let text = #"""
        { "users": [ {"name": "Ada", "age": 36, "tags": ["a","b"], "address": {"zip": "0123"}},
                     {"name": "B\u00f6b", "age": 1.0e1, "admin": true, "boss": null} ],
          "big": 12345678901234567890, "price": 1.50, "dup": 1, "dup": 2 }
        """#

    private func json() throws -> JSON { try JSON(parsing: Self.text) }

    @Test("values are found by names, places and lists of steps")
    func finds() throws {
        let json = try json()
        #expect(json["users"][0]["name"].string == "Ada")
        #expect(json["users", 1, "name"].string == "Böb")
        #expect(json[path: ["users", 0, "address", "zip"]].string == "0123")
        #expect(json[path: []] == json)
        #expect(json["dup"].int == 2)
        #expect(json["users"].count == 2)
        #expect(json["users"].array?.map(\.stringValue) == ["", ""])
        #expect(json["users"][0].dictionary?["age"]?.int == 36)
        #expect(json.members.map(\.key) == ["users", "big", "price", "dup", "dup"])
        #expect(json["users"][0]["tags"].elements.map(\.stringValue) == ["a", "b"])
        #expect(Array(json["users"].members.map(\.key)).isEmpty)
    }

    @Test("numbers are exact, and keep their text")
    func readsNumbers() throws {
        let json = try json()
        #expect(json["users"][1]["age"].int == 10)
        #expect(json["big"].int == nil)
        #expect(json["big"].integer(as: UInt64.self) == 12_345_678_901_234_567_890)
        #expect(json["big"].numberText == "12345678901234567890")
        #expect(json["price"].int == nil)
        #expect(json["price"].double == 1.5)
        #expect(json["price"].numberText == "1.50")
        #expect(JSON(numberText: "01") == nil)
        #expect(JSON(numberText: " 1") == nil)
        #expect(JSON(numberText: "1e400")?.double == nil)
    }

    @Test(
        "integers are read at the ends of their types",
        arguments: [
            ("127", 127), ("128", nil), ("-128", -128), ("-129", nil), ("1270e-1", 127),
            ("12.5", nil), ("-0", 0), ("1e2", 100), ("1e99999999999999999999", nil), ("1e3", nil),
        ] as [(String, Int8?)]
    )
    func readsIntegers(text: String, expected: Int8?) throws {
        #expect(try JSON(parsing: text).integer() == expected)
        #expect(JSON(numberText: text)?.integer() == expected)
    }

    @Test("what is missing says where and why, and goes on being missing")
    func explainsAbsence() throws {
        let json = try json()
        let missing = json["users"][7]["name"][2]
        #expect(!missing.exists)
        #expect(missing.string == nil)
        #expect(missing.stringValue == "")
        #expect(missing.array == nil)
        #expect(missing.error?.reason == .indexOutOfRange)
        #expect(missing.error?.path == "$['users'][7]")
        #expect(missing.error?.furtherSteps == ["name", 2])
        #expect(json["users", 7, "name"].error == json["users"][7]["name"].error)
        #expect(json["users"]["x"].error?.reason == .notAnObject)
        #expect(json["price"][0].error?.reason == .notAnArray)
        #expect(json["users"][0]["x"].error?.reason == .noSuchMember)
        #expect(json["users"][-1].error?.reason == .indexOutOfRange)
        #expect(json["users"][1]["boss"].isNull)
        #expect(json["users"][1]["boss"].exists)
        let built: JSON = ["a": ["b": [1]]]
        #expect(built["a", "b", 3, "c"].error?.path == "$['a']['b'][3]")
        #expect(built["a", "b", 3, "c"].error?.furtherSteps == ["c"])
    }

    @Test("lenient accessors convert as far as it goes")
    func coerces() throws {
        let json: JSON = ["12", "1.9", "true", 1, 0, true, nil, "x", -3.7, " +5 ", "1e2", [1]]
        #expect(json.elements.map(\.intValue) == [12, 1, 0, 1, 0, 1, 0, 0, -3, 5, 100, 0])
        #expect(
            json.elements.map(\.boolValue) == [
                false, false, true, true, false, true, false, false, true, false, false, false,
            ]
        )
        #expect(
            json.elements.map(\.stringValue) == [
                "12", "1.9", "true", "1", "0", "true", "", "x", "-3.7", " +5 ", "1e2", "",
            ]
        )
        #expect(json.elements.map(\.doubleValue) == [12, 1.9, 0, 1, 0, 1, 0, 0, -3.7, 5, 100, 0])
        #expect(json.elements.map(\.floatValue) == [12, 1.9, 0, 1, 0, 1, 0, 0, -3.7, 5, 100, 0])
        let object: JSON = ["a": 1]
        #expect(object.dictionaryValue == ["a": 1])
        #expect(json.dictionaryValue.isEmpty)
        #expect(JSON("1e99").intValue == 0)
        #expect(JSON("18446744073709551615").integerValue(as: UInt64.self) == .max)
    }

    @Test("literals build values in their order")
    func builds() {
        let json: JSON = ["b": [1, 2.5, "x\n"], "a": ["t": true, "n": nil], "e": [], "o": [:]]
        #expect(json.text() == #"{"b":[1,2.5,"x\n"],"a":{"t":true,"n":null},"e":[],"o":{}}"#)
        #expect(JSON(Double.nan).isNull)
        #expect(JSON(1e21).text() == "1e+21")
        #expect(JSON(Float(0.1)).text() == "0.1")
    }

    @Test("equality is by value")
    func compares() throws {
        #expect(try JSON(parsing: #"{"a":1.0,"b":"\u0041"}"#) == ["b": "A", "a": 1])
        #expect(try JSON(parsing: #"{"a":1,"a":2}"#) != JSON(parsing: #"{"a":2,"a":1}"#))
        #expect(try JSON(parsing: "12345678901234567890") != JSON(parsing: "12345678901234567891"))
        #expect(JSON("é") != JSON("e\u{301}"))
        #expect(JSON("1") != 1)
        #expect(JSON.null != absent)
        #expect(Set<JSON>([1, 1.0, "1", nil, [1], [1.0]]).count == 4)
    }

    private var absent: JSON { JSON.null["x"] }

    @Test("a text that is broken is no value")
    func refusesBrokenTexts() {
        #expect(throws: DocumentFault.self) { try JSON(parsing: "[1,") }
        #expect(throws: DocumentFault.self) { try JSON(parsing: "") }
        let cut = JSON(document: .make("[1,"))
        #expect(throws: DocumentWritingError.self) { try cut.bytes() }
        #expect(cut == cut)
        #expect(cut[0].int == 1)
        #expect(!JSON(document: .make("")).exists)
    }
}
