import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import Testing

@testable import Explorer

enum ProgramShop: TargetType {
    case list
    case user(Int)
    case login(password: String)
    case upload

    var baseURL: URL { URL(string: "http://shop.test/v1?key=1") ?? URL(filePath: "/") }
    var path: String {
        switch self {
        case .list, .upload: "users?sort=name%20up"
        case .user(let number): "users/\(number)"
        case .login: "login"
        }
    }
    var method: HTTPRequest.Method {
        switch self {
        case .list, .user: .get
        case .login, .upload: .post
        }
    }
    var task: RequestTask {
        switch self {
        case .list: .parameters([Parameter("q", "a b")], encoding: .query)
        case .user: .plain
        case .login(let password): .json(["password": password])
        case .upload: .multipart(MultipartForm([.text("note", "hello")], boundary: "b"))
        }
    }
    var headerFields: HTTPFields {
        [.accept: "application/json", .authorization: "Bearer t0k3n"]
    }
}

private struct Named: NamedTarget {
    var baseURL: URL { URL(string: "http://shop.test") ?? URL(filePath: "/") }
    var path: String { "status" }
    var recordedName = "Admin/Status"
}

@Suite("A program's own targets")
struct ProgramTargetTests {
    private static let local = TargetEnvironment(
        "local",
        headerFields: [.userAgent: "shop/1.0"],
        parameters: ["lang": "en"]
    )

    private func target(
        _ target: any TargetType,
        in environments: [TargetEnvironment] = []
    ) -> CatalogTarget {
        CatalogTarget(id: CatalogID("x"), name: "x", target, in: environments)
    }

    private func request(_ target: CatalogTarget) throws -> PreparedRequest {
        try Endpoint(target.resolve(0).target).request
    }

    @Test("cases stand in their enum's group, values unseen; named ones where they say")
    func names() {
        let catalog = Catalog(
            name: "Shop",
            targets: [
                ProgramShop.list, ProgramShop.user(1), ProgramShop.user(2),
                ProgramShop.login(password: "x"), Named(),
            ]
        )
        var names: [String] = []
        for case .group(let group, let nodes) in catalog.nodes {
            for case .target(let target) in nodes { names.append("\(group)/\(target.name)") }
        }
        #expect(
            names == [
                "ProgramShop/list", "ProgramShop/user", "ProgramShop/user 2", "ProgramShop/login",
                "Admin/Status",
            ]
        )
    }

    @Test("a name that is taken gets the next free number, so that no two are one")
    func numbers() {
        let names = ["a", "a", "a 2", "a"]
        let catalog = Catalog(name: "Shop", targets: names.map { Named(recordedName: $0) })
        var targets: [CatalogTarget] = []
        for case .target(let target) in catalog.nodes { targets.append(target) }
        let expected = ["a", "a 2", "a 2 2", "a 3"]
        #expect(targets.map(\.name) == expected)
        #expect(targets.map(\.id.description) == expected)
    }

    @Test(
        "a draft that nobody edited sends the request as it was",
        arguments: [ProgramShop.list, .user(7), .login(password: "x"), .upload],
        [[], [ProgramTargetTests.local]]
    )
    func unchanged(_ kind: ProgramShop, _ environments: [TargetEnvironment]) throws {
        let target = target(kind, in: environments)
        let draft = try #require(try target.draft?(0))
        let edit = try #require(try target.edit?(draft))
        #expect(try request(edit.target) == request(target))
    }

    @Test("a draft has the parts of the request, and what the environment adds as inherited")
    func draft() throws {
        let target = target(ProgramShop.list, in: [Self.local])
        let draft = try #require(try target.draft?(0))
        #expect(draft.url == "users")
        #expect(
            draft.query == [
                TargetDraft.Row("lang", "en", inheritedFrom: "environment local"),
                TargetDraft.Row("sort", "name up"), TargetDraft.Row("q", "a b"),
            ]
        )
        #expect(draft.authorization == .bearer("t0k3n"))
        #expect(draft.headers.first?.inheritedFrom == "environment local")
        #expect(draft.headers.contains(TargetDraft.Row("Accept", "application/json")))
    }

    @Test("method, URL, query, fields, credentials and body go out as they are edited")
    func edited() throws {
        let target = target(ProgramShop.list, in: [Self.local])
        var draft = try #require(try target.draft?(0))
        draft.method = "PUT"
        draft.url = "people"
        draft.query[0].value = nil
        draft.query[1] = TargetDraft.Row("sort", "a&b")
        draft.headers[0].value = nil
        draft.headers.append(TargetDraft.Row("X-New", "1"))
        draft.authorization = .basic(user: "ada", password: "pw")
        draft.body = .json("{}")
        let edited = try #require(try target.edit?(draft)).target
        let request = try request(edited)
        #expect(request.head.method == .put)
        #expect(request.url == "http://shop.test/v1/people?key=1&sort=a%26b&q=a%20b")
        #expect(request.head.headerFields[.userAgent] == nil)
        #expect(request.head.headerFields[.authorization] == "Basic YWRhOnB3")
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.body == .bytes(Array("{}".utf8)))
        // Plugins still know whose it is.
        let inside = try edited.resolve(0).target as? any TargetWrapper
        #expect(inside?.wrapped is ProgramShop)
        // What was edited can be edited again.
        #expect(try edited.draft?(0).url == "people")
    }

    @Test("what cannot be taken back says so")
    func refused() throws {
        let upload = target(ProgramShop.upload)
        var draft = try #require(try upload.draft?(0))
        draft.body = .text("other")
        let problem = #expect(throws: CatalogProblem.self) { try upload.edit?(draft) }
        let words = "the program builds this body, so it cannot be edited here"
        #expect(problem?.description == words)
        draft = try #require(try upload.draft?(0))
        draft.headers.append(TargetDraft.Row("not a name", "1"))
        #expect(throws: CatalogProblem.self) { try upload.edit?(draft) }
    }

    @Test("a pasted request joins them")
    func pasted() throws {
        let catalog = Catalog(name: "Shop", targets: [ProgramShop.list])
        let draft = TargetDraft(method: "DELETE", url: "http://other.test/a?b=c")
        let made = try #require(try catalog.make?("new", draft))
        #expect(try request(made.target).url == "http://other.test/a?b=c")
        #expect(made.save == nil)
        let relative = TargetDraft(method: "GET", url: "/a")
        #expect(throws: CatalogProblem.self) { try catalog.make?("new", relative) }
    }
}
