import Apus
import Documents
import Testing

@Suite("Responses as Decodable types")
struct DecodableSerializerTests {
    struct User: Codable, Equatable, Sendable {
        var name: String
        var age: Int
    }

    struct Options: Decodable, Equatable, Sendable {
        var limit: Int?
    }

    @Test("a value is decoded from the whole body or at a path, an array too")
    func values() throws {
        let ada = User(name: "Ada", age: 36)
        #expect(
            try Response.make(#"{"name":"Ada","age":36}"#).value(using: .decodable(User.self))
                == ada
        )
        let nested = Response.make(#"{"data":{"users":[{"name":"Ada","age":36}]}}"#)
        #expect(try nested.value(using: .decodable([User].self, at: "data>users")) == [ada])
        #expect(try nested.value(using: .decodable(User.self, at: "data.users[0]")) == ada)
        let typed: User = try nested.value(using: .decodable(at: "$..users[0]"))
        #expect(typed == ada)
    }

    @Test("scalars are decoded at a path, and as the whole body")
    func scalars() throws {
        let response = Response.make(#"{"a":{"count":7,"ratio":0.5,"on":true,"name":"x"}}"#)
        #expect(try response.value(using: .decodable(Int.self, at: "a.count")) == 7)
        #expect(try response.value(using: .decodable(Double.self, at: "a.ratio")) == 0.5)
        #expect(try response.value(using: .decodable(Bool.self, at: "a>on")))
        #expect(try response.value(using: .decodable(String.self, at: "a>name")) == "x")
        #expect(try Response.make("7").value(using: .decodable(Int.self)) == 7)
    }

    @Test("an optional is nil for null and for a missing value; anything else is an error there")
    func optionals() throws {
        let response = Response.make(#"{"a":null}"#)
        #expect(try response.value(using: .decodable(Int?.self, at: "a")) == nil)
        #expect(try response.value(using: .decodable(Int?.self, at: "b")) == nil)
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .decodable(Int.self, at: "b"))
        }
        #expect(error?.code == 5004)
        #expect(error?.fault?.path == "$['b']")
    }

    @Test("a value of the wrong kind is told by path, byte, line and column")
    func place() {
        let response = Response.make(
            "[{\"name\":\"Ada\",\"age\":36},\n {\"name\":\"Bob\",\"age\":\"x\"}]"
        )
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .decodable([User].self))
        }
        #expect(error?.code == 5004)
        #expect(error?.fault?.path == "$[1].age")
        #expect(error?.fault?.line == 2)
        #expect(error?.fault?.column == 22)
        #expect(error?.fault?.offset == 47)
        #expect(error?.response == response)
    }

    @Test("an empty body is an error, or is read as {} and then as [{}]")
    func empty() throws {
        let response = Response.make("")
        #expect(
            mappingError { () throws(ApusError) in
                try response.value(using: .decodable(Options.self))
            }?.code
                == 5008
        )
        #expect(
            try response.value(using: .decodable(Options.self, failsOnEmpty: false)) == Options()
        )
        #expect(
            try response.value(using: .decodable([Options].self, failsOnEmpty: false)) == [
                Options()
            ]
        )
        let needy = mappingError { () throws(ApusError) in
            try response.value(using: .decodable(User.self, failsOnEmpty: false))
        }
        #expect(needy?.code == 5008)
    }

    @Test("the decoder's strategies are used")
    func strategies() throws {
        struct Post: Decodable { let postTitle: String }
        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let response = Response.make(#"{"post_title":"x"}"#)
        #expect(try response.value(using: .decodable(Post.self, decoder: decoder)).postTitle == "x")
    }

    @Test("a broken text is an error of JSON, an HTML page too")
    func notJSON() {
        let response = Response.make("<html>", status: 502, type: "text/html")
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .decodable(User.self))
        }
        #expect(error?.code == 5003)
        #expect(error?.response?.status == 502)
    }

    @Test("a JSON text inside a string is decoded in its turn")
    func embedded() throws {
        let response = Response.make(#"{"payload":"{\"name\":\"Ada\",\"age\":36}"}"#)
        let inner = try JSON(parsing: response.value(using: .string(at: "payload")))
        #expect(inner["age"].int == 36)
    }
}
