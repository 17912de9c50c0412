import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: who asks, and by which way")
struct CurlTransportRouteTests {
    private let transport = CurlTransport()

    private static let challenge =
        #"WWW-Authenticate: Digest realm="r", nonce="n1", qop="auth", algorithm=MD5"#

    /// Responses 401 until credentials are there.
    private static func guarded(_ challenge: String) throws -> RawServer {
        try RawServer { request in
            request.value(of: "Authorization") == nil
                ? [
                    .send(
                        "HTTP/1.1 401 Who\r\n\(challenge)\r\nContent-Length: 5\r\n\r\nwrong"
                    )
                ]
                : [RawServer.ok("welcome")]
        }
    }

    @Test("basic credentials go with the first request")
    func basic() async throws {
        let server = try Self.guarded("WWW-Authenticate: Basic realm=r")
        var options = TransportOptions()
        options.credentials = ServerCredentials(.basic, user: "ada", password: "love:lace")
        let response = try await transport.send(.make(server.authority, options: options))
        #expect(response.bodyText == "welcome")
        #expect(server.received.count == 1)
        #expect(
            server.received.first?.value(of: "Authorization")
                == "Basic " + Data("ada:love:lace".utf8).base64EncodedString()
        )
    }

    @Test("a user or password with a NUL, which libcurl would cut there, is refused")
    func nul() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        for (user, password) in [("ada\0x", "b"), ("ada", "b\0x")] {
            var options = TransportOptions()
            options.credentials = ServerCredentials(.basic, user: user, password: Secret(password))
            let error = await transport.error(.make(server.authority, options: options))
            guard case .invalidRequest(.combination(let detail)) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(detail.hasSuffix("contains a NUL"))
        }
        var options = TransportOptions()
        options.proxy = "http://\(server.authority)\0x"
        #expect(await transport.error(.make("nobody.invalid", options: options))?.code == 1004)
        #expect(server.received.isEmpty)
    }

    @Test(
        "a challenge is answered, and only the last response is delivered",
        arguments: [ServerCredentials.Scheme.digest, .any]
    )
    func digest(_ scheme: ServerCredentials.Scheme) async throws {
        let server = try Self.guarded(Self.challenge)
        var options = TransportOptions()
        options.credentials = ServerCredentials(scheme, user: "ada", password: "x")
        let request = PreparedRequest.make(
            .post,
            server.authority,
            "/p",
            body: .bytes(Array("body".utf8)),
            options: options
        )
        let response = try await transport.send(request)
        #expect(response.status == 200)
        #expect(response.bodyText == "welcome")
        #expect(response.redirects.isEmpty)
        let last = try #require(server.received.last)
        #expect(last.body == Array("body".utf8))
        let answer = try #require(last.value(of: "Authorization"))
        #expect(answer.hasPrefix("Digest username=\"ada\""))
        #expect(answer.contains("uri=\"/p\""))

        let streamed = try await CurlTransport().stream(request)
        #expect(streamed.head.status.code == 200)
    }

    @Test("credentials that are refused are a response, with its body")
    func refused() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 401 No\r\n\(Self.challenge)\r\nContent-Length: 5\r\n\r\nwrong")
        )
        var options = TransportOptions()
        options.credentials = ServerCredentials(.digest, user: "ada", password: "x")
        let request = PreparedRequest.make(server.authority, options: options)
        let response = try await transport.send(request)
        #expect(response.status == 401)
        #expect(response.bodyText == "wrong")
        var body: [UInt8] = []
        let streamed = try await transport.stream(request)
        for try await chunk in streamed.body { body += chunk }
        #expect(streamed.head.status.code == 401)
        #expect(body == Array("wrong".utf8))
    }

    @Test("NTLM and Negotiate begin with their own words, or say that they are missing")
    func otherSchemes() async throws {
        let server = try RawServer { request in
            let authorization = request.value(of: "Authorization") ?? ""
            return authorization.hasPrefix("NTLM ")
                ? [RawServer.ok("ntlm")]
                : [
                    .send(
                        "HTTP/1.1 401 No\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n"
                    )
                ]
        }
        var options = TransportOptions()
        options.credentials = ServerCredentials(.ntlm, user: "ada", password: "x")
        do {
            let response = try await transport.send(.make(server.authority, options: options))
            #expect(response.bodyText == "ntlm")
        } catch {
            #expect(error.code == 1005)
        }
        options.credentials = .negotiate
        do {
            // Without a ticket it stays at the server's refusal.
            let response = try await transport.send(.make(server.authority, options: options))
            #expect(response.status == 401)
        } catch {
            #expect(error.code == 1005)
        }
    }

    @Test("a netrc file gives the credentials of its hosts")
    func netrc() async throws {
        let server = try Self.guarded("WWW-Authenticate: Basic realm=r")
        let folder = Temporary.folder()
        try Temporary.write(
            "machine 127.0.0.1 login ada password lovelace\n",
            to: folder + "/netrc"
        )
        var options = TransportOptions()
        options.usesNetrc = true
        options.netrcFile = folder + "/netrc"
        let response = try await transport.send(.make(server.authority, options: options))
        #expect(response.bodyText == "welcome")
        let sent = server.received.last?.value(of: "Authorization")
        #expect(sent == "Basic " + Data("ada:lovelace".utf8).base64EncodedString())
    }

    @Test("a pipe or a device as a file of trust or identity is refused, and holds nobody up")
    func endlessFiles() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let folder = Temporary.folder()
        let pipe = folder + "/pipe"
        mkfifo(pipe, 0o600)
        let uses: [(inout TransportOptions) -> Void] = [
            { $0.certificateAuthorityFile = pipe }, { $0.certificateAuthorityFile = "/dev/zero" },
            { $0.clientCertificate = ClientCertificate(file: pipe) },
            { $0.clientCertificate = ClientCertificate(file: folder, keyFile: pipe) },
            { ($0.usesNetrc, $0.netrcFile) = (true, pipe) },
        ]
        for use in uses {
            var options = TransportOptions()
            use(&options)
            let error = await transport.error(.make(server.authority, options: options))
            guard case .file(_, ESPIPE) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
        #expect(server.received.isEmpty)
        var options = TransportOptions()
        (options.usesNetrc, options.netrcFile) = (true, "/dev/null")
        let response = try await transport.send(.make(server.authority, options: options))
        #expect(response.bodyText == "ok")
    }

    @Test("a proxy gets its own credentials, and hosts can be excepted from it")
    func proxy() async throws {
        let proxy = try RawServer(RawServer.ok("by proxy"))
        let server = try RawServer(RawServer.ok("direct"))
        var options = TransportOptions(proxy: "http://\(proxy.authority)")
        options.proxyCredentials = ServerCredentials(.basic, user: "p", password: "q")
        let by = try await transport.send(.make(server.authority, options: options))
        #expect(by.bodyText == "by proxy")
        let seen = try #require(proxy.received.first)
        #expect(
            seen.value(of: "Proxy-Authorization")
                == "Basic " + Data("p:q".utf8).base64EncodedString()
        )
        #expect(seen.value(of: "Authorization") == nil)
        options.proxyExceptions = ["example.test", "127.0.0.1"]
        let direct = try await transport.send(.make(server.authority, options: options))
        #expect(direct.bodyText == "direct")
        #expect(server.received.first?.value(of: "Proxy-Authorization") == nil)
    }

    @Test("an address override holds for its request and for no later one")
    func addressOverride() async throws {
        let server = try RawServer(RawServer.ok("here"))
        let port = Int(server.port)
        var options = TransportOptions()
        options.addressOverrides = [
            AddressOverride(host: "far.invalid", port: 80, address: "127.0.0.1", toPort: port)
        ]
        let response = try await transport.send(.make("far.invalid", options: options))
        #expect(response.bodyText == "here")
        #expect(server.received.first?.value(of: "Host") == "far.invalid")
        let later = await transport.error(.make("far.invalid"))
        guard case .nameLookup("far.invalid", _) = later?.reason else {
            Issue.record("\(String(describing: later))")
            return
        }
    }

    @Test("a family of addresses is kept to, also when a connection of the other is open")
    func family() async throws {
        let server = try RawServer(RawServer.ok("v4"))
        let authority = "localhost:\(server.port)"
        _ = try await transport.send(.make(authority))
        var options = TransportOptions()
        options.addressFamily = .ipv4
        let response = try await transport.send(.make(authority, options: options))
        #expect(response.metrics?.remoteAddress == server.authority)
        options.addressFamily = .ipv6
        let error = await transport.error(.make(authority, options: options))
        switch error?.reason {
        case .connect, .nameLookup: break
        default: Issue.record("\(String(describing: error))")
        }
    }

    @Test("a Unix socket takes the place of the host")
    func unixSocket() async throws {
        let folder = Temporary.folder()
        let server = try RawServer(unixPath: folder + "/socket") { _ in [RawServer.ok("by socket")]
        }
        var options = TransportOptions()
        options.unixSocket = server.path
        let response = try await transport.send(.make("docker.test", "/info", options: options))
        #expect(response.bodyText == "by socket")
        options.unixSocket = folder + "/none"
        let error = await transport.error(.make("docker.test", options: options))
        guard case .connect = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("requests leave by the interface that they are told, or not at all")
    func interface() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        var options = TransportOptions()
        options.interface = "127.0.0.1"
        let response = try await transport.send(.make(server.authority, options: options))
        #expect(response.bodyText == "ok")
        options.interface = "no-such-interface-0"
        let error = await transport.error(.make(server.authority, options: options))
        guard case .connect = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
