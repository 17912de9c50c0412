import Apus
import Glibc
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: cancellation, streams, threads", .serialized)
struct CurlTransportLifeTests {
    private let transport = CurlTransport()

    @Test("a task cancelled before it sends gets its error, and nothing is sent")
    func cancelBefore() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let transport = transport
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await transport.error(.make(server.authority))
        }
        task.cancel()
        #expect(await task.value?.reason == .cancelled)
        #expect(server.received.isEmpty)
    }

    @Test("a task cancelled while the response comes keeps what has come")
    func cancelDuring() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
            .drip("a", count: 100_000, milliseconds: 5)
        )
        let transport = transport
        let (moves, move) = AsyncStream<Void>.makeStream()
        let task = Task { () -> ApusError? in
            do throws(ApusError) {
                _ = try await transport.send(.make(server.authority)) { _ in move.yield() }
                return nil
            } catch {
                return error
            }
        }
        for await _ in moves { break }
        task.cancel()
        let error = try #require(await task.value)
        #expect(error.reason == .cancelled)
        #expect(error.response?.isComplete == false)
        #expect(try #require(error.response).body.count > 0)
    }

    @Test("a cancellation after the end changes nothing")
    func cancelAfter() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let transport = transport
        let task = Task { try await transport.send(.make(server.authority)) }
        #expect(try await task.value.status == 200)
        task.cancel()
        #expect(try await transport.send(.make(server.authority)).status == 200)
    }

    @Test("500 cancellations at any moment end every transfer and leak no descriptor")
    func cancelStorm() async throws {
        let nginx = try Nginx.shared()
        let before = Temporary.names(in: "/proc/self/fd").count
        let ended = try await storm(nginx)
        #expect(ended == 500)
        // The engine's thread closes its sockets on its way out.
        let isBack = await comesTrue { Temporary.names(in: "/proc/self/fd").count <= before + 8 }
        #expect(isBack, "\(before) → \(Temporary.names(in: "/proc/self/fd").count)")
    }

    private func storm(_ nginx: Nginx) async throws -> Int {
        let transport = CurlTransport()
        defer { transport.shutdown() }
        return await withTaskGroup(of: Int.self) { group in
            for index in 0..<500 {
                let path = ["/10m.bin", "/1k.json", "/slow/100k.json"][index % 3]
                let yields = Int.random(in: 0..<400)
                group.addTask {
                    let task = Task { try await transport.send(.make(nginx.plain, path)) }
                    for _ in 0..<yields { await Task.yield() }
                    task.cancel()
                    switch await task.result {
                    case .success: return 1
                    case .failure(let error):
                        return (error as? ApusError)?.reason == .cancelled ? 1 : 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
    }

    @Test("shutdown ends what is in flight and all that comes later")
    func shutdown() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"),
            .drip("a", count: 9, milliseconds: 60_000)
        )
        let transport = CurlTransport()
        let streamed = try await transport.stream(.make(server.authority))
        async let waiting = transport.error(.make(server.authority))
        while server.received.count < 2 { await Task.yield() }
        transport.shutdown()
        #expect(await waiting?.reason == .cancelled)
        await #expect(throws: ApusError.self) { for try await _ in streamed.body {} }
        #expect(await transport.error(.make(server.authority))?.reason == .cancelled)
    }

    // libcurl leaves its sockets open for them: a connection would then not end with its transport.
    @Test("a program begun while a connection is open does not inherit it")
    func inheritance() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try await transport.send(.make(server.authority))
        #expect(OpenSockets.count(to: server.port) == 1)
        #expect(OpenSockets.inheritable(to: server.port) == 0)
    }

    @Test("no thread before the first request, and none after the transport's end")
    func threads() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        var transport: CurlTransport? = CurlTransport()
        // Other suites have engines too: the thread of this one is the one that runs its tasks.
        let id = try await {
            let transport = try #require(transport)
            _ = try await transport.send(.make(server.authority))
            return await withTaskExecutorPreference(transport.executor) { await Self.threadID() }
        }()
        let folder = "/proc/self/task/\(id)"
        let name = String(decoding: try FileBytes.read(folder + "/comm"), as: UTF8.self)
        #expect(name == "apus-transport\n")
        transport = nil
        #expect(transport == nil)
        #expect(await comesTrue { !Temporary.exists(folder) })
    }

    @concurrent
    private static func threadID() async -> String {
        var path = [CChar](repeating: 0, count: 64)
        let count = readlink("/proc/thread-self", &path, path.count)
        let text = String(
            decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        return text.split(separator: "/").last.map(String.init) ?? ""
    }

    @Test("a stream gives its head first, then every byte, and never holds more than its window")
    func stream() async throws {
        let nginx = try Nginx.shared()
        let streamed = try await transport.stream(.make(nginx.plain, "/10m.bin"))
        #expect(streamed.head.status.code == 200)
        var bytes: [UInt8] = []
        var largest = 0
        for try await chunk in streamed.body {
            largest = max(largest, chunk.count)
            bytes += chunk
            // A slow reader: others get their turn.
            for _ in 0..<50 { await Task.yield() }
        }
        #expect(bytes == (try FileBytes.read(nginx.folder + "/www/10m.bin")))
        #expect(largest <= 256 << 10)
    }

    @Test("the server waits for a reader that does not read")
    func backPressure() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n"),
            .endless(String(repeating: "a", count: 1 << 16))
        )
        let streamed = try await transport.stream(.make(server.authority))
        for try await _ in streamed.body {
            // Other transfers go on meanwhile, so the engine has had its turns.
            let nginx = try Nginx.shared()
            for _ in 0..<200 { _ = try await transport.send(.make(nginx.plain, "/1k.json")) }
            // The window, and what the sockets' own buffers hold.
            #expect(server.sentCount < 32 << 20)
            break
        }
    }

    @Test("dropping the reader, or the response unread, ends the transfer")
    func dropping() async throws {
        for reads in [true, false] {
            let server = try RawServer(
                .send("HTTP/1.1 200 OK\r\n\r\nx"),
                .hang
            )
            let descriptors = openSockets(to: server.port)
            #expect(descriptors == 0)
            do {
                let streamed = try await transport.stream(.make(server.authority))
                if reads { for try await _ in streamed.body { break } }
            }
            #expect(await comesTrue { openSockets(to: server.port) == 0 })
        }
    }

    /// Established connections to a port, as the kernel lists them.
    private func openSockets(to port: UInt16) -> Int {
        let hex = String(port, radix: 16, uppercase: true)
        let padded = String(repeating: "0", count: 4 - hex.count) + hex
        let table = (try? FileBytes.read("/proc/self/net/tcp")) ?? []
        return String(decoding: table, as: UTF8.self).split(separator: "\n").filter { line in
            let words = line.split(separator: " ")
            return words.count > 3 && words[2].hasSuffix(":" + padded) && words[3] == "01"
        }.count
    }

    @Test("a stream that is cut ends with the error")
    func cutStream() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123"),
            .close
        )
        let streamed = try await transport.stream(.make(server.authority))
        var text = ""
        do {
            for try await chunk in streamed.body { text += String(decoding: chunk, as: UTF8.self) }
            Issue.record("no error")
        } catch let error as ApusError {
            guard case .connectionLost(received: 4, expected: 10, _, .inBody) = error.reason else {
                Issue.record("\(error.reason)")
                return
            }
        }
        #expect(text == "0123")
    }

    @Test("tasks on the transport's executor send and get their responses")
    func executor() async throws {
        let nginx = try Nginx.shared()
        let transport = transport
        let good = await withTaskExecutorPreference(transport.executor) {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        var good = 0
                        for _ in 0..<20 {
                            let response = try? await transport.send(
                                .make(nginx.plain, "/1k.json")
                            )
                            if response?.status == 200 { good += 1 }
                        }
                        return good
                    }
                }
                return await group.reduce(0, +)
            }
        }
        #expect(good == 400)
        transport.shutdown()
        let late = await withTaskExecutorPreference(transport.executor) {
            await transport.error(.make(nginx.plain, "/1k.json"))
        }
        #expect(late?.reason == .cancelled)
    }
}
