import TestSupport
import Testing

@testable import Workspaces

@Suite("Making, renaming, moving, copying and deleting what a workspace has")
struct WorkspaceChangeTests {
    private static let text = """
        # yaml-language-server: $schema=workspace.schema.json
        environments:
          base: { baseURL: "http://h", variables: { user: 1 } }   # for all
          local:
            extends: base
            variables: { token: { env: HOME } }
        variables:
          page: 1 # the first
          size: "{{ page }}0"
        targets:
          # What is there
          Users:
            # One of them
            Show: GET /users/{{ user }}   # by id
            List:
              request: GET /users
              query: { page: "{{ page | default(1) }}" } # pages
            Other: { like: Users/List }
          Home: GET /
        batches:
          Smoke: [Home, { target: Users/List, repeat: 2, set: { page: "{{ index }}" } }]
        chains:
          Look:
            - Users/List
            - { step: one, target: Users/Show, needs: List }

        """

    private func changed(_ change: WorkspaceChange, _ text: String = text) throws -> String {
        let workspace = try Workspace.parse(text: text, file: "a.apus.yaml")
        let changed = try workspace.changing(change)
        return changed.sources.map(\.text).joined()
    }

    /// The lines that a change removes, with `-`, and those that it adds, with `+`.
    private func lines(_ change: WorkspaceChange) throws -> [String] {
        let old = Self.text.split(separator: "\n").map(String.init)
        let new = try changed(change).split(separator: "\n").map(String.init)
        return new.difference(from: old).map { step in
            switch step {
            case .remove(_, let line, _): "-\(line)"
            case .insert(_, let line, _): "+\(line)"
            }
        }
    }

    @Test("a rename changes the name and every reference to it, and no other byte")
    func rename() throws {
        let lines = try lines(.move("Users/List", to: "Users/All"))
        #expect(
            Set(lines) == [
                "-    List:", "+    All:", "-    Other: { like: Users/List }",
                "+    Other: { like: Users/All }",
                "-  Smoke: [Home, { target: Users/List, repeat: 2, set: { page: \"{{ index }}\" } }]",
                "+  Smoke: [Home, { target: Users/All, repeat: 2, set: { page: \"{{ index }}\" } }]",
                // The step keeps its name, which another needs.
                "-    - Users/List", "+    - { step: List, target: Users/All }",
            ]
        )
    }

    @Test("a target moves as it is written, with the comments above it")
    func move() throws {
        let text = try changed(.move("Users/Show", to: "People/One/Show"))
        #expect(
            text.contains(
                """
                  Home: GET /
                  People:
                    One:
                      # One of them
                      Show: GET /users/{{ user }}   # by id
                batches:
                """
            )
        )
        #expect(text.contains("  Users:\n    List:\n"))
        #expect(text.contains("{ step: one, target: People/One/Show, needs: List }"))
    }

    @Test("a group moves with all that is in it, also to the outside and into an empty one")
    func moveGroup() throws {
        let renamed = try changed(.move("Users", to: "People"))
        #expect(renamed.contains("  # What is there\n  People:\n    # One of them\n"))
        #expect(renamed.contains("like: People/List") && renamed.contains("- People/List"))
        let made = try changed(.makeGroup("Shop"))
        #expect(made.contains("  Home: GET /\n  Shop: {}\n"))
        let moved = try changed(.move("Users", to: "Shop/Users"), made)
        #expect(
            moved.contains(
                "  Shop:\n    # What is there\n    Users:\n      # One of them\n      Show: GET"
            )
        )
        #expect(try changed(.move("Shop/Users", to: "Users"), moved).contains("  Shop: {}\n"))
    }

    @Test("a copy stands beside what it is of, as that is written")
    func copy() throws {
        let lines = try lines(.copy("Users/List", to: "Users/List copy"))
        #expect(
            lines == [
                "+    List copy:", "+      request: GET /users",
                "+      query: { page: \"{{ page | default(1) }}\" } # pages",
            ]
        )
        let group = try changed(.copy("Users", to: "People"))
        #expect(
            group.contains(
                "  People:\n    # One of them\n    Show: GET /users/{{ user }}   # by id"
            )
        )
    }

    @Test("what is used is not deleted, and the message names the places")
    func refusesToDelete() throws {
        for (change, words) in [
            (WorkspaceChange.delete("Users/Show"), "`Users/Show` is used in a.apus.yaml:25"),
            (.delete("Home"), "a.apus.yaml:21"),
            (.delete("Users"), "a.apus.yaml:21, a.apus.yaml:24, a.apus.yaml:25"),
            (.deleteEnvironment("base"), "the environment `base` is used in a.apus.yaml:5"),
            (.deleteVariable("user", environment: "base"), "`user` is used in a.apus.yaml:14"),
            (.renameVariable("page", to: "size"), "`size` is defined or used already"),
            (.move("Users", to: "Home"), "there is already a target `Home`"),
            (.move("Users", to: "Users/In"), "a group cannot be moved into itself"),
            (.move("Users/Show", to: "Home/Show"), "`Home` is a target, not a group"),
            (.copyEnvironment("local", to: "base"), "there is already an environment `base`"),
            (.makeGroup("Users"), "there is already a group `Users`"),
            (.makeGroup("Users/"), "need names"),
            (.setVariable("a b", "1", environment: nil), "a variable's name has letters"),
            (.delete("Nothing"), "`Nothing` no longer exists"),
        ] {
            let error = #expect(throws: WorkspaceError.self) { try changed(change) }
            #expect(
                error?.description.contains(words) == true,
                "\(change): \(error?.description ?? "")"
            )
        }
    }

    @Test("deleting removes the entry, and leaves an empty group and the comments")
    func delete() throws {
        #expect(try lines(.delete("Users/Other")) == ["-    Other: { like: Users/List }"])
        let one = "targets:\n  A: # c\n    B: GET http://h/\n  C: GET http://h/\n"
        #expect(try changed(.delete("A/B"), one) == "targets:\n  A: {} # c\n  C: GET http://h/\n")
        #expect(try changed(.delete("A"), one) == "targets:\n  C: GET http://h/\n")
        #expect(try changed(.delete("C"), "targets: { C: GET http://h/ }\n") == "targets: {}\n")
    }

    @Test("environments are made, renamed with what extends them, copied, set and deleted")
    func environments() throws {
        #expect(
            try lines(.makeEnvironment("live", baseURL: "", extending: "base")) == [
                "+  live: { extends: base }"
            ]
        )
        #expect(
            Set(try lines(.renameEnvironment("base", to: "shared"))) == [
                "-  base: { baseURL: \"http://h\", variables: { user: 1 } }   # for all",
                "+  shared: { baseURL: \"http://h\", variables: { user: 1 } }   # for all",
                "-    extends: base", "+    extends: shared",
            ]
        )
        #expect(
            try changed(.copyEnvironment("local", to: "stage")).contains(
                "  stage:\n    extends: base\n    variables: { token: { env: HOME } }\n"
            )
        )
        #expect(
            try lines(.setSetting("baseURL", "http://o", environment: "local"))
                == ["+    baseURL: http://o"]
        )
        // Without what it extends it has no base URL.
        #expect(throws: WorkspaceError.self) {
            try changed(.setSetting("extends", "", environment: "local"))
        }
        #expect(
            try changed(
                .setSetting("danger", "", environment: "one"),
                "environments:\n  one: { danger: true, color: red }\ntargets: {}\n"
            ) == "environments:\n  one: { color: red }\ntargets: {}\n"
        )
        let unused = try changed(.makeEnvironment("live", baseURL: "", extending: "base"))
        #expect(try changed(.deleteEnvironment("live"), unused) == Self.text)
        #expect(
            try changed(
                .setSetting("baseURL", "http://n", environment: "one"),
                "environments:\n  one: {}\ntargets: {}\n"
            )
                == "environments:\n  one:\n    baseURL: http://n\ntargets: {}\n"
        )
    }

    @Test("variables are set, renamed wherever they are used, and deleted")
    func variables() throws {
        #expect(
            try lines(.setVariable("page", "2", environment: nil))
                == ["-  page: 1 # the first", "+  page: 2 # the first"]
        )
        #expect(
            try changed(.setVariable("key", "{ file: key.txt }", environment: "local")).contains(
                "variables: { token: { env: HOME }, key: { file: key.txt } }"
            )
        )
        #expect(
            Set(try lines(.renameVariable("page", to: "first"))) == [
                "-  page: 1 # the first", "+  first: 1 # the first",
                "-  size: \"{{ page }}0\"", "+  size: \"{{ first }}0\"",
                "-      query: { page: \"{{ page | default(1) }}\" } # pages",
                "+      query: { page: \"{{ first | default(1) }}\" } # pages",
                "-  Smoke: [Home, { target: Users/List, repeat: 2, set: { page: \"{{ index }}\" } }]",
                "+  Smoke: [Home, { target: Users/List, repeat: 2, set: { first: \"{{ index }}\" } }]",
            ]
        )
        #expect(
            try lines(.deleteVariable("token", environment: "local"))
                == ["-    variables: { token: { env: HOME } }"]
        )
        let first = try changed(.setVariable("a", "1", environment: nil), "targets: {}\n")
        #expect(first == "targets: {}\nvariables:\n  a: 1\n")
        #expect(try changed(.deleteVariable("a", environment: nil), first) == "targets: {}\n")
    }

    @Test(
        "a name is a variable unless it is called, stands after a bar, or in quotes",
        arguments: [
            ("{{ a }} a {{a}}", "{{ b }} a {{b}}"),
            (
                "{{ c | a }} {{ a(a) }} {{ 'a' | default(a, \"a\") }}",
                "{{ c | a }} {{ a(b) }} {{ 'a' | default(b, \"a\") }}"
            ),
            (#"\{{ a }} {{ a-a }} {{ a"#, #"\{{ a }} {{ a-a }} {{ a"#),
        ]
    )
    func names(text: String, renamed: String) {
        #expect(VariableNames.renaming("a", to: "b", in: text) == renamed)
    }

    @Test("a chain that captures a value of the same name keeps a variable from being renamed")
    func captured() throws {
        let text = """
            variables: { id: 1 }
            targets: { A: "GET http://h/{{ id }}" }
            chains: { C: [{ step: a, target: A, capture: { id: $.id } }] }

            """
        let error = #expect(throws: WorkspaceError.self) {
            try changed(.renameVariable("id", to: "key"), text)
        }
        #expect(error?.description.contains("a chain captures `id`, too (a.apus.yaml:3)") == true)
    }

    @Test("what several files have of a group changes in all of them")
    func files() throws {
        let sources = [
            SourceText(name: "a.apus.yaml", text: "targets:\n  G:\n    A: GET http://h/a # a\n"),
            SourceText(name: "b.apus.yaml", text: "targets:\n  G:\n    B: { like: G/A }\n"),
        ]
        let workspace = try WorkspaceLoader.read(
            sources,
            given: [:],
            secrets: .process,
            ProblemLog()
        )
        let moved = try workspace.changing(.move("G", to: "H/I"))
        #expect(
            moved.sources.map(\.text) == [
                "targets:\n  H:\n    I:\n      A: GET http://h/a # a\n",
                "targets:\n  H:\n    I:\n      B: { like: H/I/A }\n",
            ]
        )
    }

    @Test("definitions say where a value comes from, and what the file has")
    func definitions() throws {
        let workspace = try Workspace.parse(text: Self.text, file: "a.apus.yaml")
        let local = workspace.definitions(in: "local")
        #expect(local.map(\.name) == ["page", "size", "token", "user"])
        #expect(local.map(\.environment) == [nil, nil, "local", "base"])
        #expect(local.map(\.written) == ["1", "{{ page }}0", "{ env: HOME }", "1"])
        #expect(local.map(\.isSecret) == [false, false, true, false])
        #expect(local[1].shown == "10" && local[2].shown == "••••••")
        #expect(local[0].location?.line == 8 && local.allSatisfy(\.isEditable))
        #expect(workspace.definitions(in: nil).map(\.name) == ["page", "size"])
        let settings = workspace.settings(of: "local")
        #expect(settings.map(\.name) == ["baseURL", "extends", "danger"])
        #expect(settings[0].written.isEmpty && settings[0].shown == "http://h")
        #expect(settings[0].environment == "base" && settings[1].written == "base")
    }
}
