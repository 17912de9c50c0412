import Documents
import HTTPTypes
import Testing

@testable import Apus
@testable import Secrets

@Suite("Credentials that a chain captures")
struct ChainSecretsTests {
    private static let token = "cap-TOKEN-1"

    /// Answers the first step with `body`, and every other with the token under an honest name.
    private func server(_ body: String) -> ScriptedTransport {
        ScriptedTransport { request in
            let isFirst = request.head.path == "/a"
            return .make(request, isFirst ? body : #"{"id": "for cap-TOKEN-1"}"#)
        }
    }

    /// Three steps: one captures, one has the token sent back, and one sends that on.
    private func plan(_ name: String, _ path: String) throws -> ChainGraph {
        var last = ChainPlan.Step.make("c", needs: ["b"], uses: ["id"])
        last.target = { values in
            var target = TestTarget(path: "/c", cachePolicy: .none)
            target.headerFields = [.init("X-Foo") ?? .accept: try values.text("id")]
            return target
        }
        return try ChainGraph(
            ChainPlan([
                .make("a", captures: [name: path]),
                .make("b", needs: ["a"], captures: ["id": "$.id"]), last,
            ])
        )
    }

    @Test(
        "they are secrets of what follows, whatever they were captured in",
        arguments: [
            ("token", "$.plain"), ("t", "$.session.token"), ("t", "$.session"), ("t", "$"),
            ("t", "$.session.*"), ("t", "$.users[*].*"), ("t", "$.users[0:1].*"), ("t", "$..*"),
            ("t", "$.users"), ("t", "$.users[*].token"), ("t", "$..token"), ("t", "$.bearer"),
            ("token", "$.bearer"), ("t", "$.secret"), ("t", "$.secret[0]"), ("t", "$.secret[0].of"),
        ]
    )
    func secrets(name: String, path: String) async throws {
        let body = """
            {"plain": "cap-TOKEN-1", "session": {"token": "cap-TOKEN-1", "user": "ada-lovelace"},
             "users": [{"token": "cap-TOKEN-1", "id": 7}], "bearer": "Bearer cap-TOKEN-1",
             "secret": [{"of": "cap-TOKEN-1"}]}
            """
        let graph = try plan(name, path)
        var state: ChainState?
        // The second time from what the first one left, without the step that captured them.
        for steps in [["/a", "/b", "/c"], ["/b", "/c"]] {
            let transport = server(body)
            let summary = await Provider.sending(over: transport).summary(
                of: graph,
                resuming: state
            )
            #expect(transport.received.map(\.head.path) == steps)
            for request in transport.received.dropFirst(steps.count - 2) {
                let shown = request.mask.masking(text: "ada-lovelace has \(Self.token)")
                #expect(shown == "ada-lovelace has ••••••")
            }
            let names = transport.received.last?.secretFieldNames.map(\.rawName)
            #expect(names == ["X-Foo"])
            let shown = summary.steps.flatMap { graph.shownCaptures(of: $0) }.compactMap {
                $0.value.text()
            }
            #expect(!shown.contains { $0.contains(Self.token) }, "\(shown)")
            state = summary.state
            state?.forget("b")
        }
    }

    @Test(
        "those of URLs are, whatever they are called",
        arguments: [
            (#""/b?page=2&access_token=cap-TOKEN-1""#, #""/b?page=2&access_token=••••••""#),
            (#""http:\/\/ada:cap-TOKEN-1@h\/""#, #""http://ada:••••••@h/""#),
            (#""https://h/#id_token=cap-TOKEN-1""#, #""https://h/#id_token=••••••""#),
            (
                #""/c?to=%2Fb%3Fto%3D%252Fa%253Ftoken%253Dcap%252DTOKEN-1%2526x""#,
                #""/c?to=%2Fb%3Fto%3D%252Fa%253Ftoken%253D••••••%2526x""#
            ),
            (
                #"["see http://h/?token=cap-TOKEN-1 now", {"a": "http://h/?q#a"}]"#,
                #"["see http://h/?token=•••••• now",{"a":"http://h/?q#a"}]"#
            ),
            (#"{"http://ada:cap-TOKEN-1@h/": 1}"#, #"{"http://••••••@h/":1}"#),
            // In JSON in a text the value ends where a URL does.
            (#""{\"a\": \"/b?token=cap-TOKEN-1\"}""#, #""{\"a\": \"/b?token=••••••\"}""#),
        ]
    )
    func urls(json: String, shown: String) async throws {
        let graph = try plan("next", "$.n")
        let transport = server("{\"n\": \(json)}")
        var state: ChainState?
        for steps in [["/a", "/b", "/c"], ["/b", "/c"]] {
            let before = transport.received.count
            let summary = await Provider.sending(over: transport).summary(
                of: graph,
                resuming: state
            )
            let sent = transport.received.dropFirst(before)
            #expect(sent.map(\.head.path) == steps)
            #expect(sent.last?.secretFieldNames.map(\.rawName) == ["X-Foo"])
            #expect(sent.last?.mask.masking(text: "is \(Self.token)") == "is ••••••")
            let captures = summary.steps.flatMap { graph.shownCaptures(of: $0) }.map {
                $0.value.text()
            }
            #expect(captures == [shown, #""for ••••••""#])
            state = summary.state
            state?.forget("b")
        }
    }

    @Test("many links leave room for what has a name, and each is masked")
    func links() throws {
        let links = (0..<60_000).map { #""/b?token=link-\#($0)""# }.joined(separator: ",")
        let value = try JSON(parsing: "[\(links),{\"password\":\"p-12345\"}]")
        let found = CapturedCredentials.credentials(in: value, shortest: .max)
        #expect(found.count == CapturedCredentials.limit / 2 + 1)
        #expect(found.first == "link-0" && found.last == "p-12345")
        let shown = CredentialMask().masking(value)
        #expect(shown.elements.dropLast().allSatisfy { $0.string == "/b?token=••••••" })
    }

    @Test("of an object only its credentials are masked")
    func shown() async throws {
        let body = #"{"user": {"name": "ada", "token": "7", "password": ["p"], "n": 1}}"#
        let graph = try plan("user", "$.user")
        let summary = await Provider.sending(over: server(body)).summary(of: graph)
        #expect(
            graph.shownCaptures(of: summary.steps[0]).first?.value.text()
                == #"{"name":"ada","token":"••••••","password":"••••••","n":1}"#
        )
    }

    @Test(
        "of a large value a line has the beginning, as far as it can be no secret",
        arguments: [
            (#""LONG""#, "LONG"), (#""a cap-TOKEN-1 LONG""#, "a •••••• LONG"),
            (#""a //LONG@h""#, "a ••••••"), (#""http://LONG@h""#, "http••••••"),
            (#""ada:LONG@h""#, "ada••••••"), (#""/b?token=LONG""#, "/b••••••"),
            (#""http://a:b@h/ LONG""#, "http://a:••••••@h/ LONG"), (#"["LONG", "b"]"#, "[2]"),
            (#"{"token": "LONG"}"#, "{1}"),
        ]
    )
    func beginnings(json: String, shown: String) throws {
        let long = String(repeating: "x", count: 70_000)
        let value = try JSON(parsing: json.replacing("LONG", with: long))
        let mask = CredentialMask(secrets: [Self.token])
        let text = mask.beginning(of: value) { _ in false }?.string ?? ""
        var short = ""
        for character in text where character != "x" || short.last != "x" {
            short.append(character)
        }
        #expect(short.replacing("x", with: "LONG") == shown)
        let captured = mask.beginning(of: value) { _ in true }?.string
        #expect(captured == (value.kind == .string ? "••••••" : shown))
        #expect(try mask.beginning(of: JSON(parsing: json)) { _ in false } == nil)
    }

    @Test(
        "a short text is none for a name that is often another's",
        arguments: [
            ("country", "$.code", "DE12", false), ("country", "$.code", "DE12-DE12", true),
            ("key", "$.id", "DE12", false), ("t", "$", "DE12", false),
            ("t", "$", "DE12-DE12", true),
            ("pin", "$.otp", "DE12", true), ("token", "$.code", "DE12", true),
        ]
    )
    func weak(name: String, path: String, text: String, isSecret: Bool) async throws {
        let transport = server("{\"code\": \"\(text)\", \"id\": \"\(text)\", \"otp\": \"\(text)\"}")
        let narrow = path == "$" ? #"{"code": "\#(text)"}"# : nil
        let sent = narrow.map { server($0) } ?? transport
        _ = await Provider.sending(over: sent).summary(of: try plan(name, path))
        let shown = try #require(sent.received.last).mask.masking(text: "is \(text)")
        #expect(shown == (isSecret ? "is ••••••" : "is \(text)"))
    }

    @Test("a request has as many as can be looked for, and the first ones; all others are known")
    func many() {
        let secrets = ChainSecrets()
        secrets.add(captured: (0..<3000).map { "token-\($0)" })
        secrets.add(captured: [String(repeating: "x", count: 1 << 20)])
        #expect(secrets.requestSecrets == Set((0..<1000).map { Secret("token-\($0)") }))
        #expect(secrets.isCaptured("token-2999") && !secrets.isCaptured("token"))
        let value = JSON(["token-0 here", "token-2999", "other"])
        #expect(
            secrets.mask().masking(value, where: secrets.isCaptured).text()
                == #"["•••••• here","••••••","other"]"#
        )
    }
}
