import Documents
import FoundationEssentials
import TestSupport
import Testing

@Suite("responses of many megabytes as JSON")
struct LongResponseTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    /// A server of a body that is a piece many times over.
    private static func server(_ piece: [UInt8], times count: Int) throws -> RawServer {
        try RawServer { request in
            let isShort = request.path != "/chunked"
            let length = isShort ? "Content-Length: \(piece.count * count)\r\n" : ""
            return [.send("HTTP/1.1 200 OK\r\n\(length)\r\n")]
                + Array(repeating: .bytes(piece), count: count)
        }
    }

    private func write(_ server: RawServer) throws {
        try files.write(
            """
            environments: { local: { baseURL: "http://\(server.authority)" } }
            targets: { Look: GET /a }
            batches: { Many: [Look] }
            chains: { Long: [{ step: look, target: Look, capture: { s: status } }] }
            """,
            to: "story.apus.yaml"
        )
        try files.write(#"{"url": "http://\#(server.authority)/a"}"#, to: "requests")
    }

    private static let commands = [
        "send Look --json", "batch Many --json", "chain Long --json", "pipe < requests",
    ]

    @Test("text is escaped as a whole would be, whatever the pieces", arguments: commands)
    func text(_ command: String) throws {
        // 37 bytes and 11 MiB: every character comes to lie over the end of a piece.
        let line = #"a "q" \ "# + "\u{1}\u{7F}\u{2028}é€😀\r\n\tline end"
        let piece = Array(String(repeating: line, count: 30000).utf8)
        let server = try Self.server(piece, times: 10)
        try write(server)
        #expect(try run(command) == .exited(0))
        #expect(server.received.count == 1)
        let text = String(decoding: Array(repeating: piece, count: 10).joined(), as: UTF8.self)
        let body = #""body":"# + (JSON(text).text() ?? "")
        #expect(try outputHas(body))
    }

    @Test("what is no UTF-8 is in Base64 as a whole would be", arguments: commands)
    func bytes(_ command: String) throws {
        // Only the last byte is none: all before it was looked at.
        let piece = Array(repeating: 0x61, count: 1_000_003) as [UInt8]
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10000031\r\n\r\n")]
                + Array(repeating: .bytes(piece), count: 10) + [.bytes([0xFF])]
        }
        try write(server)
        #expect(try run(command) == .exited(0))
        #expect(server.received.count == 1)
        let sent = Array(repeating: piece, count: 10).joined() + [0xFF]
        let body = #""bodyBase64":""# + Data(sent).base64EncodedString() + #"""#
        #expect(try outputHas(body))
    }

    @Test("a body costs no memory, however long", arguments: commands)
    func memory(_ command: String) throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let server = try Self.server(piece, times: 160)
        try write(server)
        // KiB of data; a body in memory would take more than that alone.
        #expect(try run(command, after: "ulimit -d 150000;") == .exited(0))
        #expect(try files.bytes("stdout").count > 160 << 20)
        #expect(server.received.count == 1)
    }

    @Test("of a body that was refused for its size the begin is told", arguments: commands)
    func refused(command: String) throws {
        let server = try Self.server(Array(repeating: 0x78, count: 1 << 16), times: 20)
        try files.write(
            """
            defaults: { maxBody: 1 MiB }
            environments: { local: { baseURL: "http://\(server.authority)" } }
            targets: { Look: GET /chunked }
            batches: { Many: [Look] }
            chains: { Long: [{ step: look, target: Look, capture: { s: status } }] }
            """,
            to: "story.apus.yaml"
        )
        try files.write(#"{"target": "Look"}"#, to: "requests")
        let command = command.replacing("pipe", with: "pipe -w story.apus.yaml")
        let sent = try PipedProgram.shell("exec \"$1\" \(command)", files: files)
        #expect(sent.output.contains("bodyTooLarge") || sent.output.contains("2404"))
        #expect(sent.output.utf8.count < 80 << 10)
        #expect(sent.output.contains("xxx"))
    }

    @Test("a signal cuts it, though somebody reads on", arguments: ["send Look --json", "pipe"])
    func cut(_ command: String) throws {
        let piece = [UInt8](repeating: 0x0A, count: 1 << 20)
        let server = try Self.server(piece, times: 100)
        try write(server)
        let words = command.split(separator: " ").map(String.init)
        let program = try PipedConversation(words, files: files)
        if command == "pipe" { program.send(#"{"url": "http://\#(server.authority)/a"}"#) }
        program.waitForOutput()
        program.signal(15)
        #expect(program.drain() < 200 << 20)
        #expect(program.wait() == .exited(130))
    }

    /// Looks at where the body may begin: a search for characters takes half a minute.
    private func outputHas(_ text: String) throws -> Bool {
        let (output, text) = (try files.bytes("stdout"), Array(text.utf8))
        return (0..<min(4096, max(0, output.count - text.count))).contains { start in
            output[start..<(start + text.count)].elementsEqual(text)
        }
    }

    private func run(_ command: String, after script: String = "") throws -> EndStatus {
        let run = try PipedProgram.shell(#"\#(script) exec "$1" \#(command)"#, files: files)
        #expect(run.errors == "")
        return run.status
    }
}
