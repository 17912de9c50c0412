import TestSupport
import Testing

@testable import Apus

/// A server of TLS that wants a client certificate, by `openssl s_server`; it ends with the test process.
private final class DemandingServer: Sendable {
    static let tls13 = Result { try DemandingServer("-tls1_3") }
    static let tls12 = Result { try DemandingServer("-tls1_2") }

    let port: UInt16

    private init(_ version: String) throws {
        let folder = try TLSNginx.shared().folder
        var attempts = 0
        while true {
            let port = try RawServer.freePort()
            do {
                try Shell.start(
                    """
                    cd '\(folder)'
                    openssl s_server -accept \(port) -cert good.pem -key good.key -CAfile ca.pem \
                      -Verify 1 -verify_return_error \(version) -www </dev/null >'\(folder)/\(port)' 2>&1 &
                    server=$!
                    until grep -q ACCEPT '\(folder)/\(port)'; do
                      kill -0 $server || exit
                      sleep 0.01
                    done
                    echo ready; cat >/dev/null; kill $server
                    """
                )
                self.port = port
                return
            } catch  where attempts < 5 {
                attempts += 1
            }
        }
    }
}

@Suite("CurlTransport: what is to blame")
struct CurlTransportBlameTests {
    private let transport = CurlTransport()

    private func failure(
        _ server: Result<DemandingServer, any Error>,
        _ certificate: String?
    ) async throws -> (ApusError.TLSFailure, String)? {
        let folder = try TLSNginx.shared().folder
        var options = TransportOptions(certificateAuthorityFile: "\(folder)/ca.pem")
        options.clientCertificate = certificate.map {
            ClientCertificate(file: "\(folder)/\($0).pem", keyFile: "\(folder)/\($0).key")
        }
        let place = "localhost:\(try server.get().port)"
        let error = await transport.error(.make(scheme: "https", place, options: options))
        guard case .tls(let failure, "localhost", let detail) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return nil
        }
        #expect(error.map { $0.code / 100 } == 23)
        return (failure, detail)
    }

    @Test("a server that wants a client certificate is one of TLS, however the connection ends")
    func certificateRequired() async throws {
        for _ in 0..<5 {
            let found = try await failure(DemandingServer.tls13, nil)
            #expect([.certificateRequired, .endedAfterHandshake].contains(found?.0))
            #expect(found?.1.contains("OpenSSL") == false)
        }
        let old = try await failure(DemandingServer.tls12, nil)
        #expect(old?.0 == .handshake || old?.0 == .certificateRequired)
        #expect(old?.1.hasPrefix("the server sent the TLS alert “") == true)
    }

    @Test("so is one that does not accept the certificate")
    func certificateRefused() async throws {
        for server in [DemandingServer.tls13, DemandingServer.tls12] {
            let found = try await failure(server, "self")
            #expect([.certificateRefused, .endedAfterHandshake].contains(found?.0))
        }
    }

    @Test(
        "an alert is read from OpenSSL's words",
        arguments: [
            (
                "tlsv13 alert certificate required, errno 0", "certificate required", false,
                ApusError.TLSFailure.certificateRequired
            ),
            ("tlsv1 alert unknown ca", "unknown ca", true, .certificateRefused),
            ("tlsv1 alert unknown ca", "unknown ca", false, .handshake),
            (
                "ssl/tls alert bad certificate, errno 0", "bad certificate", false,
                .certificateRequired
            ),
            ("sslv3 alert bad certificate", "bad certificate", true, .certificateRefused),
            ("tlsv1 alert access denied, errno 104", "access denied", true, .certificateRefused),
            ("sslv3 alert certificate expired", "certificate expired", true, .certificateRefused),
            ("tlsv1 alert protocol version", "protocol version", false, .protocolVersion),
            ("sslv3 alert handshake failure", "handshake failure", false, .handshake),
            ("tlsv1 alert internal error", "internal error", false, .handshake),
        ]
    )
    func alerts(
        words: String,
        name: String,
        hasCertificate: Bool,
        failure: ApusError.TLSFailure
    ) throws {
        for start in ["OpenSSL SSL_read: ", ""] {
            let alert = try #require(
                TLSAlert("\(start)OpenSSL/3.0.15: error:0A00045C:SSL routines::\(words)")
            )
            #expect(alert.name == name)
            #expect(alert.failure(hasCertificate: hasCertificate) == failure)
        }
        #expect(TLSAlert("SSL routines::wrong version number") == nil)
        #expect(TLSAlert("an alert of no TLS") == nil)
    }

    @Test("a handshake that hangs says so, and a proxy's tunnel is none")
    func handshake() async throws {
        let limit = Duration.milliseconds(150)
        let silent = try RawServer.silent()
        var options = TransportOptions(connectTimeout: limit)
        let error = await transport.error(
            .make(scheme: "https", silent.authority, options: options)
        )
        #expect(error?.reason == .timeout(.securing, limit: limit))
        #expect(error?.message.title == "The TLS handshake timed out after 150 ms")
        #expect(error?.code == 2001)
        options.proxy = "http://\(silent.authority)"
        let proxied = await transport.error(.make(scheme: "https", "far.invalid", options: options))
        #expect(proxied?.reason == .timeout(.connecting, limit: limit))
    }

    @Test("the request's own proxy is named")
    func ownProxy() async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let place = "127.0.0.1:\(closed.number)"
        for proxy in ["http://u:secret@\(place)", "socks5h://\(place)", place] {
            let error = await transport.error(
                .make("far.invalid", options: TransportOptions(proxy: proxy))
            )
            #expect(
                error?.reason
                    == .proxy(
                        detail: "connection refused",
                        at: .init(name: place, failure: .connect)
                    )
            )
            let text = "\(error?.message.description ?? "")"
            #expect(text.hasPrefix("Could not connect to the proxy \(place): connection refused."))
            #expect(!text.contains("secret"))
        }
        let lost = await transport.error(
            .make("far.test", options: TransportOptions(proxy: "http://nobody.invalid:1"))
        )
        #expect(lost?.message.title == "Could not resolve the proxy nobody.invalid:1")
    }

    @Test(
        "the environment's proxy is found as libcurl finds it",
        arguments: [
            (["http_proxy": "http://u:p@h:1"], "http", "h:1", "http_proxy"),
            (["http_proxy": "h"], "http", "h:1080", "http_proxy"),
            (["HTTP_PROXY": "h:1"], "http", nil, nil),
            (["HTTPS_PROXY": "https://h"], "https", "h:443", "HTTPS_PROXY"),
            (["http_proxy": "h:1"], "https", nil, nil),
            (["all_proxy": "socks5h://[::1]:9/"], "https", "[::1]:9", "all_proxy"),
            (
                ["http_proxy": "", "ALL_PROXY": "bücher.test:2"], "http", "xn--bcher-kva.test:2",
                "ALL_PROXY"
            ),
        ] as [([String: String], String, String?, String?)]
    )
    func environment(
        variables: [String: String],
        scheme: String,
        name: String?,
        variable: String?
    ) {
        let proxy = ProxyEnvironment { variables[$0] }.proxy(for: scheme)?.failing(.connect)
        #expect(proxy?.name == name && proxy?.variable == variable)
    }
}
