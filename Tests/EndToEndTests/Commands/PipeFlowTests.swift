import Documents
import Glibc
import TestSupport
import Testing

@Suite("apus pipe, many requests at a time")
struct PipeFlowTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func start(_ arguments: String...) throws -> PipedConversation {
        try PipedConversation(["pipe"] + arguments, files: files)
    }

    private func answer(_ conversation: PipedConversation) throws -> JSON {
        try JSON(parsing: try #require(conversation.nextLine()))
    }

    @Test("500 requests are in flight at once, and the first comes last if the server has it so")
    func manyInFlight() throws {
        let held = HeldRequests()
        let first = HeldRequests()
        let server = try RawServer { request in
            request.path == "/0" ? first.hold() : held.hold()
            return [RawServer.ok(request.path)]
        }
        let conversation = try start("--concurrency", "500")
        for id in 0..<500 {
            conversation.send(#"{"id": \#(id), "url": "http://\#(server.authority)/\#(id)"}"#)
        }
        first.waitFor(1)
        held.waitFor(499)
        held.release(499)
        var seen: Set<Int> = []
        for _ in 1..<500 {
            let answer = try answer(conversation)
            let id = try #require(answer["id"].int)
            #expect(answer["body"].string == "/\(id)")
            #expect(seen.insert(id).inserted)
        }
        #expect(!seen.contains(0))
        first.release(1)
        #expect(try answer(conversation)["id"].int == 0)
        conversation.closeInput()
        #expect(conversation.nextLine() == nil)
        #expect(conversation.wait() == .exited(0))
    }

    @Test("500 requests at once get by with few descriptors", arguments: [24, 32, 64])
    func fewDescriptors(_ count: Int) throws {
        let server = try RawServer { _ in [RawServer.ok("ok")] }
        let lines = (0..<500).map { #"{"id": \#($0), "url": "http://\#(server.authority)/"}"# }
        try files.write(lines.joined(separator: "\n") + "\n", to: "lines")
        let run = try PipedProgram.shell(
            #"ulimit -n \#(count) && exec "$1" pipe --concurrency 200 <lines"#,
            files: files
        )
        #expect(run.status == .exited(0))
        let answers = try run.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(answers.count == 500)
        #expect(
            answers.filter { $0["status"].int != 200 }.map { $0["error"]["message"].string } == []
        )
    }

    @Test("too few descriptors are an error, and no crash", arguments: 7..<24)
    func tooFewDescriptors(_ count: Int) throws {
        let run = try PipedProgram.shell(#"ulimit -n \#(count) && exec "$1" pipe"#, files: files)
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("24 are needed"))
    }

    @Test("an announced length, also of a HEAD, ends no other request")
    func announcedLength() throws {
        let server = try RawServer { request in
            request.method == "HEAD"
                ? [.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n")]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\nabc"), .close]
        }
        let run = try PipedProgram.run(
            ["pipe"],
            input: """
                {"id": 1, "url": "http://\(server.authority)/", "method": "HEAD"}
                {"id": 2, "url": "http://\(server.authority)/"}

                """,
            files: files
        )
        #expect(run.status == .exited(0))
        #expect(run.output.contains(#""status":200"#))
        #expect(run.output.contains(#""reason":2404"#))
    }

    @Test("a response is there before the next request is written")
    func oneByOne() throws {
        let server = try RawServer { [RawServer.ok($0.path)] }
        let conversation = try start()
        for id in 0..<20 {
            conversation.send(#"{"id": \#(id), "url": "http://\#(server.authority)/\#(id)"}"#)
            #expect(try answer(conversation)["body"].string == "/\(id)")
        }
    }

    @Test("no more are sent at once than --concurrency says")
    func bounded() throws {
        let held = HeldRequests()
        let server = try RawServer { _ in
            held.hold()
            return [RawServer.ok("ok")]
        }
        let conversation = try start("--concurrency", "3")
        for id in 0..<30 {
            conversation.send(#"{"id": \#(id), "url": "http://\#(server.authority)/"}"#)
        }
        for _ in 0..<10 {
            held.waitFor(3)
            held.release(3)
        }
        for _ in 0..<30 { #expect(try answer(conversation)["status"].int == 200) }
        #expect(held.most == 3)
    }

    @Test("whoever writes all requests before reading gets all responses")
    func writesFirst() throws {
        let body = String(repeating: "x", count: 2000)
        let server = try RawServer { _ in [RawServer.ok(body)] }
        let conversation = try start("--concurrency", "8")
        for id in 0..<2000 {
            conversation.send(#"{"id": \#(id), "url": "http://\#(server.authority)/"}"#)
        }
        conversation.closeInput()
        var ids: Set<Int> = []
        while let line = conversation.nextLine() {
            ids.insert(try JSON(parsing: line)["id"].intValue)
        }
        #expect(ids == Set(0..<2000))
        #expect(conversation.wait() == .exited(0))
    }

    @Test(
        "an interruption ends what is under way, says so, and is the status 130",
        arguments: [SIGINT, SIGTERM, SIGHUP]
    )
    func interrupted(_ signal: Int32) throws {
        let held = HeldRequests()
        let server = try RawServer { _ in
            held.hold()
            return [.close]
        }
        let conversation = try start()
        conversation.send(#"{"id": 1, "url": "http://\#(server.authority)/"}"#)
        held.waitFor(1)
        conversation.signal(signal)
        let answer = try answer(conversation)
        #expect(answer["id"].int == 1)
        #expect(answer["error", "code"].int == 130)
        #expect(conversation.nextLine() == nil)
        #expect(conversation.wait() == .exited(130))
        held.release(1)
    }

    @Test("when nobody reads the responses any more it ends, with the input still open")
    func brokenOutput() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let conversation = try start()
        conversation.closeOutput()
        conversation.send(#"{"id": 1, "url": "http://\#(server.authority)/"}"#)
        #expect(conversation.wait() == .exited(141))
        #expect(try files.read("stderr").isEmpty)
    }
}
