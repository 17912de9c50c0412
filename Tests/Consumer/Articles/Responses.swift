import Apus
import Documents
import Foundation

enum ResponsesArticle {
    //> struct RowCount
    //> struct Page

    static func run() async throws {
        try facts(await answer(#"{"data":{"users":[{"login":"ada","id":7}]}}"#))
        try coercions(await answer(#"{"data":{"users":[{"login":"ada","id":"7"}]}}"#))
        try defaults(await answer(#"{"size":null}"#))
        try image(await answer(bytes: picture))
        try await envelope()
        try await convention()
        let provider = Provider<GitHub>(transport: Canned("a\nb"), cache: temporaryCache())
        //> let rows
        check(rows == 2)
    }

    /// One transparent point.
    private static let picture: [UInt8] =
        Array("GIF89a\u{1}\0\u{1}\0".utf8) + [0x80, 0, 0, 255, 255, 255, 0, 0, 0]
        + [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]

    private static func facts(_ response: Response) throws {
        //> print(response.status
        check(json["data"]["users"][0]["login"].string == "ada")
    }

    private static func coercions(_ response: Response) throws {
        //> let ids
        check(ids.value == [User(login: "ada", id: 7)])
        check(ids.coercions.map(\.path) == ["$.data.users[0].id"])
    }

    private static func defaults(_ response: Response) throws {
        //> let page
        check(page.value.size == 4 && page.value.sort == "name")
    }

    private static func image(_ response: Response) throws {
        //> let image
        check(image.format == .gif)
    }

    private static func envelope() async throws {
        //> let envelope
        let transport = Canned(#"{"status":{"code":0},"data":{"login":"ada","id":7}}"#)
        let provider = Provider<GitHub>(
            transport: transport,
            cache: temporaryCache(),
            envelope: envelope
        )
        //> let user
        check(result.value == user)
    }

    private static func convention() async throws {
        let provider = Provider<GitHub>(
            transport: Canned(#"{"message":"Not Found"}"#, status: 404),
            cache: temporaryCache()
        )
        //> let convention
        do {
            _ = try await provider.value(for: .user("nobody"), by: convention)
            check(false)
        } catch {
            guard case .refused(let problem, _) = error else { return check(false) }
            check(problem.message == "Not Found")
        }
    }
}
