import DemoAPI
import Documents
import FoundationEssentials
import TestSupport
import Testing

@Suite("Stories told by the demo API")
struct StoryTests {
    private struct NewUser: Decodable {
        let id: Int
        let verificationCode: String

        enum CodingKeys: String, CodingKey {
            case id
            case verificationCode = "verification_code"
        }
    }

    private struct Grant: Decodable {
        let token: String
    }

    @Test("a user who signs up is verified by the code and known by the token")
    func signUp() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let draft = #"{"name":"Zoë","email":"zoe@example.org"}"#
                let created = try connection.answer("POST", "/register", body: draft)
                #expect(created["Location"] == "/users/51")
                let user = try DocumentDecoder().decode(NewUser.self, from: created.body)
                let wrong = #"{"user_id":\#(user.id),"code":"0"}"#
                try #expect(connection.answer("POST", "/verify", body: wrong).status == 403)
                let claim = #"{"user_id":\#(user.id),"code":"\#(user.verificationCode)"}"#
                let verified = try connection.answer("POST", "/verify", body: claim)
                let token = try DocumentDecoder().decode(Grant.self, from: verified.body).token
                let bearer = ["Authorization: Bearer \(token)"]
                let profile = try connection.answer("GET", "/me", bearer)
                #expect(profile.text.contains("\"name\": \"Zoë\""))
                #expect(profile.text.contains("\"verified\": true"))
                let picture = try connection.answer("PUT", "/avatar", bearer, body: "123456789")
                #expect(picture.text.contains("\"crc32\": \"cbf43926\""))
                let moved = try connection.answer("PATCH", "/me", bearer, body: #"{"city":"Lima"}"#)
                #expect(moved.text.contains("\"country\": \"Peru\""))
                let stranger = try connection.answer("GET", "/me", ["Authorization: Bearer no"])
                #expect(stranger.status == 401)
                #expect(stranger["WWW-Authenticate"] == "Bearer realm=\"demo\"")
            }
        }
    }

    @Test("a deleted user is gone")
    func deletion() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                try #expect(connection.answer("DELETE", "/users/3").status == 204)
                try #expect(connection.answer("GET", "/users/3").status == 404)
                try #expect(connection.answer("GET", "/users").text.contains("\"total\": 49"))
            }
        }
    }

    @Test("the same ETag is answered by 304 until the tenth request has passed")
    func revalidation() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let first = try connection.answer("GET", "/etag")
                let tag = try #require(first["ETag"])
                let statuses = try (2...11).map { _ in
                    try connection.answer("GET", "/etag", ["If-None-Match: \"x\", W/\(tag)"]).status
                }
                #expect(statuses == Array(repeating: 304, count: 9) + [200])
                let other = try connection.answer("GET", "/etag", ["If-None-Match: \(tag)"])
                #expect(other.text.contains("\"edition\": 2"))
            }
        }
    }

    @Test("a 304 tells the length of the body that it leaves out")
    func lengthOf304() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let whole = try connection.answer("GET", "/etag")
                let same = try connection.answer("GET", "/etag", ["If-None-Match: *"])
                #expect(same.status == 304)
                #expect(same["Content-Length"] == whole["Content-Length"])
            }
        }
    }

    @Test("redirects lead to their end, one less at every hop")
    func redirects() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                var places: [String] = []
                var answer = try connection.answer("GET", "/redirect/3")
                while let place = answer["Location"] {
                    places.append(place)
                    answer = try connection.answer("GET", place)
                }
                #expect(places == ["/redirect/2", "/redirect/1", "/redirected"])
                #expect(answer.status == 200)
            }
        }
    }

    @Test("the exact user and password of the path are let in, percent-encoded or not")
    func basicAuthorization() async throws {
        let credentials = Data("ada l:p:1".utf8).base64EncodedString()
        let answer = try await DemoServer.answer(
            "GET",
            "/basic-auth/ada%20l/p%3A1",
            ["Authorization: basic \(credentials)"]
        )
        #expect(answer.text.contains("\"user\": \"ada l\""))
    }

    @Test("each cookie is set by a field of its own, and those received are shown")
    func cookies() async throws {
        let answer = try await DemoServer.answer("GET", "/cookies", ["Cookie: a=1; b=2"])
        #expect(answer.all("Set-Cookie").count == 2)
        #expect(answer.text.contains("a=1; b=2"))
    }
}
