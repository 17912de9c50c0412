import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

// swift-format-ignore: NeverForceUnwrap
enum GitHub: TargetType {
    case user(String)
    case search(String)
    case createIssue(title: String)

    var baseURL: URL { URL(string: "https://api.github.com")! }

    var path: String {
        switch self {
        case .user(let name): "users/\(name)"
        case .search: "search/users"
        case .createIssue: "issues"
        }
    }

    var method: HTTPRequest.Method {
        if case .createIssue = self { .post } else { .get }
    }

    var task: RequestTask {
        switch self {
        case .user: .plain
        case .search(let text): .parameters([Parameter("q", .string(text))], encoding: .query)
        case .createIssue(let title): .json(["title": title])
        }
    }
}

struct User: Decodable, Sendable, Equatable {
    var login: String
    var id: Int
}

extension Provider<GitHub> {
    /// Answers without a server, for the tests of the documentation.
    static func answering(_ text: String, status: Int = 200) -> Provider<GitHub> {
        Provider(
            transport: ScriptedTransport.answering(text, status: status),
            cache: .inMemory()
        )
    }
}

@Suite("Documentation: getting started")
struct GettingStartedTests {
    private let ada = #"{"login":"ada","id":7}"#

    @Test("a value is one call away from a target")
    func value() async throws {
        let provider = Provider<GitHub>.answering(ada)
        do {
            let user = try await provider.value(for: .user("ada"), using: .decodable(User.self))
            print(user.login)
            #expect(user == User(login: "ada", id: 7))
        }
        let response = try await provider.response(for: .user("ada"))
        #expect(response.status == 200)
        let name = try response.value(using: .string(at: "login"))
        #expect(name == "ada")
    }

    @Test("errors are told apart by their reason")
    func errors() async {
        let provider = Provider<GitHub>.answering("[", status: 200)
        do {
            let user = try await provider.value(for: .user("ada"), using: .decodable(User.self))
            print(user)
        } catch {
            switch error.reason {
            case .nameLookup, .connect, .timeout: print("try again later")
            case .mapping(let fault): print("line \(fault.line ?? 0): \(fault.detail)")
            default: print(error.code)
            }
            #expect(error.code == 5003)
        }
    }

    @Test("events tell everything, and end with one terminal event")
    func events() async {
        let provider = Provider<GitHub>.answering(ada)
        var ends = 0
        for await event in provider.events(for: .user("ada"), from: .cacheAndServer) {
            switch event {
            case .progress(let progress): print(progress.bytesReceived)
            case .response(let response): print(response.source, response.status)
            case .finished(let summary):
                print(summary.duration)
                ends += 1
            default: break
            }
        }
        #expect(ends == 1)
    }

    @Test("values of more than one answer are a sequence")
    func values() async throws {
        let provider = Provider<GitHub>.answering(ada)
        var logins: [String] = []
        let users = provider.values(
            for: .user("ada"),
            using: .decodable(User.self),
            from: .cacheAndServer
        )
        for try await user in users {
            logins.append(user.login)
        }
        #expect(logins == ["ada"])
    }

    @Test("without a target a URL will do")
    func quick() async throws {
        let server = try RawServer(RawServer.ok(#"{"login":"ada","id":7}"#))
        let url = "http://\(server.authority)/users/ada"
        let user = try await Requests.shared.get(url).value(using: .decodable(User.self))
        #expect(user.id == 7)
    }

    @Test("callbacks have their answers on the executor of one's choice")
    func callbacks() async {
        let provider = Provider<GitHub>.answering(ada)
        let login: String? = await withCheckedContinuation { continuation in
            let token = provider.request(.user("ada"), using: .decodable(User.self), on: .pool) {
                mapped in
                continuation.resume(returning: mapped.value?.login)
            }
            #expect(!token.isCancelled)
        }
        #expect(login == "ada")
    }
}
