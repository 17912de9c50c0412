import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing
import Workspaces

/// What is asked to be sent, in a workspace whose one target is called as a host may be.
@Suite("what is asked to be sent")
struct RequestSubjectTests {
    private let folder = TemporaryFolder()

    private func choice(
        _ text: String? = nil,
        environment: String? = nil,
        values: [String: String] = [:]
    ) throws -> WorkspaceChoice {
        let text =
            text ?? """
                variables: { user: 7 }
                environments:
                  local: { baseURL: "http://127.0.0.1:1", variables: { host: a } }
                  other: { baseURL: "http://127.0.0.1:2", variables: { host: b } }
                targets:
                  shop.example: GET /shop
                  Users:
                    Show: { request: "GET /users/{{ user }}", source: cache, cache: { storage: memory } }
                    Twice: GET /a
                  Others: { Twice: GET /b }
                batches: { All: [Users/Show, { target: Users/Twice, repeat: 2 }] }
                chains: { Look: [Users/Show] }
                """
        return WorkspaceChoice(
            path: try folder.write(text, to: "shop.apus.yaml"),
            environment: environment,
            values: values
        )
    }

    private func url(_ text: String) throws -> String? {
        guard case .url(let target) = try RequestSubject(text, in: WorkspaceChoice()) else {
            return nil
        }
        return target.path
    }

    @Test(
        "a scheme or a host makes it a URL; without a scheme it is http",
        arguments: [
            ("https://example.com/a", "https://example.com/a"),
            (" HTTP://Example.com/A\n", "http://Example.com/A"),
            ("http://example.com/a\n/b?c=\td\r\n", "http://example.com/a/b?c=d"),
            ("localhost", "http://localhost"), ("localhost:80/a?b", "http://localhost:80/a?b"),
            ("server:8080", "http://server:8080"), ("[::1]/a", "http://[::1]/a"),
            ("example.com/a", "http://example.com/a"), ("10.0.0.1", "http://10.0.0.1"),
        ]
    )
    func urls(text: String, url: String) throws {
        #expect(try self.url(text) == url)
    }

    @Test("a target that is called as a host is a target only where its workspace is named")
    func hosts() throws {
        let subject = try RequestSubject("shop.example", in: try choice())
        guard case .target(let target, let workspace?) = subject else {
            Issue.record("it is no target")
            return
        }
        #expect(target.path == "/shop" && workspace.environment == "local")
        #expect(subject.isDescribed)
    }

    @Test("a target is found by its id, or by its name if there is one of that name")
    func targets() throws {
        for name in ["Users/Show", "Show"] {
            let subject = try RequestSubject(name, in: try choice(environment: "other"))
            #expect(subject.overriding.path == "/users/7")
            #expect(subject.overriding.baseURL.absoluteString == "http://127.0.0.1:2")
        }
        let set = try RequestSubject("Show", in: try choice(values: ["user": "8"]))
        #expect(set.overriding.path == "/users/8")
    }

    @Test(
        "what is not there is said, with what may be meant",
        arguments: [
            ("Shaw", "there is no target “Shaw”; the workspace has “shop.example”, “Users/Show”"),
            ("Users/Shaw", "there is no target “Users/Shaw”; did you mean “Users/Show”? The"),
            ("Twice", "there is more than one target “Twice”: “Users/Twice”, “Others/Twice”"),
            ("http:/example", "“http:/example” is not a URL: two slashes stand before the host"),
            ("ftp://", "“ftp://”"),
        ]
    )
    func unknown(name: String, words: String) throws {
        let choice = try choice()
        do throws(WorkspaceError) {
            let subject = try RequestSubject(name, in: choice)
            // A scheme makes it a URL, which the engine refuses.
            #expect(name == "ftp://" && !subject.isDescribed)
        } catch {
            #expect(error.description.hasPrefix(words), "\(error)")
            #expect(error.line == error.description)
        }
    }

    @Test("an environment and values must be those of the workspace")
    func choices() throws {
        let none = try choice(environment: "none")
        var error = #expect(throws: WorkspaceError.self) { try none.load() }
        let words = "there is no environment “none”; the workspace has “local”, “other”"
        #expect(error?.description == words)
        let mistyped = try choice(values: ["usr": "8"])
        error = #expect(throws: WorkspaceError.self) { try mistyped.load() }
        #expect(
            error?.description
                == "--set usr=…: nothing in the workspace uses “usr”; did you mean “user”?"
        )
        let missing = WorkspaceChoice(path: folder.path + "/none.apus.yaml")
        error = #expect(throws: WorkspaceError.self) { try missing.load() }
        #expect(error?.description == "\(folder.path)/none.apus.yaml: No such file or directory")
        #expect(missing.isExplicit && !WorkspaceChoice().isExplicit)
        // What a file has is told with its line.
        let broken = try choice("targets: { A: { requst: GET / } }")
        error = #expect(throws: WorkspaceError.self) { try broken.load() }
        #expect(error?.description.contains("shop.apus.yaml:1:") == true)
    }

    @Test("a batch and a chain are found by their names")
    func flows() throws {
        let workspace = try choice().load()
        let batch = try workspace.batch(named: "All")
        #expect(batch.targets.map(\.path) == ["/users/7", "/a", "/a"] && batch.count == 3)
        #expect(try workspace.chain(named: "Look").plan.steps.count == 1)
        #expect(throws: WorkspaceError.self) { try workspace.batch(named: "Look") }
        #expect(throws: WorkspaceError.self) { try workspace.chain(named: "All") }
    }

    @Test("a curl command takes nothing from a workspace but the variables that it names")
    func curl() throws {
        let notes = Mutex<[String]>([])
        let subject = try RequestSubject(
            "curl -X PUT 'http://127.0.0.1:1/{{ user }}' -H 'A: b' --no-buffer",
            in: try choice()
        ) { note in notes.withLock { $0.append(note) } }
        guard case .target(let target, of: nil) = subject else {
            Issue.record("it is of a workspace")
            return
        }
        #expect(target.method == .put && target.path.hasSuffix("/7"))
        #expect(throws: WorkspaceError.self) {
            try RequestSubject("curl http://127.0.0.1:1/{{ user }} -X", in: WorkspaceChoice())
        }
    }

    @Test("the source is the user's, that of the cache's mode, or the target's own")
    func sources() throws {
        let target = try RequestSubject("Show", in: try choice())
        let url = try RequestSubject("http://a", in: WorkspaceChoice())
        #expect("\(target.source(with: nil))" == "\(DataSource.cache)")
        #expect("\(target.source(with: .http))" == "\(DataSource.cacheIfPossible)")
        #expect("\(target.source(with: SendCacheMode.none))" == "\(DataSource.server)")
        #expect("\(url.source(with: nil))" == "\(DataSource.server)")
        #expect("\(url.source(with: .default))" == "\(DataSource.cacheIfPossible)")
        #expect(target.overriding.usesCache(from: .server))
        #expect(!url.overriding.usesCache(from: .server))
        #expect(url.overriding.usesCache(from: .cacheIfPossible))
    }

    @Test("a replay gets what a target sends now, with recorded values for what is missing")
    func replayed() throws {
        let workspace = try choice(
            """
            environments:
              local: { baseURL: "http://127.0.0.1:1" }
              other: { baseURL: "http://127.0.0.1:2" }
            targets: { Show: "GET /users/{{ id }}", Add: POST /users }
            chains:
              Sign up:
                - { step: add, target: Add, capture: { id: $.id } }
                - { step: show, target: Show }
            """
        ).load()
        #expect(workspace.target(withID: "Show", filling: [:]) == nil)
        #expect(workspace.target(withID: "Show", filling: ["id": "7"])?.path == "/users/7")
        #expect(workspace.target(withID: "None", filling: [:]) == nil)
        #expect(workspace.completeTargets.map(\.path) == ["/users"])
        #expect(workspace.inEnvironment(named: "none") == nil)
        let other = try #require(workspace.inEnvironment(named: "other"))
        let chain = try #require(try other.replayedChain(named: "Sign up"))
        #expect(chain.requests.map(\.method) == ["POST", "GET"])
        #expect(chain.requests.allSatisfy { $0.url == "http://127.0.0.1:2" })
        #expect(try other.replayedChain(named: "None") == nil)
    }
}
