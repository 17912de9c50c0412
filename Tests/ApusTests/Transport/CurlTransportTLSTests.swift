import TestSupport
import Testing

@testable import Apus

@Suite("CurlTransport: TLS")
struct CurlTransportTLSTests {
    private let transport = CurlTransport()

    private func request(
        _ kind: TLSNginx.Kind,
        _ path: String = "/hello",
        _ change: (inout TransportOptions) -> Void = { _ in }
    ) throws -> PreparedRequest {
        let nginx = try TLSNginx.shared()
        var options = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        change(&options)
        return .make(scheme: "https", nginx.authority(kind), path, options: options)
    }

    @Test(
        "each fault of a certificate is told apart",
        arguments: [
            (TLSNginx.Kind.expired, ApusError.TLSFailure.expiredCertificate, 2312),
            (.otherHost, .otherHost, 2315), (.selfSigned, .selfSignedCertificate, 2311),
        ]
    )
    func faults(
        kind: TLSNginx.Kind,
        failure: ApusError.TLSFailure,
        code: Int
    ) async throws {
        let error = try #require(await transport.error(try request(kind)))
        guard case .tls(failure, "localhost", _) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect(error.code == code)
        #expect(failure.concernsServerCertificate)
        let unchecked = try await transport.send(try request(kind) { $0.verifiesTLS = false })
        #expect(unchecked.bodyText == "hello")
        // The certificate is known whether it was refused or not, and is the same.
        let refused = try #require(error.refusedConnection)
        let metrics = try #require(unchecked.metrics)
        #expect(refused.tls.fault == failure && !refused.tls.isVerified)
        #expect(metrics.tls?.isVerified == false)
        #expect(metrics.tls?.fault == failure)
        #expect(refused.tls.version == "TLSv1.3" && refused.tls.cipher?.isEmpty == false)
        let own = try #require(refused.certificates.first?.summary)
        #expect(own == metrics.certificates.first?.summary)
        #expect(own.names.map(\.text) == [kind == .otherHost ? "elsewhere.test" : "localhost"])
        #expect(own.isSelfSigned == (kind == .selfSigned))
        #expect(own.start != nil && own.end != nil && own.key == "rsaEncryption")
    }

    @Test("the TLS version, the cipher and the protocol are known, also on a reused connection")
    func session() async throws {
        for (kind, version, name) in [
            (TLSNginx.Kind.good, "TLSv1.3", "http/1.1"), (.onlyTLS12, "TLSv1.2", "http/1.1"),
            (.http2, "TLSv1.3", "h2"),
        ] {
            for isReused in [false, true] {
                let response = try await transport.send(try request(kind))
                let metrics = try #require(response.metrics)
                #expect(metrics.reusedConnection == isReused)
                #expect(metrics.tls?.version == version)
                #expect(metrics.tls?.applicationProtocol == name)
                #expect(metrics.tls?.cipher?.contains("AES") == true)
                #expect(metrics.tls?.isVerified == true && metrics.tls?.fault == nil)
            }
        }
    }

    @Test("a redirect from TLS to a server that is refused shows the certificate of that server")
    func refusedAfterRedirect() async throws {
        let nginx = try TLSNginx.shared()
        let place = "https://\(nginx.authority(.selfSigned))/hello"
        let server = try RawServer { _ in
            [
                .send("HTTP/1.1 302 Found\r\nLocation: \(place)\r\nContent-Length: 0\r\n\r\n"),
                .close,
            ]
        }
        let options = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        let error = await transport.error(.make(server.authority, "/", options: options))
        let refused = try #require(error?.refusedConnection)
        #expect(refused.tls.fault == .selfSignedCertificate)
        #expect(refused.certificates.first?.summary.isSelfSigned == true)
        // The next response over plain HTTP knows nothing of it.
        let plain = try RawServer { _ in [RawServer.ok("ok"), .close] }
        let response = try await transport.send(.make(plain.authority, "/"))
        #expect(response.metrics?.tls == nil)
    }

    @Test("a failure that is not of TLS has no refused connection")
    func otherFailure() async throws {
        let error = await transport.error(.make("127.0.0.1:1", "/"))
        #expect(error != nil && error?.refusedConnection == nil)
    }

    @Test(
        "a body that only the connection ends is not kept: it may have been cut",
        arguments: [CachePolicy.keep(for: .days(1)), .http]
    )
    func unframed(policy: CachePolicy) async throws {
        let nginx = try TLSNginx.shared()
        let provider = Provider<TestTarget>(cache: ResponseCache())
        let answers: [(TLSNginx.Kind, path: String, isKept: Bool)] = [
            (.good, "/hello", true), (.good, "/none", true), (.good, "/unframed", false),
            (.good, "/identity", false), (.http2, "/hello", true), (.http2, "/unframed", true),
        ]
        for (kind, path, isKept) in answers {
            let target = TestTarget(
                base: "https://\(nginx.authority(kind))",
                path: path,
                cachePolicy: policy,
                options: TransportOptions(certificateAuthorityFile: nginx.authorityFile)
            )
            var outcomes: [CacheStoreOutcome] = []
            for await event in provider.events(for: target, from: .server) {
                if case .storage(let outcome) = event { outcomes.append(outcome) }
                guard case .response(let response) = event else { continue }
                #expect(response.bodyText == (path == "/none" ? "" : "hello"))
            }
            let again = try await provider.response(for: target, from: .cacheIfPossible)
            #expect(again.isCached == isKept, "\(path) \(outcomes)")
        }
    }

    @Test("a pinned key is the server's, with or without its prefix, or the transfer ends")
    func pins() async throws {
        let folder = try TLSNginx.shared().folder
        let pin = try #require(Temporary.text(folder + "/good.pin"))
        let other = try #require(Temporary.text(folder + "/other.pin"))
        for pins in [[pin], ["sha256//" + pin], [other, pin]] {
            let response = try await transport.send(
                try request(.good) { $0.pinnedPublicKeys = pins }
            )
            #expect(response.status == 200)
        }
        for verifies in [true, false] {
            let error = await transport.error(
                try request(.good) {
                    $0.pinnedPublicKeys = [other]
                    $0.verifiesTLS = verifies
                }
            )
            guard case .tls(.pinMismatch, "localhost", _) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("a pin that is no digest is refused, not taken for a file", arguments: ["abc", "/etc/x"])
    func badPin(_ pin: String) async throws {
        let error = await transport.error(try request(.good) { $0.pinnedPublicKeys = [pin] })
        guard case .invalidRequest(.combination) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a client certificate says who we are, from PEM or PKCS#12, with a password or not")
    func clientCertificate() async throws {
        let folder = try TLSNginx.shared().folder
        let certificates = [
            ClientCertificate(file: folder + "/client.pem", keyFile: folder + "/client.key"),
            ClientCertificate(
                file: folder + "/client.pem",
                keyFile: folder + "/locked.key",
                password: "lovelace"
            ),
            ClientCertificate(
                file: folder + "/client.p12",
                format: .pkcs12,
                password: "lovelace"
            ),
        ]
        for certificate in certificates {
            let response = try await transport.send(
                try request(.asksForCertificate, "/who") { $0.clientCertificate = certificate }
            )
            #expect(response.bodyText == "CN=ada")
        }
        // A connection with a certificate is not used for a request without one.
        let nobody = try await transport.send(try request(.asksForCertificate, "/who"))
        #expect(nobody.status == 400)
    }

    @Test("a client certificate that cannot be used is an error of its own")
    func badClientCertificate() async throws {
        let folder = try TLSNginx.shared().folder
        let certificates = [
            ClientCertificate(file: "/nowhere.pem"),
            ClientCertificate(file: folder + "/client.p12", format: .pkcs12, password: "wrong"),
            ClientCertificate(file: folder + "/client.pem", keyFile: folder + "/good.key"),
        ]
        for certificate in certificates {
            let error = await transport.error(
                try request(.asksForCertificate) { $0.clientCertificate = certificate }
            )
            guard case .tls(.clientCertificate, _, _) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }

    @Test("a minimum TLS version is kept to, and does not keep a newer one out")
    func minimumVersion() async throws {
        let error = await transport.error(
            try request(.onlyTLS12) { $0.minimumTLSVersion = .tls13 }
        )
        // The server says why.
        guard case .tls(.protocolVersion, _, _) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        let modern = try await transport.send(
            try request(.good, "/version") { $0.minimumTLSVersion = .tls13 }
        )
        #expect(modern.bodyText == "TLSv1.3")
        let usual = try await transport.send(
            try request(.onlyTLS12, "/version") { $0.minimumTLSVersion = .tls12 }
        )
        #expect(usual.bodyText == "TLSv1.2")
        let old = try await transport.send(
            try request(.onlyTLS12, "/version") { $0.minimumTLSVersion = .tls10 }
        )
        #expect(old.bodyText == "TLSv1.2")
    }
}
