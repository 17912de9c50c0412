import Apus
import Documents
import Foundation

enum DecodingArticle {
    private struct Unreadable: Error {}

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ text: String) { stringValue = text }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    private struct Note: Decodable {
        var text: String
        var written: Date
    }

    //> struct Member
    //> struct Profile

    /// What the server says of each user.
    private static let transport = Scripted { request in
        switch request.url.split(separator: "/").last {
        case "ada": (200, #"{"login_name":"ada","created_at":"1970-01-01T00:01:00Z"}"#)
        case "bob": (200, #"{"login_name":"bob","followers":"7"}"#)
        case "eve": (200, "{\n\"login_name\":\"eve\",\n\"created_at\":[]}")
        case "users?q=a":
            (200, #"{"data":{"users":[{"login_name":"ada","created_at":"1970-01-01T00:01:00Z"}]}}"#)
        default: (200, #"{"login":"ada","id":7}"#)
        }
    }

    static func run() async throws {
        let ada = Member(loginName: "ada", createdAt: Date(timeIntervalSince1970: 60))
        //> var decoder = DocumentDecoder()\ndecoder.key
        check(member == ada)
        //> let members
        check(members == [ada])
        //> let result
        check(result.value.followers == 7 && result.coercions.map(\.path) == ["$.followers"])
        //> do {
        let fault = await provider.mappedResponse(for: .user("eve"), using: .decodable(Member.self))
        guard case .mapping(let fault) = fault.error?.reason else { return check(false, "a fault") }
        check(fault.line == 3 && fault.path == "$.created_at")
        //> let foundation
        check(user.id == 7)
        try await own()
        try strategies()
    }

    private static func own() async throws {
        var milliseconds = DocumentDecoder()
        milliseconds.keyDecodingStrategy = .convertFromSnakeCase
        milliseconds.dateDecodingStrategy = .millisecondsSince1970
        let provider = Provider<GitHub>(
            transport: Scripted { _ in (200, #"{"login_name":"ada","created_at":60000}"#) },
            cache: temporaryCache(),
            decoder: DocumentDecoder()
        )
        //> let member
        check(member.createdAt == Date(timeIntervalSince1970: 60))
    }

    private static func strategies() throws {
        //> var decoder = DocumentDecoder()\ndecoder.date
        check(note.text == "hello")
    }
}
