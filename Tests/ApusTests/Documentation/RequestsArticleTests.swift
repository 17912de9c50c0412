import Apus
import FoundationEssentials
import HTTPTypes
import Testing

private enum Notes: TargetType {
    case search(String)
    case create(Note)
    case rename(Int, String)
    case upload(String)
    case report

    struct Note: Encodable, Sendable {
        var title: String
    }

    var baseURL: URL { URL(string: "https://notes.test") ?? URL(filePath: "/") }
    var path: String { "notes" }

    var method: HTTPRequest.Method {
        switch self {
        case .search, .report: .get
        default: .post
        }
    }

    var task: RequestTask {
        switch self {
        case .search(let words):
            .parameters([Parameter("q", .string(words))], encoding: .query)
        case .create(let user):
            .json(user)
        case .rename(let id, let name):
            .composite(
                body: .parameters([Parameter("name", .string(name))], encoding: .json),
                query: [Parameter("id", .integer(id))]
            )
        case .upload(let path):
            .multipart([.text("title", "Notes"), .file("file", path: path)])
        case .report:
            .download(to: .folder("/tmp/reports"), sending: .plain)
        }
    }
}

private struct Pinned {
    let password: String

    var options: TransportOptions {
        TransportOptions(timeout: .seconds(5)).with {
            $0.pinnedPublicKeys = ["sha256//YhKJG3phE3xw3TXJdrXg3Nk1wVZ9pYVm9k9dJwZ9p1c="]
            $0.minimumTLSVersion = .tls13
            $0.credentials = ServerCredentials(.digest, user: "ada", password: Secret(password))
        }
    }
}

@Suite("Documentation: requests")
struct RequestsArticleTests {
    @Test("every task of the article becomes a request")
    func tasks() throws {
        #expect(try Endpoint(Notes.search("a b")).request.head.path == "/notes?q=a%20b")
        let created = try Endpoint(Notes.create(.init(title: "T"))).request
        #expect(created.body == .bytes(Array(#"{"title":"T"}"#.utf8)))
        let renamed = try Endpoint(Notes.rename(7, "N")).request
        #expect(renamed.head.path == "/notes?id=7")
        #expect(renamed.body == .bytes(Array(#"{"name":"N"}"#.utf8)))
        guard case .multipart(let form) = try Endpoint(Notes.upload("/tmp/n")).request.body else {
            Issue.record("no form")
            return
        }
        #expect(form.parts.count == 2)
        #expect(try Endpoint(Notes.report).request.destination == .folder("/tmp/reports"))
        #expect(Pinned(password: "x").options.minimumTLSVersion == .tls13)
    }

    @Test("a store changes what a bound target asks")
    func environments() async throws {
        let provider = Provider<EnvironmentTarget<GitHub>>(
            transport: ScriptedTransport { request in .make(request, request.url) },
            cache: .inMemory()
        )
        let staging = URL(string: "https://staging.test")
        let production = TargetEnvironment(
            "production",
            baseURL: URL(string: "https://production.test")
        )
        let store = EnvironmentStore(
            TargetEnvironment("staging", baseURL: staging),
            others: [production]
        )
        let response = try await provider.response(for: GitHub.user("ada").bound(to: store))
        store.use("production")
        #expect(response.text == "https://staging.test/users/ada")
        let next = try await provider.response(for: GitHub.user("ada").bound(to: store))
        #expect(next.text == "https://production.test/users/ada")
    }

    /// Not called: it would ask the network.
    private func quickly() async throws {
        let users = try await Requests.shared.get(
            "https://api.test/users",
            parameters: ["page": 2]
        )
        print(users.status)
    }
}
