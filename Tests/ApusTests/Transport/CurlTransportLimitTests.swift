import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("CurlTransport: what a server may take of us")
struct CurlTransportLimitTests {
    private let transport = CurlTransport()

    private func error(_ steps: RawServer.Step..., options: TransportOptions = .init())
        async throws -> ApusError
    {
        let server = try RawServer { _ in steps }
        return try #require(await transport.error(.make(server.authority, options: options)))
    }

    @Test("a HEAD may announce any length")
    func headLength() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000000\r\n\r\n")
        )
        let options = TransportOptions(memoryLimit: .max)
        let response = try await transport.send(.make(.head, server.authority, options: options))
        #expect(response.status == 200)
        #expect(response.body.count == 0)
    }

    @Test("a request too large for libcurl is not blamed on the response")
    func largeRequest() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let path = "/" + String(repeating: "a", count: 2 << 20)
        let error = try #require(await transport.error(.make(server.authority, path)))
        guard case .transport(27, let detail) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(detail.contains("to send the request"))
        #expect(server.received.isEmpty)
    }

    @Test("a length that is announced is not reserved, whatever the memory limit")
    func announcedLength() async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000000\r\n\r\nabc"),
            .close,
            options: TransportOptions(maximumBodySize: .max, memoryLimit: .max)
        )
        guard
            case .connectionLost(received: 3, expected: 100_000_000_000_000, _, .inBody) =
                error.reason
        else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(error.response?.bodyText == "abc")
    }

    @Test("a body over the standard limit is refused before it is loaded")
    func standardLimit() async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 100000000000000\r\n\r\nabc"),
            .hang
        )
        #expect(error.reason == .bodyTooLarge(limit: TransportOptions.standardMaximumBodySize))
    }

    @Test("an endless body ends at its limit")
    func endlessBody() async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\n\r\n"),
            .endless(String(repeating: "a", count: 1 << 16)),
            options: TransportOptions(maximumBodySize: 20 << 20)
        )
        #expect(error.reason == .bodyTooLarge(limit: 20 << 20))
    }

    @Test(
        "trailers are read in linear time, and have a limit",
        arguments: [(9_000, true), (200_000, false)]
    )
    func trailers(count: Int, areTaken: Bool) async throws {
        let trailers = String(repeating: "A: b\r\n", count: count)
        let server = try RawServer(
            .send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + trailers + "\r\n"
            ),
            .close
        )
        let error = await transport.error(.make(server.authority))
        if areTaken {
            #expect(error == nil)
        } else {
            #expect(error?.reason == .tooManyHeaderLines(limit: 10_000))
        }
    }

    @Test("trailers have a limit of size, together with the header")
    func trailerSize() async throws {
        // libcurl itself takes no line of a trailer over 4 KiB.
        let line = "A: \(String(repeating: "b", count: 3_000))\r\n"
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"),
            .endless(line)
        )
        #expect(error.reason == .headerTooLarge(limit: 1 << 20))
    }

    @Test("the limits of headers are the configuration's")
    func configuredLimits() async throws {
        let server = try RawServer(RawServer.ok("ok", fields: "A: 1\r\nB: 2\r\n"))
        let few = CurlTransport(.init(maximumHeaderLines: 3))
        #expect(
            await few.error(.make(server.authority))?.reason == .tooManyHeaderLines(limit: 3)
        )
        let small = CurlTransport(.init(maximumHeaderSize: 30))
        #expect(await small.error(.make(server.authority))?.reason == .headerTooLarge(limit: 30))
    }

    @Test("a field folded into thousands of lines is read in linear time")
    func folding() async throws {
        let server = try RawServer(
            RawServer.ok(
                "ok",
                fields: "A: b\r\n"
                    + String(repeating: " \(String(repeating: "c", count: 25))\r\n", count: 9_000)
            )
        )
        let response = try await transport.send(.make(server.authority))
        #expect(
            response.head.headerFields[HTTPField.Name("A") ?? .accept]?.utf8.count == 1 + 9_000 * 26
        )
    }

    @Test("who waits for a descriptor does not use up its time to connect")
    func descriptors() async throws {
        let server = try RawServer { request in
            request.path == "/silent" ? [.hang] : [RawServer.ok("ok")]
        }
        let transport = CurlTransport(.only(1, .descriptors))
        async let silent = transport.error(
            .make(server.authority, "/silent", options: TransportOptions(timeout: .seconds(3)))
        )
        while server.received.isEmpty { await Task.yield() }
        // Its limit ends long before it can begin.
        let options = TransportOptions(connectTimeout: .seconds(1))
        let errors = await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask { await transport.error(.make(server.authority, options: options)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors == [nil, nil, nil])
        #expect(await silent?.reason == .timeout(.waiting, limit: .seconds(3)))
    }

    /// What there is only one of.
    enum Scarcity: CaseIterable { case descriptors, connections, connectionsToHost, handshakes }

    // libcurl 7.88 ignores the limits of what waits for a connection.
    @Test(
        "a request's time ends also while it waits for a connection",
        .timeLimit(.minutes(5)),
        arguments: Scarcity.allCases
    )
    func waiting(for scarcity: Scarcity) async throws {
        let silent = try RawServer.silent()
        let transport = CurlTransport(.only(1, scarcity))
        defer { transport.shutdown() }
        // Over TLS those that come later wait for the first one's handshake, which may be HTTP/2.
        let scheme = scarcity == .handshakes ? "https" : "http"
        let unlimited = TransportOptions(timeout: nil, connectTimeout: nil)
        async let first = transport.error(
            .make(scheme: scheme, silent.authority, options: unlimited)
        )
        while OpenSockets.count(to: silent.port) == 0 { await Task.yield() }
        let limit = Duration.milliseconds(300)
        let limited = TransportOptions(timeout: limit)
        let errors = await withTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    await transport.error(
                        .make(scheme: scheme, silent.authority, options: limited)
                    )
                }
            }
            return await group.reduce(into: []) { $0.append($1?.reason) }
        }
        #expect(errors == Array(repeating: .timeout(.connecting, limit: limit), count: 3))
        transport.shutdown()
        #expect(await first?.reason == .cancelled)
    }

    @Test("a proxy that answers CONNECT slowly uses up the request's time, not that to connect")
    func slowProxy() async throws {
        let proxy = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nX: "), .drip("y", count: 100_000, milliseconds: 1)]
        }
        let limit = Duration.milliseconds(300)
        let options = TransportOptions(timeout: limit, proxy: "http://\(proxy.authority)")
        let error = await transport.error(.make(scheme: "https", "far.invalid", options: options))
        #expect(error?.reason == .timeout(.connecting, limit: limit))
    }

    @Test(
        "a length that is not a valid number, or two of them, is an error",
        arguments: ["3, 4", "0x3", "3;", "+3", "-1", "", "3 4", "99999999999999999999"]
    )
    func invalidLength(_ length: String) async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc"),
            .close
        )
        guard case .protocolViolation = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("equal lengths are one", arguments: ["3, 3", "3,3", "3\r\nContent-Length: 3"])
    func equalLengths(_ length: String) async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\nabc")
        )
        #expect(try await transport.send(.make(server.authority)).bodyText == "abc")
    }

    private static func zstd(mebibytes: Int) throws -> RawServer {
        let answer = Coded.answer(Coded.zstdZeros(mebibytes: mebibytes), coding: "zstd")
        return try RawServer { _ in [.bytes(answer)] }
    }

    @Test("a limit counts what is decoded, and spools above the memory limit")
    func decodedLimit() async throws {
        let server = try Self.zstd(mebibytes: 24)
        let limited = TransportOptions(maximumBodySize: 16 << 20)
        #expect(
            await transport.error(.make(server.authority, options: limited))?.reason
                == .bodyTooLarge(limit: 16 << 20)
        )
        let response = try await transport.send(.make(server.authority))
        #expect(response.body.count == 24 << 20)
        guard case .file = response.body else {
            Issue.record("it is in memory")
            return
        }
    }
}

extension CurlTransport.Configuration {
    /// For so many transfers at once, for want of something.
    fileprivate static func only(
        _ count: Int,
        _ scarcity: CurlTransportLimitTests.Scarcity
    ) -> Self {
        var configuration = Self()
        switch scarcity {
        case .descriptors: configuration.connectionsByDescriptors = count
        case .connections: configuration.maximumConnections = count
        case .connectionsToHost: configuration.connectionsPerHost = count
        case .handshakes: break
        }
        return configuration
    }
}
