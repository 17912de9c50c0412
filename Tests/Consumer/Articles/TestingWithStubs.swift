import Apus
import Foundation
import HTTPTypes
import Recordings
import Synchronization

enum TestingWithStubsArticle {
    // swift-format-ignore: NeverForceUnwrap
    private struct UsersTarget: TargetType {
        var baseURL: URL { URL(string: "https://api.example.com")! }
        var path: String { "/users" }
    }

    static func run() async throws {
        //> let provider = Provider<GitHub>(\n    stubs
        check(response.source == .stub)
        check(try response.value(using: .decodable(User.self)).login == "ada")
        try await ofTarget()
        try await inTurn()
        try await recorded()
        try await sent()
    }

    private static func sent() async throws {
        //> let notebook
        check(notebook.all == ["POST https://api.github.com/issues"])
    }

    //> final class Notebook

    //> struct Slow

    private static func ofTarget() async throws {
        //> let provider = Provider<Slow>
        check(try response.value(using: .string) == "slow")
    }

    private static func inTurn() async throws {
        //> let responses
        check(user.id == 7)
        check(responses.count == 2)
    }

    private static func recorded() async throws {
        let path = temporaryFolder() + "/history.sqlite"
        let stubs = Stubs { _ in .immediate(.json(#"{"login":"ada","note":"s3cret"}"#)) }
        //> let history
        check(response.source == .stub)
        check(again.source == .replay)
        //> let failures
        check(failures.isEmpty)
        let text = try again.value(using: .string)
        check(text.contains("ada") && !text.contains("s3cret"))
        check(try await history.exchanges().count == 1)
    }
}
