import DemoAPI
import Documents
import TestSupport
import Testing

@Suite("Bodies of the demo API")
struct BodyTests {
    private struct Lines: Decodable {
        let lines: [Line]

        struct Line: Decodable {
            let line: Int
        }
    }

    private struct Record: Decodable {
        let id: Int
    }

    @Test("what is compressed is what gzip expands")
    func gzip() async throws {
        let answer = try await DemoServer.answer("GET", "/gzip")
        #expect(answer["Content-Encoding"] == "gzip")
        let text = try GzipProgram.expand(answer.body)
        #expect(text.count > 5 * answer.body.count)
        let found = try DocumentDecoder().decode(Lines.self, from: text)
        #expect(found.lines.map(\.line) == Array(1...100))
    }

    @Test("the big body is JSON of exactly so many bytes", arguments: [0.001, 0.37, 1, 3])
    func big(_ megabytes: Double) async throws {
        let count = Int(megabytes * 1_048_576)
        let target = "/big?megabytes=\(megabytes)"
        let answer = try await DemoServer.answer("GET", target)
        #expect(answer["Content-Length"] == "\(count)")
        #expect(answer.body.count == count)
        let records = try DocumentDecoder().decode([Record].self, from: answer.body)
        #expect(records.map(\.id) == records.indices.map { 1_000_000_000 + $0 })
        let chunked = try await DemoServer.answer("GET", target + "&chunked=1")
        #expect(chunked["Content-Length"] == nil)
        #expect(chunked.isComplete && chunked.body == answer.body)
    }

    @Test("the truncated body ends in the middle with its connection")
    func truncated() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let answer = try connection.answer("GET", "/truncated")
                #expect(answer["Content-Length"] == "4096")
                #expect(!answer.isComplete && answer.body.count == 2048)
                try #expect(connection.isAtEnd())
            }
        }
    }

    // Each of the next two waits 10 s between two pieces; the connection gives up after 8.
    @Test("a streamed line arrives before the next is made")
    func streamedLine() async throws {
        try await DemoServer.running(clock: .fixed(0)) { _, port in
            try await talk(to: port) { connection in
                try connection.send("GET", "/stream/2?interval=10")
                try #expect(connection.head()["Transfer-Encoding"] == "chunked")
                try connection.line()
                let line = try connection.line()
                #expect(line == #"{"line":1,"of":2,"at":"1970-01-01T00:00:00Z"}"#)
            }
        }
    }

    @Test("a drop arrives before the next falls")
    func drop() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                try connection.send("GET", "/drip?duration=60&bytes=7")
                try #expect(connection.head()["Content-Length"] == "7")
                try #expect(connection.bytes(1) == [UInt8(ascii: "*")])
            }
        }
    }

    @Test("a delay is waited for", arguments: ["/delay/0.2", "/drip?bytes=0&delay=0.2"])
    func delay(_ target: String) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        let answer = try await DemoServer.answer("GET", target)
        #expect(answer.status == 200)
        #expect(start.duration(to: clock.now) >= .milliseconds(200))
    }

    @Test("an upload of several megabytes is counted and checked, with a length or in chunks")
    func upload() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let piece = [UInt8](repeating: UInt8(ascii: "z"), count: 0x10000)
                let whole = Array(repeating: piece, count: 48).flatMap { $0 }
                try connection.send("PUT", "/upload", body: whole)
                let first = try connection.response()
                #expect(first.text.contains("\"bytes\": 3145728"))
                try connection.send("POST", "/upload", ["Transfer-Encoding: chunked"])
                for _ in 0..<48 {
                    try connection.send(Array("10000\r\n".utf8) + piece + Array("\r\n".utf8))
                }
                try connection.send(Array("0\r\n\r\n".utf8))
                let second = try connection.response()
                let checksum = first.text.split(separator: "\"crc32\"").last?.prefix(13)
                #expect(second.text.contains("\"bytes\": 3145728"))
                #expect(second.text.contains(try #require(checksum)))
            }
        }
    }

    @Test("the parts of a form are told apart, with a semicolon in a file's name")
    func form() async throws {
        let body = """
            --XX\r
            Content-Disposition: form-data; name="note"\r
            \r
            one\r
            --XX\r
            Content-Disposition: form-data; name="file"; filename="x;y.txt"\r
            Content-Type: text/plain\r
            \r
            123456789\r
            --XX--\r

            """
        let type = "Content-Type: multipart/form-data; boundary=\"XX\""
        let answer = try await DemoServer.answer("POST", "/upload", [type], body: body)
        #expect(answer.text.contains("\"filename\": \"x;y.txt\""))
        #expect(answer.text.contains("\"crc32\": \"cbf43926\""))
        let broken = try await DemoServer.answer("POST", "/upload", [type], body: "--XX\r\nno end")
        #expect(broken.status == 400)
    }
}
