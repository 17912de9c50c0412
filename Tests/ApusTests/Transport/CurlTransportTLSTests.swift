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
        guard case .tls(.handshake, _, _) = error?.reason else {
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
