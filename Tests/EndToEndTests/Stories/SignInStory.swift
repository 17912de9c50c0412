import FoundationEssentials
import TestSupport
import Testing

@Suite("Signing in")
struct SignInStory {
    private func workspace(_ server: AuthorizationServer) -> String {
        """
        environments:
          local: { baseURL: "\(server.url)" }
        defaults:
          auth:
            oauth2:
              grant: authorizationCode
              authorizationURL: "\(server.url)/authorize"
              tokenURL: "\(server.url)/token"
              clientID: me
        targets:
          Orders: GET /orders
          Device:
            request: GET /device-orders
            auth:
              oauth2: { grant: deviceCode, deviceURL: "\(server.url)/device", tokenURL: "\(server.url)/token", clientID: me }
        """
    }

    private func explorer(
        _ server: AuthorizationServer,
        browser: String,
        files: PrivateFiles = PrivateFiles()
    ) throws -> TerminalProcess {
        let path = try files.write(workspace(server), to: "story.apus.yaml")
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [BuiltProgram.path, path],
            environment: ["BROWSER": browser],
            files: files
        )
        try explorer.waitFor("Orders")
        return explorer
    }

    @Test(
        "a request opens the page, is sent when the person has signed in, and says who is; a key signs out"
    )
    func signingIn() throws {
        // {"email":"ada@example"}
        let server = try AuthorizationServer {
            $0.identity = "e30.eyJlbWFpbCI6ImFkYUBleGFtcGxlIn0.x"
        }
        let files = PrivateFiles()
        // The program itself goes where the page leads, like a browser.
        let explorer = try explorer(
            server,
            browser: "\(BuiltProgram.path) send --no-history %s",
            files: files
        )
        try explorer.waitFor("not signed in")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("signed in as ada@example until")
        #expect(server.requests.map(\.token) == ["t0ken-number-2"])
        let kept = files.contents(of: files.home + "/state/apus/sign-ins")
        #expect(kept.count == 1)
        let file = "state/apus/sign-ins/\(kept.first ?? "")"
        #expect(try files.mode(of: file) == 0o600)
        try explorer.send(.control("o"))
        try explorer.waitFor("signed out")
        try explorer.waitFor("not signed in")
        #expect(files.contents(of: files.home + "/state/apus/sign-ins").isEmpty)
        try explorer.send("O")
        try explorer.waitFor("signed in as ada@example until")
        #expect(try explorer.quit() == .exited(0))
        // What was recorded has no token.
        let history = try files.bytes("data/apus/history.sqlite")
        #expect(history.firstRange(of: Array("t0ken-number".utf8)) == nil)
    }

    @Test("a wait shows the page and can be cancelled; a device shows its code")
    func waiting() throws {
        let server = try AuthorizationServer()
        let explorer = try explorer(server, browser: "true")
        try explorer.send(.enter)
        try explorer.waitFor("Sign in on this page")
        try explorer.waitFor("/authorize?response_type=code")
        try explorer.send(.escape)
        try explorer.waitUntilGone("Sign in on this page")
        try explorer.waitFor("not signed in")
        #expect(server.requests.isEmpty)
        try explorer.choose("Device")
        try explorer.send(.enter)
        try explorer.waitFor("WDJB-MJHT")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("signed in until")
        #expect(try explorer.quit() == .exited(0))
    }
}
