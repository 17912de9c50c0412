import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import Secrets
import TestSupport
import Testing
import Workspaces

@Suite("Editing targets of a workspace")
struct WorkspaceEditingTests {
    private static let text = """
        name: Mine   # a name
        environments:
          local: { baseURL: "http://h", headers: { X-Env: e } }
        defaults:
          headers: { Accept: "*/*", X-All: a }
          query: { key: k }
          timeout: 10 s
        targets:
          Users:
            # the list
            List: GET /users   # all of them
            New:
              request: POST /users
              headers: { Accept: null, X-Own: "{{ id }}" }   # own
              query: { page: 1, tag: [a, b] }
              auth: { bearer: "{{ token }}" }
              json:
                name: Ada   # Lovelace
                roles: [admin]
                id: "{{ id }}"
              cache: { storage: memory, expires: 10 s }
        variables: { id: 7, token: secret-token }

        """

    private func workspace(_ text: String = Self.text) throws -> Workspace {
        try Workspace.make(text)
    }

    private func written(_ id: String, in workspace: Workspace) throws -> TargetDraft {
        let definition = try #require(workspace.definition(TargetID(id)))
        return workspace.written(definition, in: "local")
    }

    /// The text of a workspace after an edit, by what a file gets.
    private func edited(
        _ id: String,
        _ text: String = Self.text,
        _ change: (inout TargetDraft) throws -> Void
    ) throws -> String {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.apus.yaml"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let workspace = try Workspace.load(path: path)
        var target = try written(id, in: workspace)
        try change(&target)
        let edited = try workspace.editing(TargetID(id), to: target)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        // Decoded alone, it is what the edited text says.
        let definition = try #require(workspace.definition(TargetID(id)))
        let alone = workspace.written(try workspace.applying(target, to: definition), in: "local")
        #expect(try alone == written(id, in: edited))
        try edited.save()
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("a target is shown as it is written, with what it inherits and from where")
    func written() throws {
        let new = try written("Users/New", in: workspace())
        #expect(new.method == "POST" && new.url == "/users")
        #expect(
            new.headers == [
                .init("X-All", "a", inheritedFrom: "defaults"),
                .init("X-Env", "e", inheritedFrom: "environment local"),
                .init("Accept", nil), .init("X-Own", "{{ id }}"),
            ]
        )
        #expect(
            new.query == [
                .init("key", "k", inheritedFrom: "defaults"), .init("page", "1"),
                .init("tag", "a"), .init("tag", "b"),
            ]
        )
        #expect(new.authorization == .bearer("{{ token }}"))
        guard case .json(let json) = new.body else { throw Missing(what: "JSON") }
        #expect(json.contains(#""id": "{{ id }}""#))
        let options = Dictionary(uniqueKeysWithValues: new.options.map { ($0.name, $0) })
        #expect(options["timeout"] == .init("timeout", "10 s", inheritedFrom: "defaults"))
        #expect(options["cache"] == .init("cache", "{ storage: memory, expires: 10 s }"))
        #expect(options["download"] == .init("download", nil, standard: "none"))
    }

    @Test("nothing changed is nothing written, and inherited rows are not the target's")
    func unchanged() throws {
        #expect(try edited("Users/New") { _ in } == Self.text)
        #expect(try edited("Users/List") { $0.headers[0].inheritedFrom = "defaults" } == Self.text)
    }

    @Test("a header of a target in one line makes it a mapping, and nothing else changes")
    func oneLine() throws {
        let text = try edited("Users/List") { $0.headers.append(.init("X-New", "1")) }
        let line = "    List: GET /users   # all of them\n"
        let block =
            "    List:\n      request: GET /users   # all of them\n      headers: { X-New: 1 }\n"
        #expect(text == Self.text.replacing(line, with: block))
    }

    @Test(
        "what is edited is written, and only that",
        arguments: [
            ("X-Own: \"{{ id }}\"", "X-Own: \"new\""), ("page: 1", "page: 2"),
            ("[a, b]", "[a, c, d]"), ("bearer: \"{{ token }}\"", "bearer: \"t\""),
            (
                "{ bearer: \"{{ token }}\" }",
                "{ digest: { user: ada, password: \"{{ token }}\" } }"
            ),
            ("name: Ada   #", "name: Grace   #"), ("expires: 10 s", "expires: 1 min"),
            ("POST /users", "PUT /users/{{ id }}"),
            ("{ Accept: null, X-Own: \"{{ id }}\" }", "{ Accept: null }"),
            ("              auth: { bearer: \"{{ token }}\" }\n", ""),
        ]
    )
    func parts(old: String, new: String) throws {
        let old = String(old.drop { $0 == " " })
        let expected =
            new.isEmpty
            ? Self.text.replacing("      auth: { bearer: \"{{ token }}\" }\n", with: "")
            : Self.text.replacing(old, with: new)
        let text = try edited("Users/New") { target in
            switch new {
            case "X-Own: \"new\"": target.headers[3].value = "new"
            case "page: 2": target.query[1].value = "2"
            case "[a, c, d]":
                target.query[3].value = "c"
                target.query.append(.init("tag", "d"))
            case "bearer: \"t\"": target.authorization = .bearer("t")
            case "{ digest: { user: ada, password: \"{{ token }}\" } }":
                target.authorization = .digest(user: "ada", password: "{{ token }}")
            case "name: Grace   #":
                guard case .json(let json) = target.body else { return }
                target.body = .json(json.replacing("Ada", with: "Grace"))
            case "expires: 1 min":
                let place = target.options.firstIndex { $0.name == "cache" } ?? 0
                target.options[place].value = "{ storage: memory, expires: 1 min }"
            case "PUT /users/{{ id }}": (target.method, target.url) = ("PUT", "/users/{{ id }}")
            case "{ Accept: null }": target.headers.removeLast()
            default: target.authorization = .inherited
            }
        }
        #expect(text == expected)
    }

    @Test("an inherited field that is struck out is nothing of the target's own")
    func struckOut() throws {
        let text = try edited("Users/New") { target in target.headers[0].value = nil }
        #expect(text.contains("X-Own: \"{{ id }}\", X-All: null }"))
    }

    @Test("another body takes the place of the one before")
    func bodies() throws {
        let text = try edited("Users/New") { $0.body = .form([.init("a", "1"), .init("a", "2")]) }
        #expect(text.contains("form: { a: [1, 2] }\n") && !text.contains("Lovelace"))
        #expect(throws: WorkspaceError.self) {
            try edited("Users/New") { $0.body = .json("{ \"a\": {{ id }} }") }
        }
    }

    @Test("a JSON body that is nested too deeply is refused, with the reason")
    func deepJSON() throws {
        func json(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        let error = #expect(throws: WorkspaceError.self) {
            try edited("Users/List") { $0.body = .json(json(65)) }
        }
        #expect(
            error?.problems.first?.message == "the JSON body is nested more than 64 levels deep"
        )
    }

    @Test("a masked value is never written")
    func masks() throws {
        #expect(throws: WorkspaceError.self) {
            try edited("Users/New") { $0.authorization = .bearer("••••••") }
        }
    }

    @Test("a fault of the edited text has its place, and the file is as it was")
    func faults() throws {
        do {
            _ = try edited("Users/List") { $0.url = "/users/{{ nobody }}" }
            Issue.record("no fault")
        } catch let error as WorkspaceError {
            #expect(error.problems.first?.location.line == 11)
            #expect(error.problems.first?.missing?.name == "nobody")
        }
    }

    @Test("a file that changed meanwhile is named and left alone")
    func conflicts() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.apus.yaml"
        try Self.text.write(toFile: path, atomically: false, encoding: .utf8)
        let workspace = try Workspace.load(path: path)
        var target = try written("Users/List", in: workspace)
        target.url = "/new"
        let edited = try workspace.editing(TargetID("Users/List"), to: target)
        let other = Self.text + "# more\n"
        try other.write(toFile: path, atomically: false, encoding: .utf8)
        do {
            try edited.save()
            Issue.record("no conflict")
        } catch {
            #expect(
                error.problems.map(\.summary) == [
                    "\(path): the file has changed since it was read, so nothing was written"
                ]
            )
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == other)
    }

    @Test("mode, link, mark and line ends stay, and no other file of a folder is touched")
    func files() throws {
        let folder = TemporaryFolder()
        let text = "\u{FEFF}" + Self.text.replacing("\n", with: "\r\n")
        let path = folder.path + "/real.yaml"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        #expect(chmod(path, 0o640) == 0)
        let other = "targets: { Users: { Other: GET /other } }\n"
        try other.write(toFile: folder.path + "/b.apus.yaml", atomically: false, encoding: .utf8)
        #expect(symlink("real.yaml", folder.path + "/a.apus.yaml") == 0)
        let workspace = try Workspace.load(path: folder.path)
        var target = try written("Users/List", in: workspace)
        target.url = "/new"
        try workspace.editing(TargetID("Users/List"), to: target).save()
        #expect(
            try Array(Data(contentsOf: URL(filePath: path)))
                == Array(text.replacing("GET /users   #", with: "GET /new   #").utf8)
        )
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(lstat(folder.path + "/a.apus.yaml", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == ["a.apus.yaml", "b.apus.yaml", "real.yaml"])
    }

    @Test("an edited target is saved as a new one behind the original")
    func copies() throws {
        let workspace = try workspace()
        var target = try written("Users/List", in: workspace)
        target.url = "/new"
        let edited = try workspace.editing(TargetID("Users/List"), to: target)
        let (copied, id) = try edited.copying(TargetID("Users/List"), to: "Second")
        #expect(copied.targets.map(\.id.rawValue) == ["Users/List", "Users/Second", "Users/New"])
        #expect(id.rawValue == "Users/Second")
    }

    @Test(
        "a new target is saved under its own name, in another group, in a new one, or in none",
        arguments: [
            ("ip", "New/ip"), ("New/ip", "New/ip"), ("Users/ip", "Users/ip"),
            ("Users / Get ip", "Users/Get ip"), ("Auth/Deep/ip", "Auth/Deep/ip"), ("/ip", "ip"),
        ]
    )
    func savesNew(name: String, id: String) throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.apus.yaml"
        try Self.text.write(toFile: path, atomically: false, encoding: .utf8)
        let workspace = try Workspace.load(path: path)
        let target = TargetDraft(method: "GET", url: "http://h/ip")
        let (added, own) = try workspace.adding(target, named: "ip")
        let (saved, new) = try added.copying(own, to: name)
        #expect(new.rawValue == id)
        try saved.save()
        let read = try Workspace.load(path: path)
        #expect(read.definition(TargetID(id))?.requestText == "http://h/ip")
        #expect(read.targets.count == 3)
    }

    @Test(
        "a name that is taken, or cannot be one, is refused with the reason",
        arguments: [
            ("Users/List", "there is already a target `Users/List`: choose another name"),
            ("/Users", "`Users` is a group: choose another name"),
            ("Users/List/ip", "`Users/List` is a target, not a group"),
            ("Users/", "a target and its groups need names, as in `Users/List`"),
        ]
    )
    func refusesNames(name: String, reason: String) throws {
        let target = TargetDraft(method: "GET", url: "http://h/ip")
        let (added, own) = try workspace().adding(target, named: "ip")
        let error = #expect(throws: WorkspaceError.self) { try added.copying(own, to: name) }
        #expect(error?.problems.map(\.words) == [reason])
    }

    @Test("a workspace without a file is made by saving, and never over a file that is there")
    func newFile() throws {
        let folder = TemporaryFolder()
        let path = folder.path + "/new.apus.yaml"
        let workspace = try Workspace.new(text: "targets: {}\n", file: path)
        #expect(workspace.isNew && workspace.isSavable)
        let target = TargetDraft(method: "GET", url: "http://h/ip")
        let (added, own) = try workspace.adding(target, named: "ip")
        let (saved, _) = try added.copying(own, to: "Tools/ip")
        #expect(!FileManager.default.fileExists(atPath: path))
        try saved.save()
        let text = "targets:\n  Tools:\n    ip: GET http://h/ip\n"
        let made = try String(contentsOfFile: path, encoding: .utf8)
        #expect(made == text, "\(made)")
        let read = try Workspace.load(path: path)
        #expect(!read.isNew && read.targets.map(\.id.rawValue) == ["Tools/ip"])
        let error = #expect(throws: WorkspaceError.self) { try saved.save() }
        #expect(error?.problems.first?.message.contains("already exists") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == made)
        let lost = #expect(throws: WorkspaceError.self) {
            try saved.save(newFile: folder.path + "/none/a.apus.yaml")
        }
        #expect(lost?.problems.first?.message.contains("folder does not exist") == true)
    }

    @Test("a row that is added is written where it stands among the target's own")
    func order() throws {
        let text = try edited("Users/New") { $0.query.insert(.init("age", "7"), at: 2) }
        #expect(text.contains("query: { page: 1, age: 7, tag: [a, b] }"))
        let first = try edited("Users/New") { $0.query.insert(.init("age", "7"), at: 1) }
        #expect(first.contains("query: { age: 7, page: 1, tag: [a, b] }"))
        let body = try edited("Users/New") { target in
            guard case .json(let json) = target.body else { return }
            target.body = .json(
                json.replacing("\"roles\"", with: "\"age\": 7,\n  \"roles\"")
            )
        }
        #expect(body.contains("name: Ada   # Lovelace\n        age: 7\n        roles: [admin]\n"))
        let block = """
            targets:
              A:
                request: GET http://h/
                query:
                  # the first
                  page: 1

            """
        let above = try edited("A", block) { $0.query.insert(.init("age", "7"), at: 0) }
        #expect(above.contains("query:\n      age: 7\n      # the first\n      page: 1\n"))
    }

    @Test("a field with several lines is a list in the file, a row each for editing, and stays one")
    func repeatedFields() throws {
        let text = """
            defaults: { headers: { X-All: [1, 2], Accept: text/plain } }
            environments: { local: { headers: { X-Env: [a, b] } } }
            targets:
              A:
                request: GET http://h/
                headers: { X-A: [1, 2], Accept: ~ }   # both

            """
        let written = try written("A", in: workspace(text))
        #expect(
            written.headers == [
                .init("X-All", "1", inheritedFrom: "defaults"),
                .init("X-All", "2", inheritedFrom: "defaults"),
                .init("X-Env", "a", inheritedFrom: "environment local"),
                .init("X-Env", "b", inheritedFrom: "environment local"),
                .init("X-A", "1"), .init("X-A", "2"), .init("Accept", nil),
            ]
        )
        let lines = try workspace(text).sent("A").headerFields.map { "\($0.name): \($0.value)" }
        #expect(lines == ["X-All: 1", "X-All: 2", "X-Env: a", "X-Env: b", "X-A: 1", "X-A: 2"])
        #expect(try edited("A", text) { _ in } == text)
        let more = try edited("A", text) { $0.headers.insert(.init("x-a", "3"), at: 6) }
        #expect(more == text.replacing("[1, 2], Accept: ~ }", with: "[1, 2, 3], Accept: ~ }"))
        let less = try edited("A", text) { $0.headers.remove(at: 4) }
        #expect(try self.workspace(less).sent("A").headerFields.count { $0.value == "2" } == 2)
        let one = try edited("A", text) { $0.headers[0].value = nil }
        #expect(
            try self.workspace(one).sent("A").headerFields.filter { $0.name.rawName == "X-All" }
                .map(
                    \.value
                ) == ["2"]
        )
    }

    @Test("fields that are added twice to a target in one line are two lines")
    func addedTwice() throws {
        let text = try edited("Users/List") {
            $0.headers += [.init("X-A", "1"), .init("X-A", "2")]
        }
        #expect(text.contains("headers: { X-A: [1, 2] }") || text.contains("X-A: [1, 2]"))
        let sent = try workspace(text).sent("Users/List").headerFields
        #expect(sent.filter { $0.name.rawName == "X-A" }.map(\.value) == ["1", "2"])
    }

    @Test(
        "what is refused names the part of the request, not a place in a text that no file has",
        arguments: [
            ("X-B", "the field `X-B`: unknown variable `nope`"),
            ("url", "the request line: unknown variable `nope`"),
            ("query", "the parameter `q`: unknown variable `nope`"),
            ("token", "the credentials: unknown variable `nope`"),
            ("timeout", "`timeout` cannot be `{{ nope }}`"),
        ]
    )
    func namesParts(part: String, words: String) throws {
        let error = #expect(throws: WorkspaceError.self) {
            try edited("Users/List") { target in
                switch part {
                case "X-B": target.headers.append(.init("X-B", "{{ nope }}"))
                case "url": target.url = "/{{ nope }}"
                case "query": target.query.append(.init("q", "{{ nope }}"))
                case "token": target.authorization = .bearer("{{ nope }}")
                default:
                    let index = target.options.firstIndex { $0.name == "timeout" } ?? 0
                    target.options[index].value = "{{ nope }}"
                    target.options[index].inheritedFrom = nil
                }
            }
        }
        #expect(error?.problems.first?.words.hasPrefix(words) == true)
    }

    @Test("what is inherited and what holds by itself is told with its origin")
    func inherited() throws {
        let text = """
            defaults: { auth: { basic: { user: ada, password: x } } }
            environments: { local: { auth: { bearer: t } }, other: {} }
            targets: { A: GET http://h/ }

            """
        let workspace = try workspace(text)
        let definition = try #require(workspace.definition(TargetID("A")))
        let local = workspace.written(definition, in: "local").inheritedAuthorization
        #expect(local == .init(.bearer("t"), from: "environment local"))
        let other = workspace.written(definition, in: "other")
        #expect(other.inheritedAuthorization?.source == "defaults")
        let redirects = other.options.first { $0.name == "redirects" }
        #expect(redirects?.value == nil && redirects?.standard == "10")
    }

    @Test("a new target gets a group of new ones, and a name that is free")
    func adds() throws {
        let target = TargetDraft(
            method: "POST",
            url: "https://i/x?y=1",
            headers: [.init("Cookie", "a=1"), .init("cookie", "b=2")],
            authorization: .basic(user: "u", password: "p: 1"),
            body: .json("{\"a\": [1.50, \"x\"]}"),
            options: [.init("verifyTLS", "false")]
        )
        let (first, id) = try workspace().adding(target, named: "Mine")
        let (second, other) = try first.adding(target, named: "Mine")
        #expect([id.rawValue, other.rawValue] == ["New/Mine", "New/Mine 2"])
        #expect(second.targets.count == 4)
        let sent = try second.sent("New/Mine 2")
        #expect(sent.bodyText == "{\"a\":[1.50,\"x\"]}")
        #expect(sent.headerFields[.cookie] == "a=1; b=2")
        #expect(!sent.options.verifiesTLS)
    }

    @Test("what is given to a secret without a value is sent, and masked")
    func supplies() throws {
        let text = """
            variables: { token: { env: NO_SUCH } }
            targets: { A: { request: GET http://h/, auth: { bearer: "{{ token }}" } } }

            """
        let workspace = try workspace(text)
        do {
            _ = try workspace.sent("A")
            Issue.record("there is no value")
        } catch let error as WorkspaceError {
            #expect(error.problems.first?.missing?.name == "token")
        }
        let sent = try workspace.supplying(["token": "given-value"]).sent("A")
        #expect(sent.headerFields[.authorization] == "Bearer given-value")
        #expect(!"\(sent.display)".contains("given-value"))
        #expect(sent.mask.masking(text: "a given-value b").contains("given-value") == false)
    }
}
