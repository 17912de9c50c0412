import Apus
import FoundationEssentials
import TestSupport
import Testing
import Workspaces

@testable import Explorer

@Suite("A workspace as the source of a catalog")
struct WorkspaceSourceTests {
    private static let text = """
        variables: { user: 7 }
        environments: { local: { baseURL: "http://h" }, other: { baseURL: "http://o" } }
        targets:
          Users:
            Show: GET /users/{{ user }}   # one of them
            All: GET /users

        """

    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/a.apus.yaml" }
    private let show = CatalogID("Users/Show")

    private func load() throws -> Catalog {
        try Self.text.write(toFile: path, atomically: false, encoding: .utf8)
        return Catalog(try Workspace.load(path: path))
    }

    private func target(_ id: CatalogID, of catalog: Catalog) throws -> CatalogTarget {
        guard case .target(let target)? = catalog.nodes.node(with: id) else {
            throw CatalogError("there is no \(id)")
        }
        return target
    }

    /// The target with another path.
    private func edited(_ catalog: Catalog, url: String) throws -> CatalogTarget {
        let target = try target(show, of: catalog)
        var draft = try catalog.source.draft(of: target, in: 0)
        draft.url = url
        return try catalog.source.applying(draft, to: target)
    }

    private var fileText: String {
        get throws { try String(contentsOfFile: path, encoding: .utf8) }
    }

    @Test("an edit is sent in each environment, can be edited again, and writes nothing")
    func edits() throws {
        let catalog = try load()
        let edited = try edited(catalog, url: "/people/{{ user }}")
        #expect(edited.path == "/people/{{ user }}" && edited.place?.line == 5)
        let urls = try (0...1).map { try catalog.source.resolve(edited, in: $0).url }
        #expect(urls == ["http://h/people/7", "http://o/people/7"])
        #expect(try catalog.source.draft(of: edited, in: 1).url == "/people/{{ user }}")
        #expect(
            try catalog.source.resolve(target(show, of: catalog), in: 0).url == "http://h/users/7"
        )
        #expect(try fileText == Self.text)
    }

    @Test("a fault names the part of the request, and the missing value that would help")
    func refuses() throws {
        let catalog = try load()
        let problem = #expect(throws: CatalogError.self) {
            try edited(catalog, url: "/{{ nobody }}")
        }
        #expect(problem?.description.hasPrefix("the request line: unknown variable") == true)
        #expect(problem?.missing?.name == "nobody" && problem?.place == nil)
        // The value counts as soon as it is entered.
        catalog.source.supply("me", for: "nobody")
        let target = try edited(catalog, url: "/{{ nobody }}")
        #expect(try catalog.source.resolve(target, in: 0).url == "http://h/me")
    }

    @Test("a save gives the catalog of the files, which are then current, and can be saved again")
    func saves() throws {
        let catalog = try load()
        #expect(catalog.source.isCurrent)
        let edited = try edited(catalog, url: "/people")
        let saved = try #require(try catalog.source.save(edited, to: .inPlace))
        #expect(
            try fileText
                == Self.text.replacing("GET /users/{{ user }}   #", with: "GET /people   #")
        )
        #expect(saved.source.isCurrent)
        let target = try target(show, of: saved)
        #expect(target.edits == nil && target.path == "/people")
        #expect(try saved.source.resolve(target, in: 0).url == "http://h/people")
        let copy = try self.edited(saved, url: "/copies")
        let again = try #require(try saved.source.save(copy, to: .beside(name: "Copy")))
        #expect(try self.target(CatalogID("Users/Copy"), of: again).path == "/copies")
        #expect(try self.target(show, of: again).path == "/people")
        #expect(again.source.isCurrent)
    }

    @Test("a file that somebody else changes is not current, and nothing is saved over it")
    func conflicts() throws {
        let catalog = try load()
        let edited = try edited(catalog, url: "/people")
        let other = Self.text + "# more\n"
        try other.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(!catalog.source.isCurrent)
        #expect(throws: CatalogError.self) { try catalog.source.save(edited, to: .inPlace) }
        #expect(try !catalog.source.isCurrent && fileText == other)
    }

    @Test("a new request is in no file until it is saved, under the name that it is given")
    func adds() throws {
        let catalog = try load()
        let draft = TargetDraft(method: "GET", url: "http://x/{{ user }}").asItStands
        let new = try catalog.source.adding(draft, named: "a/b")
        #expect(new.id == CatalogID("New/a b") && new.place == nil)
        #expect(try catalog.source.resolve(new, in: 0).url == "http://x/7")
        #expect(try fileText == Self.text)
        let saved = try #require(try catalog.source.save(new, to: .beside(name: "Tools/x")))
        let target = try target(CatalogID("Tools/x"), of: saved)
        #expect(try saved.source.resolve(target, in: 0).url == "http://x/7")
        #expect(saved.nodes.node(with: new.id) == nil)
    }
}
