import Apus
import Documents
import Testing

@Suite("Responses as Mappable types")
struct MappedSerializerTests {
    struct User: Mappable, Equatable {
        var name = "nobody"
        var city: String?
        var age = 4

        init?(map: ObjectMap) {}

        mutating func mapping(map: ObjectMap) {
            name <- map["name"]
            city <- map["address.city"]
            age <- map["age"]
        }
    }

    @Test("a value and an array are mapped, at a path too; what is missing keeps its default")
    func values() throws {
        let response = Response.make(#"{"data":[{"name":"Ada","address":{"city":"London"}},{}]}"#)
        let users = try response.value(using: .mappable([User].self, at: "data"))
        #expect(users.map(\.name) == ["Ada", "nobody"])
        #expect(users.map(\.city) == ["London", nil])
        #expect(users.map(\.age) == [4, 4])
        #expect(try response.value(using: .mappable(User.self, at: "data[0]")).name == "Ada")
    }

    @Test("a property of another kind is an error with its place")
    func strict() {
        let response = Response.make("{\"name\":\"Ada\",\n\"age\":[]}")
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .mappable(User.self))
        }
        #expect(error?.code == 5004)
        #expect(error?.fault?.path == "$['age']")
        #expect(error?.fault?.line == 2)
        #expect(error?.response == response)
    }

    @Test("passed over with a note, when that is asked for")
    func noted() throws {
        let response = Response.make(#"[{"name":"Ada","age":[]},7]"#)
        let noted = try response.value(using: .lenientMappable([User].self))
        #expect(noted.value.map(\.name) == ["Ada"])
        #expect(noted.value.map(\.age) == [4])
        #expect(noted.problems.map(\.path) == ["$[0]['age']", "$[1]"])
    }

    @Test("what is no object, or not there, is an error either way")
    func absent() {
        #expect(
            mappingError { () throws(ApusError) in
                try Response.make("[]").value(using: .mappable(User.self))
            }?.code
                == 5004
        )
        let missing = mappingError { () throws(ApusError) in
            try Response.make("{}").value(using: .lenientMappable([User].self, at: "data"))
        }
        #expect(missing?.fault?.path == "$['data']")
    }

    @Test("a mapped value goes back to JSON")
    func backToJSON() throws {
        let user = try Response.make(#"{"name":"Ada","age":36}"#).value(using: .mappable(User.self))
        #expect(user.toJSONString() == #"{"name":"Ada","age":36}"#)
        #expect([user].toJSON()[0]["name"].string == "Ada")
    }
}
