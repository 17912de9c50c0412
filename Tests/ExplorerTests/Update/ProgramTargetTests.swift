import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import Testing
import Workspaces

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

    /// A program's source with one target.
    private func catalog(
        _ target: any TargetType,
        in environments: [TargetEnvironment] = []
    ) -> (source: ProgramSource, target: CatalogTarget) {
        let listed = CatalogTarget(id: CatalogID("x"), name: "x", method: target.method.rawValue)
        let source = ProgramSource(targets: [listed.id: target], environments: environments)
        return (source, listed)
    }

    private func request(
        _ target: CatalogTarget,
        of source: some CatalogSource
    ) throws -> PreparedRequest {
        try Endpoint(source.resolve(target, in: 0).target).request
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
        let (source, target) = catalog(kind, in: environments)
        let draft = try source.draft(of: target, in: 0)
        let edited = try source.applying(draft, to: target)
        #expect(try request(edited, of: source) == request(target, of: source))
    }

    @Test("a draft has the parts of the request, and what the environment adds as inherited")
    func draft() throws {
        let (source, target) = catalog(ProgramShop.list, in: [Self.local])
        let draft = try source.draft(of: target, in: 0)
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
        let (source, target) = catalog(ProgramShop.list, in: [Self.local])
        var draft = try source.draft(of: target, in: 0)
        draft.method = "PUT"
        draft.url = "people"
        draft.query[0].value = nil
        draft.query[1] = TargetDraft.Row("sort", "a&b")
        draft.headers[0].value = nil
        draft.headers.append(TargetDraft.Row("X-New", "1"))
        draft.authorization = .basic(user: "ada", password: "pw")
        draft.body = .json("{}")
        let edited = try source.applying(draft, to: target)
        let request = try request(edited, of: source)
        #expect(request.head.method == .put)
        #expect(request.url == "http://shop.test/v1/people?key=1&sort=a%26b&q=a%20b")
        #expect(request.head.headerFields[.userAgent] == nil)
        #expect(request.head.headerFields[.authorization] == "Basic YWRhOnB3")
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.body == .bytes(Array("{}".utf8)))
        // Plugins still know whose it is.
        let inside = try source.resolve(edited, in: 0).target as? any TargetWrapper
        #expect(inside?.wrapped is ProgramShop)
        // What was edited can be edited again.
        #expect(try source.draft(of: edited, in: 0).url == "people")
    }

    @Test("what cannot be taken back says so")
    func refused() throws {
        let (source, upload) = catalog(ProgramShop.upload)
        var draft = try source.draft(of: upload, in: 0)
        draft.body = .text("other")
        let problem = #expect(throws: CatalogError.self) {
            try source.applying(draft, to: upload)
        }
        let words = "the program builds this body, so it cannot be edited here"
        #expect(problem?.description == words)
        draft = try source.draft(of: upload, in: 0)
        draft.headers.append(TargetDraft.Row("not a name", "1"))
        #expect(throws: CatalogError.self) {
            try source.applying(draft, to: upload)
        }
    }

    @Test("a pasted request joins them")
    func pasted() throws {
        let source = Catalog(name: "Shop", targets: [ProgramShop.list]).source
        let draft = TargetDraft(method: "DELETE", url: "http://other.test/a?b=c")
        let made = try source.adding(draft, named: "new")
        #expect(try request(made, of: source).url == "http://other.test/a?b=c")
        #expect(!source.isSavable)
        let relative = TargetDraft(method: "GET", url: "/a")
        #expect(throws: CatalogError.self) {
            try source.adding(relative, named: "new")
        }
    }
}
