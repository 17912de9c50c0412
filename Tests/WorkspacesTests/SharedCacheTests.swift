import Apus
import Sharing
import TestSupport
import Testing

@testable import Workspaces

@Suite("The shared cache of a workspace")
struct SharedCacheTests {
    private static let key = "0123456789abcdef"
    private static let text = """
        cache: { shared: "redis://cache.internal/1", key: { env: TEAM_KEY }, budget: 80 ms }
        targets: { Home: GET http://h/ }
        """

    @Test("the store has the address of the workspace, without its credentials")
    func store() throws {
        let workspace = try Workspace.make(
            """
            cache:
              shared: "redis://cache.internal:7000/1"
              key: { file: team-key }
              password: { env: REDIS_PASSWORD }
            targets: { Home: GET http://h/ }
            """,
            environmentVariables: ["REDIS_PASSWORD": "sesame"],
            files: ["team-key": "\(Self.key)\n"]
        )
        #expect(try workspace.sharedStore()?.name == "redis://cache.internal:7000/1")
    }

    @Test(
        "a key that is missing or too short is no fault of the workspace, but nothing is shared",
        arguments: [
            (
                [:],
                """
                The shared cache is not used, because it has no key: the environment variable \
                `TEAM_KEY` is not set.
                """
            ),
            (
                ["TEAM_KEY": ""],
                """
                The shared cache is not used, because it has no key: the environment variable \
                `TEAM_KEY` is empty.
                """
            ),
            (
                ["TEAM_KEY": "short"],
                """
                The shared cache is not used: the team's key has fewer than 16 characters; make one \
                by `openssl rand -hex 32`.
                """
            ),
        ] as [([String: String], String)]
    )
    func missingKey(variables: [String: String], words: String) throws {
        let workspace = try Workspace.make(Self.text, environmentVariables: variables)
        let error = #expect(throws: SharedStoreError.self) { try workspace.sharedStore() }
        #expect(error?.description == words)
    }

    @Test(
        "what is wrong is said where it stands",
        arguments: [
            ("cache: { key: { env: K } }", "`cache` has no `shared`"),
            ("cache: { shared: \"redis://h\" }", "`cache` has no `key`"),
            (
                "cache: { shared: \"http://h\", key: { env: K } }",
                """
                `shared`: the address cannot be used: http:// is not redis://, rediss:// or unix://
                """
            ),
            (
                "cache: { shared: \"redis://h\", key: { env: K, file: f } }",
                "`key` needs one origin"
            ),
            (
                "cache: { shared: \"redis://h\", key: { env: K }, budget: 7 }",
                "`budget` cannot be `7`"
            ),
        ]
    )
    func faults(line: String, problem: String) {
        let found = problems("\(line)\ntargets: { Home: GET http://h/ }")
        #expect(found.count == 1)
        #expect(found.first?.contains(problem) == true, "\(found)")
    }

    @Test("the user's configuration names a store for what names none")
    func configuration() throws {
        let folder = TemporaryFolder()
        let isNone = try SharedCacheSettings.configured(in: folder.path).map { _ in false } ?? true
        #expect(isNone)
        try folder.write(
            "shared: \"unix:///run/redis.sock\"\nkey: { file: team-key }\n",
            to: "cache.yaml"
        )
        try folder.write("\(Self.key)\n", to: "team-key")
        let settings = try SharedCacheSettings.configured(in: folder.path)
        #expect(try settings?.store().name == "unix:///run/redis.sock")
        try folder.write("shared: 7\n", to: "cache.yaml")
        #expect(throws: WorkspaceError.self) {
            try SharedCacheSettings.configured(in: folder.path)
        }
    }
}
