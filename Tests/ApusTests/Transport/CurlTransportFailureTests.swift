import Apus
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: failures")
struct CurlTransportFailureTests {
    private let transport = CurlTransport()

    private func error(_ steps: RawServer.Step..., options: TransportOptions = .init())
        async throws -> ApusError
    {
        let server = try RawServer { _ in steps }
        return try #require(await transport.error(.make(server.authority, options: options)))
    }

    @Test("a name without an address")
    func nameLookup() async throws {
        let error = try #require(await transport.error(.make("nobody.invalid")))
        guard case .nameLookup(let host, _) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(host == "nobody.invalid")
        #expect(error.message.detail.isEmpty, "the title says all")
        #expect(error.response == nil)
        #expect(error.request?.url == "http://nobody.invalid/")
    }

    @Test("a port that nobody listens on")
    func connect() async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let error = try #require(await transport.error(.make("127.0.0.1:\(closed.number)")))
        guard case .connect(let host, let failed, _) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(host == "127.0.0.1")
        #expect(failed == Int(closed.number))
        #expect(error.message.detail == "connection refused")
    }

    @Test("a certificate from an authority that is not trusted, unless nobody asks")
    func untrusted() async throws {
        let nginx = try Nginx.shared()
        for options in [
            TransportOptions(),
            TransportOptions(certificateAuthorityFile: nginx.otherAuthorityFile),
        ] {
            let request = PreparedRequest.make(
                scheme: "https",
                nginx.tls,
                "/1k.json",
                options: options
            )
            let error = try #require(await transport.error(request))
            guard case .tls(.untrustedCertificate, "localhost", _) = error.reason else {
                Issue.record("\(error.reason)")
                continue
            }
        }
        let response = try await transport.send(
            .make(
                scheme: "https",
                nginx.tls,
                "/1k.json",
                options: TransportOptions(verifiesTLS: false)
            )
        )
        #expect(response.status == 200)
        let again = PreparedRequest.make(scheme: "https", nginx.tls, "/1k.json")
        #expect(await transport.error(again) != nil, "an unchecked connection must not be reused")
    }

    @Test("a certificate for another host")
    func otherHost() async throws {
        let nginx = try Nginx.shared()
        let options = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        let error = try #require(
            await transport.error(
                .make(scheme: "https", "127.0.0.1:\(nginx.tlsPort)", options: options)
            )
        )
        guard case .tls(.otherHost, _, _) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("a file of authorities that is none")
    func authorityFile() async throws {
        let nginx = try Nginx.shared()
        let error = try #require(
            await transport.error(
                .make(
                    scheme: "https",
                    nginx.tls,
                    options: TransportOptions(certificateAuthorityFile: "/nowhere.pem")
                )
            )
        )
        guard case .tls(.certificateAuthority, _, _) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("TLS to a server that speaks none")
    func handshake() async throws {
        let nginx = try Nginx.shared()
        let error = try #require(await transport.error(.make(scheme: "https", nginx.plain)))
        guard case .tls(.handshake, _, _) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("no first byte in time")
    func timeoutWaiting() async throws {
        let limit = Duration.milliseconds(150)
        let error = try await error(.hang, options: TransportOptions(timeout: limit))
        #expect(error.reason == .timeout(.waiting, limit: limit))
        #expect(error.response == nil)
    }

    // libcurl 7.88 counts the first byte that goes up.
    @Test("no first byte in time after a body")
    func timeoutWaitingAfterBody() async throws {
        let limit = Duration.milliseconds(150)
        let server = try RawServer { _ in [.hang] }
        let request = PreparedRequest.make(
            .post,
            server.authority,
            body: .bytes(Array("a=1".utf8)),
            options: TransportOptions(timeout: limit)
        )
        let error = try #require(await transport.error(request))
        #expect(error.reason == .timeout(.waiting, limit: limit))
    }

    @Test("no end in time, with what has come")
    func timeoutReceiving() async throws {
        let limit = Duration.seconds(2)
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
            .drip("a", count: 1000, milliseconds: 10),
            options: TransportOptions(timeout: limit)
        )
        #expect(error.reason == .timeout(.receiving, limit: limit))
        let partial = try #require(error.response)
        #expect(!partial.isComplete)
        #expect(partial.status == 200)
        #expect(partial.bodyText.hasPrefix("aaa"))
    }

    @Test("no connection in time")
    func timeoutConnecting() async throws {
        // TLS to a server that never answers the first message.
        let limit = Duration.milliseconds(150)
        let server = try RawServer.silent()
        let error = try #require(
            await transport.error(
                .make(
                    scheme: "https",
                    server.authority,
                    options: TransportOptions(connectTimeout: limit)
                )
            )
        )
        #expect(error.reason == .timeout(.securing, limit: limit))
    }

    @Test("a body that is too large, announced or not")
    func tooLarge() async throws {
        let options = TransportOptions(maximumBodySize: 10)
        let announced = try await error(RawServer.ok("01234567890"), options: options)
        #expect(announced.reason == .bodyTooLarge(limit: 10))
        #expect(announced.response?.status == 200)
        let unannounced = try await error(
            .send("HTTP/1.0 200 OK\r\n\r\n"),
            .endless("abcdef"),
            options: options
        )
        #expect(unannounced.reason == .bodyTooLarge(limit: 10))
        let nginx = try Nginx.shared()
        let exact = try await transport.send(
            .make(nginx.plain, "/1k.json", options: TransportOptions(maximumBodySize: 1024))
        )
        #expect(exact.body.count == 1024)
    }

    @Test("a connection cut in the body, with what has come and what was to come")
    func cutBody() async throws {
        for end in [RawServer.Step.close, .reset] {
            let error = try await error(
                .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123"),
                .drip("4", count: 1, milliseconds: 50),
                end
            )
            guard case .connectionLost(_, let expected, _, let phase) = error.reason else {
                Issue.record("\(error.reason)")
                continue
            }
            #expect(expected == 10)
            #expect(phase == .inBody || phase == .reset)
            #expect(error.response?.isComplete == false)
            #expect(error.response?.bodyText.hasPrefix("0123") == true)
        }
    }

    @Test("a chunked body without its end")
    func cutChunks() async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n"),
            .close
        )
        guard case .connectionLost(received: 4, expected: nil, _, .inBody) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(error.response?.bodyText == "abcd")
    }

    @Test("a connection cut in the header, or before it")
    func cutHeader() async throws {
        for (text, phase) in [
            ("HTTP/1.1 200 OK\r\nContent-", ApusError.ConnectionLoss.inHeader),
            ("", .beforeHeader),
        ] {
            let error = try await error(.send(text), .close)
            guard case .connectionLost(received: 0, _, _, phase) = error.reason else {
                Issue.record("\(error.reason)")
                continue
            }
            #expect(error.response == nil)
        }
    }

    @Test(
        "what is not HTTP",
        arguments: [
            "hello, this is no header\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: nine\r\n\r\n",
        ]
    )
    func notHTTP(_ text: String) async throws {
        let error = try await error(.send(text), .close)
        guard case .protocolViolation = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test(
        "a header without an end",
        arguments: ["X-A: b\r\n", "X-A: \(String(repeating: "b", count: 80))\r\n", "x"]
    )
    func endlessHeader(_ text: String) async throws {
        let error = try await error(.send("HTTP/1.1 200 OK\r\n"), .endless(text))
        switch error.reason {
        case .headerTooLarge where text.utf8.count != 8: break
        case .tooManyHeaderLines where text.utf8.count == 8: break
        default: Issue.record("\(error.reason)")
        }
    }

    @Test("a body that begins as it says, and is broken behind that")
    func badGzip() async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n"),
            .bytes([0x1F, 0x8B, 0x09, 0x00, 0x00, 0x00])
        )
        guard case .contentDecoding = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(error.response?.status == 200)
    }

    @Test(
        "a transfer coding that nobody asked for is no content encoding",
        arguments: ["x-own", "gzip"]
    )
    func transferCoding(_ coding: String) async throws {
        let error = try await error(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding), chunked\r\n\r\n"),
            .send("4\r\nabcd\r\n0\r\n\r\n"),
            .close
        )
        guard case .protocolViolation(let detail) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(detail.contains("Transfer-Encoding"))
    }

    @Test("redirects without an end, with the last of them")
    func redirectLoop() async throws {
        let error = try await error(
            .send("HTTP/1.1 302 F\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"),
            options: TransportOptions(maximumRedirects: 3)
        )
        #expect(error.reason == .tooManyRedirects(limit: 3))
        #expect(error.response?.status == 302)
        #expect(error.response?.metrics?.redirects.count == 3)
    }

    @Test("a proxy that is not there, or refuses")
    func proxy() async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let refusing = try RawServer(
            .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"),
            .close
        )
        for (proxy, scheme) in [
            (closed.base, "http"), ("http://nobody.invalid:1", "http"),
            ("http://\(refusing.authority)", "https"),
        ] {
            let error = try #require(
                await transport.error(
                    .make(
                        scheme: scheme,
                        "far.invalid",
                        options: TransportOptions(proxy: proxy)
                    )
                )
            )
            guard case .proxy = error.reason else {
                Issue.record("\(proxy): \(error.reason)")
                continue
            }
        }
    }

    @Test("a request that cannot be")
    func invalidRequests() async throws {
        let ftp = await transport.error(.make(scheme: "ftp", "host"))
        #expect(ftp?.reason == .invalidRequest(.scheme("ftp")))
        let url = await transport.error(.make("host:port:port"))
        #expect(url?.reason == .invalidRequest(.url("http://host:port:port/")))
        let head = await transport.error(.make(.head, "host", body: .bytes([1])))
        guard case .invalidRequest(.combination) = head?.reason else {
            Issue.record("\(String(describing: head))")
            return
        }
    }

    @Test("a disk that cannot be written ends the transfer, with what was held")
    func spoolFailure() async throws {
        let nginx = try Nginx.shared()
        let transport = CurlTransport(.init(spoolDirectory: "/dev/null/spool"))
        let error = try #require(
            await transport.error(
                .make(
                    nginx.plain,
                    "/100k.json",
                    options: TransportOptions(memoryLimit: 50_000)
                )
            )
        )
        guard case .file(let path, 20) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(path.hasPrefix("/dev/null"))
        #expect(try #require(error.response).body.count > 0)
    }

    @Test("a download that is cut leaves nothing at its place", .timeLimit(.minutes(5)))
    func cutDownload() async throws {
        let folder = Temporary.folder()
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123"),
            .close
        )
        var error = await transport.error(
            .make(server.authority, destination: .init(path: folder + "/file"))
        )
        #expect(error?.response?.bodyText == "0123")
        #expect(!Temporary.exists(folder + "/file"))
        error = nil
        #expect(error == nil)
        // The engine's thread may hold the response a moment longer.
        while !Temporary.names(in: folder).isEmpty { await Task.yield() }
    }
}
