import TestSupport
import Testing

@Suite("Values that a request needs")
struct SupplyingStory {
    @Test("commands run once they are trusted, values are asked for, and a login is sent by itself")
    func supplies() throws {
        let server = try RawServer { request in
            switch request.path {
            case "/login": [RawServer.ok(#"{"token": "the-token-of-ada"}"#)]
            default: [RawServer.ok(#"{"hello": "\#(request.value(of: "X-Role") ?? "nobody")"}"#)]
            }
        }
        let explorer = try TerminalProcess.explorer(
            on: """
                environments: { here: { baseURL: "http://\(server.authority)" } }
                variables:
                  key: { command: "echo key-from-command" }
                  role: { ask: Your role, choices: [guest, admin] }
                  code: { ask: One-time code, secret: true }
                  token: { from: Login, capture: $.token }
                targets:
                  Login: { request: POST /login, json: { code: "{{ code }}" } }
                  Keyed: { request: GET /keyed, headers: { X-Key: "{{ key }}" } }
                  Rolled: { request: GET /rolled, headers: { X-Role: "{{ role }}" } }
                  Mine: { request: GET /mine, auth: { bearer: "{{ token }}" } }
                """,
            showing: "Keyed"
        )
        try explorer.choose("Keyed")
        try explorer.send(.enter)
        try explorer.waitFor("Run these commands?")
        try explorer.waitFor("$ echo key-from-command")
        #expect(server.received.isEmpty)
        try explorer.send("y")
        try explorer.waitForPane("Server", saying: "200")
        #expect(server.received.last?.value(of: "X-Key") == "key-from-command")
        #expect(!explorer.shows("key-from-command"))

        try explorer.choose("Rolled")
        try explorer.send(.enter)
        try explorer.waitFor("Your role")
        try explorer.send(.down)
        try explorer.send(.enter)
        try explorer.waitFor("\"admin\"")

        try explorer.choose("Mine")
        try explorer.send(.enter)
        try explorer.waitFor("One-time code")
        try explorer.send("246810")
        #expect(!explorer.shows("246810"))
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("sent Login for token")
        let last = server.received.suffix(2)
        #expect(last.map(\.path) == ["/login", "/mine"])
        #expect(
            last.first.map { String(decoding: $0.body, as: UTF8.self) } == #"{"code":"246810"}"#
        )
        #expect(last.last?.value(of: "Authorization") == "Bearer the-token-of-ada")

        try explorer.send("F")
        try explorer.waitFor("forgotten: code, key, role, token")
        try explorer.send(.enter)
        try explorer.waitFor("One-time code")
        try explorer.send(.escape)
        try explorer.waitFor("it was not given")
        #expect(server.received.count == 4)
        #expect(try explorer.quit() == .exited(0))
    }
}
