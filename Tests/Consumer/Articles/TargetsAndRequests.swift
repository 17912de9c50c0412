import Apus
import Foundation
import HTTPTypes

enum TargetsAndRequestsArticle {
    // swift-format-ignore: NeverForceUnwrap
    private enum Notes: TargetType {
        case search(String)
        case create(Note)
        case rename(Int, String)
        case upload(String)
        case report

        struct Note: Encodable, Sendable {
            var title: String
        }

        var baseURL: URL { URL(string: "https://notes.test")! }
        var path: String { "notes" }

        var method: HTTPRequest.Method {
            switch self {
            case .search, .report: .get
            default: .post
            }
        }

        var task: RequestTask {
            switch self {
            //> case .search
            }
        }
    }

    private struct Pinned {
        let password: String

        //> var options
    }

    static func run() async throws {
        check(try request(.search("a b")).url == "https://notes.test/notes?q=a%20b")
        check(try request(.create(.init(title: "T"))).body == .bytes(Array(#"{"title":"T"}"#.utf8)))
        let renamed = try request(.rename(7, "N"))
        check(renamed.url == "https://notes.test/notes?id=7")
        check(renamed.body == .bytes(Array(#"{"name":"N"}"#.utf8)))
        guard case .multipart(let form) = try request(.upload("/tmp/n")).body else {
            return check(false, "a form")
        }
        check(form.parts.count == 2)
        check(try request(.report).destination == .folder("/tmp/reports"))
        check(Pinned(password: "x").options.minimumTLSVersion == .tls13)
        try await environments()
        try await typed()
        try await fields()
        check(
            try Endpoint(Rename(id: 7, name: "N")).request.body
                == .bytes(Array(#"{"name":"N"}"#.utf8))
        )
    }

    private static func request(_ note: Notes) throws -> PreparedRequest {
        try Endpoint(note).request
    }

    private static func environments() async throws {
        let provider = Provider<EnvironmentTarget<GitHub>>(
            transport: Canned(),
            cache: temporaryCache()
        )
        let staging = URL(string: "https://staging.test")
        let production = TargetEnvironment(
            "production",
            baseURL: URL(string: "https://production.test")
        )
        //> let store
        check(response.request.url == "https://staging.test/users/ada")
        let next = try await provider.response(for: GitHub.user("ada").bound(to: store))
        check(next.request.url == "https://production.test/users/ada")
    }

    private static func typed() async throws {
        let provider = Provider<GitHub>(transport: Canned(), cache: temporaryCache())
        //> let user = try await provider
        check(user == same)
    }

    private static func fields() async throws {
        let transport = Canned()
        //> let provider = Provider<GitHub>
        check(response.request.head.headerFields[.accept] == "text/html")
        check(transport.sent.all.first?.head.headerFields[.userAgent] == "Example/1.0")
    }

    //> rest
}
