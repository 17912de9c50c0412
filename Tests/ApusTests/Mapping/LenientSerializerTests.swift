import Apus
import Documents
import Testing

@Suite("Responses read leniently")
struct LenientSerializerTests {
    struct User: Decodable, Equatable {
        var id: Int
        var name: String
        var isActive: Bool
        var score: Double
    }

    @Test("a scalar of another kind is converted, and each conversion is noted")
    func coercions() throws {
        let response = Response.make(#"{"id":"12","name":12,"isActive":"yes","score":"1.5"}"#)
        let result = try response.value(using: .lenient(User.self))
        #expect(result.value == User(id: 12, name: "12", isActive: true, score: 1.5))
        #expect(result.coercions.map(\.path) == ["$.id", "$.name", "$.isActive", "$.score"])
        #expect(result.coercions.allSatisfy { $0.kind == .converted })
    }

    @Test("strictly the same is an error")
    func strict() {
        let response = Response.make(#"{"id":"12","name":12,"isActive":"yes","score":"1.5"}"#)
        #expect(
            mappingError { () throws(ApusError) in try response.value(using: .decodable(User.self))
            }?.code == 5004
        )
    }

    @Test("what decodes strictly has no notes")
    func silent() throws {
        let response = Response.make(#"{"id":1,"name":"a","isActive":false,"score":2}"#)
        #expect(try response.value(using: .lenient(User.self)).coercions.isEmpty)
    }

    @Test("a default that a property declares is kept, unlike a zero of its type")
    func declaredDefault() throws {
        struct Four: DecodingDefaultSource {
            static var decodingDefault: Int { 4 }
        }
        struct Page: Decodable {
            @DecodingDefault<Four> var size: Int
        }
        #expect(try Response.make("{}").value(using: .lenient(Page.self)).value.size == 4)
    }

    @Test(
        "missing members take their type's default and elements that won't do are left out, noted"
    )
    func missing() throws {
        let response = Response.make(#"{"list":[{"id":1},7,{"id":"2","name":"b"}]}"#)
        let result = try response.value(using: .lenient([User].self, at: "list"))
        #expect(result.value.map(\.id) == [1, 2])
        #expect(result.value.map(\.name) == ["", "b"])
        #expect(result.coercions.contains { $0.kind == .skipped })
        #expect(result.coercions.contains { $0.kind == .defaulted })
    }

    @Test("a missing value at the path is a default too, with a note")
    func missingRoot() throws {
        let result = try Response.make("{}").value(using: .lenient([User].self, at: "list"))
        #expect(result.value.isEmpty)
        #expect(result.coercions.map(\.kind) == [.defaulted])
    }

    @Test("a broken text is never forgiven")
    func broken() {
        let response = Response.make(#"{"id":1"#)
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .lenient(User.self))
        }
        #expect(error?.code == 5003)
    }
}
