import Testing

@Suite("Samples in place of the server")
struct StubStory {
    private static let text = """
        environments: { local: { baseURL: "http://127.0.0.1:9" } }
        targets:
          Show: { request: GET /users/7, note: "A user, see [here](https://example.com/).", sample: { json: { id: 7, name: Ada } } }
          Next: { request: "GET /users/{{ id }}", sample: { status: 201, body: "second" } }
        variables: { id: 1 }
        batches: { Both: [Show, Next] }
        chains: { Look: [{ step: one, target: Show, capture: { id: $.id } }, { step: two, target: Next }] }

        """

    @Test(
        "send, batch and chain take samples with --stubs, and ask the server without",
        arguments: [
            (["send", "-w", "shop.apus.yaml", "Show"], #"{"id":7,"name":"Ada"}"#),
            (["batch", "-w", "shop.apus.yaml", "Both"], "201"),
            (["chain", "-w", "shop.apus.yaml", "Look"], "201"),
        ]
    )
    func commands(arguments: [String], output: String) throws {
        let files = PrivateFiles()
        try files.write(Self.text, to: "shop.apus.yaml")
        let stubbed = try PipedProgram.run(arguments + ["--stubs", "--no-history"], files: files)
        #expect(stubbed.status == .exited(0), "\(stubbed.errors)")
        #expect(stubbed.output.contains(output), "\(stubbed.output)")
        let asked = try PipedProgram.run(arguments + ["--no-history"], files: files)
        #expect(asked.status != .exited(0))
    }

    @Test("the explorer shows a stub as one, and a note with ?")
    func explorer() throws {
        let files = PrivateFiles()
        try files.write(Self.text, to: "shop.apus.yaml")
        let explorer = try TerminalProcess(
            rows: 36,
            columns: 120,
            arguments: [BuiltProgram.path, "shop.apus.yaml", "--stubs"],
            files: files
        )
        try explorer.waitFor("GET  Show ?")
        try explorer.waitFor("answered by its sample")
        try explorer.send("\r")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("\"Ada\"")
        #expect(explorer.shows("stub"))
        try explorer.send("?")
        try explorer.waitFor("A user, see here <https://example.com/>.")
        try explorer.send("/")
        try explorer.send("envelope")
        try explorer.waitFor("No key does that. No page says it.")
        try explorer.send(.control("u"))
        try explorer.send("bidirectional")
        try explorer.waitFor("A terminal obeys nothing from outside.")
        try explorer.send("\r")
        try explorer.send(.escape)
        try explorer.waitFor("Notes · Keys")
        try explorer.send("q")
        try explorer.waitFor("GET  Next")
        #expect(try explorer.quit() == .exited(0))
    }
}
