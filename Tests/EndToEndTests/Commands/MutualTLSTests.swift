import TestSupport
import Testing

/// nginx that asks who the client is, and one on a Unix socket; both end with the test process.
private final class AskingNginx: Sendable {
    static let started = Result { try AskingNginx() }

    let folder: String
    let url: String
    var socket: String { folder + "/s" }

    private init() throws {
        let folder = TemporaryFolder.make()
        let authority = try Nginx.shared().folder
        try Shell.run(
            """
            set -e; cd '\(folder)'; mkdir tmp
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=ada \
              -keyout ada.key -out ada.csr
            openssl x509 -req -in ada.csr -CA '\(authority)/ca.pem' -CAkey '\(authority)/ca.key' \
              -CAserial serial -CAcreateserial -days 2 -out ada.pem
            openssl pkcs12 -export -in ada.pem -inkey ada.key -passout pass:lovelace -out ada.p12
            """
        )
        let ports = try Nginx.start(in: folder, ports: 1) { ports in
            """
            master_process off; worker_processes 1; pid \(folder)/pid;
            error_log \(folder)/error.log; events { worker_connections 100; }
            http {
              access_log off; client_body_temp_path \(folder)/tmp/b; proxy_temp_path \(folder)/tmp/p;
              fastcgi_temp_path \(folder)/tmp/f; uwsgi_temp_path \(folder)/tmp/u;
              scgi_temp_path \(folder)/tmp/s;
              server {
                listen 127.0.0.1:\(ports[0]) ssl; ssl_verify_client on;
                ssl_client_certificate \(authority)/ca.pem;
                ssl_certificate \(authority)/server.pem; ssl_certificate_key \(authority)/server.key;
                location / { return 200 $ssl_client_s_dn; }
              }
              server { listen unix:\(folder)/s; location / { return 200 "socket $host"; } }
            }
            """
        }
        self.folder = folder
        url = "https://localhost:\(ports[0])/"
    }
}

@Suite("Certificates of our own, and Unix sockets")
struct MutualTLSTests {
    private let files = PrivateFiles()
    private let server: AskingNginx

    init() throws { server = try AskingNginx.started.get() }

    private func send(_ arguments: String...) throws -> PipedProgram {
        let authority = ["--cacert", try Nginx.shared().authorityFile]
        return try .run(["send"] + arguments + authority, files: files)
    }

    @Test("a command shows a certificate to the server that asks for one, and to no other way")
    func command() throws {
        let (certificate, key) = (server.folder + "/ada.pem", server.folder + "/ada.key")
        let shown = try send(server.url, "--cert", certificate, "--key", key)
        #expect(shown.output == "CN=ada", "\(shown.errors)")
        #expect(try send(server.url).output.contains("No required SSL certificate was sent"))
        let wrong = try send(server.url, "--cert", server.folder + "/none.pem", "--key", key)
        #expect(wrong.status == .exited(22) && wrong.errors.contains("certificate"))
        let noCertificate = try send(server.url, "--key", key)
        #expect(noCertificate.status == .exited(2))
        #expect(noCertificate.errors.contains("--key needs --cert."))
    }

    @Test("a command shows the certificate that it refuses, and says when it verified none")
    func unverified() throws {
        let refused = try PipedProgram.run(["send", "--json", server.url], files: files)
        #expect(refused.status == .exited(22))
        for text in [
            #""verified":false"#, #""fault":"untrustedCertificate""#, #""names":["localhost""#,
            "BEGIN CERTIFICATE",
        ] { #expect(refused.output.contains(text), "\(text) \(refused.output)") }
        let shown = try PipedProgram.run(["send", "-v", server.url], files: files)
        #expect(shown.errors.contains("certificate NOT VERIFIED (untrustedCertificate)"))
        #expect(shown.errors.contains("issuer "), "\(shown.errors)")
        let skipped = try PipedProgram.run(["send", "-k", "-v", server.url], files: files)
        #expect(skipped.errors.contains("TLS 1."), "\(skipped.errors)")
        #expect(skipped.errors.contains("certificate NOT VERIFIED"), "\(skipped.errors)")
        let checked = try send("-v", server.url)
        #expect(checked.errors.contains("certificate verified"), "\(checked.errors)")
    }

    @Test("a command asks a server on a Unix socket")
    func socket() throws {
        let sent = try send("http://docker/v1", "--unix-socket", server.socket)
        #expect(sent.output == "socket docker", "\(sent.errors)")
    }

    @Test("a workspace does both; a target that leads elsewhere takes neither along")
    func workspace() throws {
        try files.write(
            """
            variables: { pw: { env: PASSPHRASE } }
            environments:
              tls:
                baseURL: \(server.url)
                caFile: \(try Nginx.shared().authorityFile)
                clientCertificate: { file: \(server.folder)/ada.p12, password: "{{ pw }}" }
              socket: { baseURL: "http://docker/", unixSocket: \(server.socket) }
            targets:
              Who: GET /who
              Elsewhere: GET \(server.url.replacing("localhost", with: "127.0.0.1"))
            """,
            to: "mine.apus.yaml"
        )
        func send(_ target: String, _ environment: String) throws -> PipedProgram {
            try .shell(
                "PASSPHRASE=lovelace $1 send \(target) -w mine.apus.yaml -e \(environment) -k",
                files: files
            )
        }
        #expect(try send("Who", "tls").output == "CN=ada")
        #expect(try send("Who", "socket").output == "socket docker")
        let elsewhere = try send("Elsewhere", "tls")
        #expect(elsewhere.output.contains("No required SSL certificate was sent"))
    }
}
