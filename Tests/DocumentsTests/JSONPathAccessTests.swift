import Testing

@testable import Documents

@Suite("JSON values at paths, and as members of decoded types")
struct JSONPathAccessTests {
    private let text = #"{"a":{"b":[{"age":7},{"x.y":8}],"0":1},"a":{"b":[{"age":9},{}],"0":2}}"#

    @Test(
        "a path finds the first value, of equal names the last",
        arguments: [
            ("a.b[0].age", 9), ("a>b>0>age", 9), ("a.0", 2), ("$.a.b[-2].age", 9), ("$..age", 7),
            ("$.a.b[?@.age > 8].age", 9),
        ]
    )
    func found(_ path: String, _ value: Int) throws {
        #expect(try JSON(parsing: text).at(path: path).int == value)
    }

    @Test("a path begins at the value that is asked, built values included")
    func starts() throws {
        let json = try JSON(parsing: text)["a"]["b"]
        #expect(try json.at(path: "$..age").int == 9)
        #expect(try json.at(path: "[0].age").int == 9)
        #expect(try json.at(path: "$").source?.node == json.source?.node)
        let built: JSON = ["list": [1, ["n": 2]], "last": 3]
        #expect(try built.at(path: "list[1].n").int == 2)
        #expect(try built.at(path: "$..n").int == 2)
        #expect(try built.at(path: "list[-1].n").int == 2)
    }

    @Test(
        "what a path does not find is missing, with a reason",
        arguments: [
            ("a.c.d", JSONAbsence.Reason.noSuchMember, "$['a']['c']"),
            ("a.b[2]", .indexOutOfRange, "$['a']['b'][2]"), ("a[0]", .notAnArray, "$['a'][0]"),
            ("a.b.c", .notAnObject, "$['a']['b']['c']"), ("$..q", .nothingMatches, "$['$..q']"),
        ]
    )
    func missing(_ path: String, _ reason: JSONAbsence.Reason, _ place: String) throws {
        let value = try JSON(parsing: text).at(path: path)
        #expect(value.error?.reason == reason)
        #expect(value.error?.path == place)
    }

    @Test("a text that is no path throws where it is wrong")
    func noPath() throws {
        let json = try JSON(parsing: text)
        let error = #expect(throws: JSONPathError.self) { try json.at(path: "a..b") }
        #expect(error?.column == 3)
    }

    @Test("a member of type JSON refers to the document that is decoded")
    func members() throws {
        struct Holder: Decodable {
            let name: String
            let extra: JSON
            let all: [JSON]
            let none: JSON?
        }
        let text = #"{"name":"x","extra":{"n":1.50},"all":[[],null],"none":null}"#
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        let holder = try DocumentDecoder().decode(Holder.self, from: document)
        #expect(holder.extra.source?.document === document)
        #expect(holder.extra.source?.node == document.member("extra", of: .root))
        #expect(holder.all.allSatisfy { $0.source?.document === document })
        #expect(holder.extra["n"].numberText == "1.50")
        #expect(holder.none == nil)
    }
}
