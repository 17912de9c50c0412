import Documents
import Glibc
import TestSupport
import Testing

@Suite("Bodies in hand, and what is saved of them")
struct BodyStory {
    private static func text(_ server: RawServer, name: String = "Ada") -> String {
        """
        name: Mine
        environments: { local: { baseURL: "http://\(server.authority)" } }
        targets:
          Add:
            request: POST /users
            json: { name: "\(name)", age: 36 }   # hers
          Parts:
            request: POST /parts
            multipart: { title: Sea, file: { file: sea.txt } }
          Ask:
            request: POST /graphql
            graphql: { query: "{ users }", variables: { id: 7 } }

        """
    }

    private func explorer(
        _ files: PrivateFiles,
        editor: String? = nil
    ) throws -> TerminalProcess {
        let explorer = try TerminalProcess(
            rows: 34,
            columns: 120,
            arguments: [BuiltProgram.path, "mine.apus.yaml"],
            environment: editor.map { ["EDITOR": $0] } ?? [:],
            files: files
        )
        try explorer.waitFor("POST Ask")
        return explorer
    }

    private static func server() throws -> RawServer { try RawServer(RawServer.ok("{}")) }

    @Test("o opens the body in the editor, and what it wrote is sent")
    func editor() throws {
        let files = PrivateFiles()
        let server = try Self.server()
        try files.write(Self.text(server), to: "mine.apus.yaml")
        try files.write("#!/bin/sh\nsed -i s/Ada/Grace/ \"$2\"\n", to: "edit")
        #expect(chmod(files.home + "/edit", 0o700) == 0)
        let explorer = try explorer(files, editor: "./edit")
        try explorer.send("Bo")
        try explorer.waitFor("was \"Ada\"")
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "200")
        let body = try #require(server.received.last?.body)
        #expect(try JSON(parsing: String(decoding: body, as: UTF8.self))["name"].string == "Grace")
        // It is nobody's file any more.
        #expect(files.contents(of: files.home).allSatisfy { !$0.contains("apus-body") })
    }

    @Test("parts and GraphQL go out as they were edited, and are saved to the byte")
    func kinds() throws {
        let files = PrivateFiles()
        let server = try Self.server()
        try files.write(Self.text(server), to: "mine.apus.yaml")
        try files.write("the sea", to: "sea.txt")
        try files.write("the sun", to: "sun.txt")
        let explorer = try explorer(files)
        try explorer.send("jBjc@sun.txt\r")
        try explorer.waitFor("was @sea.txt")
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "200")
        let parts = String(decoding: try #require(server.received.last?.body), as: UTF8.self)
        #expect(parts.contains("the sun") && parts.contains("name=\"title\""))
        try explorer.send("S")
        try explorer.waitFor("saved in mine.apus.yaml")
        let saved = Self.text(server).replacing("file: sea.txt", with: "file: sun.txt")
        #expect(try files.read("mine.apus.yaml") == saved)
        try explorer.waitUntilGone("edited")
        try explorer.send("1j")
        try explorer.waitFor("─ Ask ")
        try explorer.send("B")
        try explorer.waitFor("Its variables:")
        try explorer.send("Gc8\r")
        try explorer.waitFor("was 7")
        try explorer.send("r")
        try explorer.waitUntil("the query to be sent") { _ in
            server.received.contains { $0.path == "/graphql" }
        }
        let query = String(decoding: try #require(server.received.last?.body), as: UTF8.self)
        #expect(query == #"{"query":"{ users }","variables":{"id":8}}"#)
    }

    @Test("up brings what was typed before; what the file has become meanwhile is not written over")
    func conflict() throws {
        let files = PrivateFiles()
        let server = try Self.server()
        try files.write(Self.text(server), to: "mine.apus.yaml")
        let explorer = try explorer(files)
        try explorer.send("BcGrace\r")
        try explorer.waitFor("was \"Ada\"")
        try explorer.send("c")
        try explorer.waitFor("keep and send")
        try explorer.send("Other")
        try explorer.send("\u{1B}[A")
        try explorer.waitUntilGone("Other")
        try explorer.send("\r")
        try explorer.waitFor("\"Grace\"")
        // What cannot be read leaves the screen as it is, and the file to whoever writes it.
        let broken = Self.text(server) + "targets: {}\n"
        try files.write(broken, to: "mine.apus.yaml")
        try explorer.waitFor("mine.apus.yaml:")
        try explorer.send("S")
        try explorer.waitFor("not saved: ")
        #expect(try files.read("mine.apus.yaml") == broken)
        #expect(explorer.shows("edited"))
    }

    @Test("C copies a curl command that sends the same")
    func curl() throws {
        let files = PrivateFiles()
        let server = try Self.server()
        try files.write(Self.text(server), to: "mine.apus.yaml")
        let explorer = try explorer(files)
        try explorer.send("C")
        try explorer.waitFor("Copy the request as")
        try explorer.send("\r")
        try explorer.waitFor("copied the request as curl")
        try explorer.send("C")
        try explorer.waitFor("Copy the request as")
        try explorer.send("hurl\r")
        try explorer.waitFor("copied the request as hurl")
        #expect(try explorer.quit() == .exited(0))
    }
}
