import Apus
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: faults by the thousand")
struct CurlTransportSoakTests {
    private static let ok = "HTTP/1.1 200 OK\r\n"

    /// A fault: its path, what the server does, and the numbers that it may end with.
    private struct Fault: Sendable {
        let name: String
        let steps: [RawServer.Step]
        let codes: Set<Int>
    }

    private static let faults: [Fault] = [
        Fault(name: "fine", steps: [RawServer.ok("fine")], codes: [0]),
        Fault(name: "silent", steps: [.close], codes: [2411, 2413]),
        Fault(name: "header", steps: [.send(ok + "X-A: "), .close], codes: [2412, 2413]),
        Fault(
            name: "short",
            steps: [.send(ok + "Content-Length: 9\r\n\r\n123"), .close],
            codes: [2401, 2413]
        ),
        Fault(
            name: "long",
            steps: [.send(ok + "Content-Length: 3\r\n\r\n123456789"), .close],
            codes: [0]
        ),
        Fault(
            name: "chunk",
            steps: [.send(ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n"), .close],
            codes: [2407]
        ),
        Fault(
            name: "last-chunk",
            steps: [.send(ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"), .close],
            codes: [2401, 2413]
        ),
        Fault(
            // It begins as gzip does.
            name: "gzip",
            steps: [RawServer.ok("\u{1F}gzip", fields: "Content-Encoding: gzip\r\n")],
            codes: [0, 2403]
        ),
        Fault(name: "reset", steps: [.send(ok + "Content-Le"), .reset], codes: [2412, 2413]),
        Fault(name: "words", steps: [.send("hello\r\n\r\n"), .close], codes: [2402]),
        Fault(
            name: "lengths",
            steps: [.send(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"), .close],
            codes: [2402]
        ),
        Fault(
            name: "circle",
            steps: [.send("HTTP/1.1 302 F\r\nLocation: circle\r\nContent-Length: 0\r\n\r\n")],
            codes: [2405]
        ),
        Fault(name: "slow", steps: [.hang], codes: [2002]),
    ]

    @Test("10,000 mixed faults end with their errors, and leave no descriptor behind")
    func soak() async throws {
        let server = try RawServer { request in
            let name = request.path.dropFirst()
            return Self.faults.first { $0.name == name }?.steps ?? [.close]
        }
        let folder = Temporary.folder()
        let upload = folder + "/upload"
        try Temporary.write([UInt8](repeating: 1, count: 2000), to: upload)
        let transport = CurlTransport()
        let wrong = await withTaskGroup(of: [String].self) { group in
            for worker in 0..<50 {
                group.addTask {
                    await Self.run(200, from: worker, transport, server.authority, upload)
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(wrong.isEmpty, "\(wrong.prefix(10))")
        #expect(OpenSockets.descriptors(of: upload) == 0)
        transport.shutdown()
        // The thread ends by itself; what it held goes with it.
        var left = OpenSockets.count(to: server.port)
        let end = ContinuousClock.now + .seconds(10)
        while left > 0, .now < end {
            await Task.yield()
            left = OpenSockets.count(to: server.port)
        }
        #expect(left == 0)
    }

    /// Sends requests one after another; gives what did not end as it should.
    private static func run(
        _ count: Int,
        from first: Int,
        _ transport: CurlTransport,
        _ authority: String,
        _ upload: String
    ) async -> [String] {
        var wrong: [String] = []
        for index in first..<(first + count) {
            let fault = faults[index % faults.count]
            // One in nine carries a file; slow ones are short.
            let body: PreparedRequest.Body = index % 9 == 0 ? .file(path: upload) : .none
            let isSlow = fault.name == "slow"
            let options = TransportOptions(
                timeout: isSlow ? .milliseconds(30) : .seconds(60),
                maximumRedirects: 2
            )
            let error = await transport.error(
                .make(
                    index % 9 == 0 ? .put : .get,
                    authority,
                    "/\(fault.name)",
                    body: body,
                    options: options
                )
            )
            let code = error?.code ?? 0
            // While it sends a file the peer may be gone, and time may run out at once.
            let others: Set<Int> = isSlow ? [2001, 2003] : index % 9 == 0 ? [2413, 2414] : []
            if !fault.codes.union(others).contains(code) {
                wrong.append("\(fault.name): \(error.map(\.description) ?? "no error")")
            }
        }
        return wrong
    }
}
