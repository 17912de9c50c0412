import Apus
import Documents
import FoundationEssentials
import Testing

private struct Problem: Decodable, Sendable {
    var message: String
}

private struct RowCount: ResponseSerializer {
    func serialize(_ response: Response) throws(ApusError) -> Int {
        try response.value(using: .string).split(separator: "\n").count
    }
}

@Suite("Documentation: answers")
struct AnswersTests {
    @Test("facts of an answer")
    func facts() throws {
        let response = Response.make(#"{"data":{"users":[{"login":"ada","id":"7"}]}}"#)
        print(response.status, response.age(at: Date()), response.isFromCache)
        let success = try response.filterSuccessfulStatuses()
        let json = try success.value(using: .json)
        print(json["data"]["users"][0]["login"].string ?? "nobody")
        let ids = try response.value(using: .lenient([User].self, at: "data>users"))
        for coercion in ids.coercions { print(coercion.path, coercion.source, coercion.result) }
        #expect(ids.value == [User(login: "ada", id: 7)])
        #expect(ids.coercions.map(\.path) == ["$.data.users[0].id"])
    }

    @Test("an envelope is described once")
    func envelope() async throws {
        let envelope = ResponseEnvelope(
            code: "status>code",
            message: "status>text",
            data: "data",
            success: "0"
        )
        let provider = Provider<GitHub>(
            transport: ScriptedTransport.answering(
                #"{"status":{"code":0},"data":{"login":"ada","id":7}}"#
            ),
            envelope: envelope
        )
        let user = try await provider.value(
            for: .user("ada"),
            using: .enveloped(.decodable(User.self))
        )
        let result = try await provider.value(
            for: .user("ada"),
            using: .envelopedResult(.decodable(User.self))
        )
        print(result.isSuccess, result.code ?? "-", result.message ?? "-")
        #expect(result.value == user)
    }

    @Test("a convention has two sides")
    func convention() async throws {
        let provider = Provider<GitHub>.answering(#"{"message":"Not Found"}"#, status: 404)
        var message: String?
        let convention = ServerConvention(
            success: .decodable(User.self),
            failure: .decodable(Problem.self)
        )
        do {
            let user = try await provider.value(for: .user("nobody"), by: convention)
            print(user)
        } catch {
            switch error {
            case .refused(let problem, let response):
                print(response.status, problem.message)
                message = problem.message
            case .failed(let error): print(error.code)
            }
        }
        #expect(message == "Not Found")
    }

    @Test("a serializer of one's own, and an image")
    func own() async throws {
        let provider = Provider<GitHub>.answering("a\nb")
        let rows = try await provider.value(for: .search("x"), using: RowCount())
        #expect(rows == 2)
        let bytes = ImageFixtures.bytes(ImageFixtures.png)
        let image = try Response.make(bytes).value(using: .image)
        print(image.format.name, image.size?.width ?? 0, image.pixels?.count ?? 0)
        #expect(image.format == .png)
    }
}
