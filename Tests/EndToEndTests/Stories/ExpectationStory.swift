import Synchronization
import TestSupport
import Testing

@Suite("Expecting something of a response")
struct ExpectationStory {
    @Test("one key expects a value, the server changes, the response says so, and a run fails")
    func expecting() throws {
        let files = PrivateFiles()
        let price = Price("1.50")
        let server = try RawServer { _ in
            [RawServer.ok(#"{"name": "Lamp", "price": \#(price.value)}"#)]
        }
        let path = try files.write(
            """
            environments: { here: { baseURL: "http://\(server.authority)" } }
            targets:
              # What is sold
              Lamp: GET /lamp   # one
            chains:
              Buy:
                - { step: look, target: Lamp, expect: { json: { $.price: { "<": 2 } } } }
                - { step: pay, target: Lamp }
            """,
            to: "story.apus.yaml"
        )
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [BuiltProgram.path, path],
            files: files
        )
        try explorer.waitFor("Lamp")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("3")
        try explorer.send(.down)
        try explorer.send(.down)
        try explorer.send("A")
        try explorer.waitFor("Expect $.price:")
        try explorer.waitFor("== 1.50")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "1/1 ✓")
        #expect(
            try files.read("story.apus.yaml").contains(
                """
                  # What is sold
                  Lamp:
                    request: GET /lamp   # one
                    expect:
                      json:
                        $.price: 1.50
                """
            )
        )

        price.set("3")
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "0/1 ✗")
        try explorer.waitFor("✗ price")
        try explorer.send("ie")
        try explorer.waitFor("1 not as expected")
        try explorer.waitFor("story.apus.yaml:8:")
        try explorer.send(.down)
        try explorer.send(.enter)
        try explorer.waitUntilGone("1 not as expected")

        // The step of a chain that expects it ends the chain.
        try explorer.send("1")
        try explorer.send("/Buy\r")
        try explorer.waitFor("Chain: Buy")
        try explorer.send(.enter)
        try explorer.waitFor("Failed at look: expected: $.price < 2, actual: 3")
        #expect(server.received.count == 3)

        try explorer.choose("Lamp")
        try explorer.send("3ie")
        try explorer.waitFor("1 not as expected")
        try explorer.send(.down)
        try explorer.send("-")
        try explorer.waitFor("removed what is expected of $.price in Lamp")
        #expect(!(try files.read("story.apus.yaml").contains("$.price: 1.50")))
        #expect(try explorer.quit() == .exited(0))

        let run = try PipedProgram.run(["run", path, "Buy"], files: files)
        #expect(run.status == .exited(1))
        #expect(run.output.contains("$.price < 2"), "\(run.output)\(run.errors)")
    }
}

/// What the server says that something costs.
private final class Price: Sendable {
    private let text: Mutex<String>

    init(_ text: String) { self.text = Mutex(text) }

    var value: String { text.withLock(\.self) }
    func set(_ text: String) { self.text.withLock { $0 = text } }
}
