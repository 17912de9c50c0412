import CCurl
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Credentials that answer a challenge")
struct CredentialsPluginTests {
    private static let nonce = "dcd98b7102dd2f0e8b11d0f600bfb0c0"

    /// A server that takes a digest by SHA-256 of ada's password only (RFC 7616).
    private static func digestServer() throws -> RawServer {
        try RawServer { request in
            guard let given = request.value(of: "Authorization"), isRight(given, request) else {
                return [
                    .send(
                        "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nWWW-Authenticate: "
                            + "Digest realm=\"apus\", qop=\"auth\", algorithm=SHA-256, "
                            + "nonce=\"\(nonce)\"\r\n\r\n"
                    )
                ]
            }
            return [RawServer.ok("welcome")]
        }
    }

    private static func isRight(_ given: String, _ request: RawServer.Received) -> Bool {
        func part(_ name: String) -> String {
            guard let start = given.firstRange(of: " \(name)=")?.upperBound else { return "" }
            return String(given[start...].prefix { $0 != "," }.filter { $0 != "\"" })
        }
        let who = ContentDigest.hex(of: "ada:apus:open sesame")
        let what = ContentDigest.hex(of: "\(request.method):\(request.path)")
        let proof = "\(who):\(nonce):\(part("nc")):\(part("cnonce")):auth:\(what)"
        return part("username") == "ada" && part("nonce") == nonce
            && part("response") == ContentDigest.hex(of: proof)
    }

    private static func answer(
        of server: RawServer,
        _ credentials: ServerCredentials,
        validation: Validation = .none
    ) async throws(ApusError) -> Response {
        let provider = Provider<TestTarget>(
            cache: .inMemory,
            plugins: [CredentialsPlugin(credentials)]
        )
        let base = "http://\(server.authority)"
        return try await provider.response(
            for: TestTarget(base: base, path: "/private", validation: validation)
        )
    }

    @Test(
        "a digest answers the server's challenge",
        arguments: [
            ServerCredentials.Scheme.digest, .any,
        ]
    )
    func digest(scheme: ServerCredentials.Scheme) async throws {
        let server = try Self.digestServer()
        let credentials = ServerCredentials(scheme, user: "ada", password: "open sesame")
        let response = try await Self.answer(of: server, credentials)
        #expect(response.status == 200)
        #expect(response.text == "welcome")
        #expect(server.received.count == 2)
        let sent = server.received.flatMap(\.fields).joined(separator: "\n")
        #expect(!sent.contains("open sesame"))
    }

    @Test("a wrong password ends in the refusal, once")
    func wrong() async throws {
        let server = try Self.digestServer()
        let credentials = ServerCredentials(.digest, user: "ada", password: "guess")
        let response = try await Self.answer(of: server, credentials)
        #expect(response.status == 401)
        #expect(server.received.count == 2)
    }

    @Test("basic credentials go with the first request")
    func basic() async throws {
        let server = try RawServer(RawServer.ok(""))
        let credentials = ServerCredentials(.basic, user: "ada", password: "open sesame")
        _ = try await Self.answer(of: server, credentials)
        let request = try #require(server.received.first)
        #expect(request.value(of: "Authorization") == "Basic YWRhOm9wZW4gc2VzYW1l")
    }

    @Test("a target's own credentials win, and no credentials leave the request alone")
    func precedence() async throws {
        let transport = ScriptedTransport.answering("ok")
        let provider = Provider.make(
            transport,
            plugins: [
                CredentialsPlugin { _ in nil },
                CredentialsPlugin(ServerCredentials(.basic, user: "plugin", password: "")),
            ]
        )
        var target = TestTarget()
        target.options.credentials = ServerCredentials(.digest, user: "own", password: "")
        _ = try await provider.response(for: target)
        _ = try await provider.response(for: TestTarget())
        #expect(transport.received.map(\.options.credentials?.user) == ["own", "plugin"])
    }

    @Test("NTLM and Negotiate are spoken where libcurl has them, else refused before sending")
    func optionalSchemes() async throws {
        let server = try RawServer(
            .send(
                "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n"
                    + "WWW-Authenticate: NTLM\r\nWWW-Authenticate: Negotiate\r\n\r\n"
            )
        )
        for (scheme, isThere) in [
            (ServerCredentials.Scheme.ntlm, ccurl_has_ntlm() != 0),
            (.negotiate, ccurl_has_negotiate() != 0),
        ] {
            let credentials = ServerCredentials(scheme, user: "ada", password: "x")
            do throws(ApusError) {
                let response = try await Self.answer(of: server, credentials)
                #expect(isThere)
                #expect(response.status == 401)
            } catch {
                #expect(!isThere)
                #expect(error.code == 1005)
            }
        }
        if ccurl_has_ntlm() != 0 {
            let tokens = server.received.compactMap { $0.value(of: "Authorization") }
            // The first message of NTLM: its name, a zero and the number 1.
            #expect(tokens.contains { $0.hasPrefix("NTLM TlRMTVNTUAAB") })
        }
    }

    @Test("no error says the password")
    func secret() async throws {
        let server = try Self.digestServer()
        let error = await #expect(throws: ApusError.self) {
            try await Self.answer(
                of: server,
                ServerCredentials(.digest, user: "ada", password: "gue55"),
                validation: .successCodes
            )
        }
        #expect(error?.code == 3001)
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("gue55"))
        #expect(error?.description.contains("gue55") == false)
    }
}
