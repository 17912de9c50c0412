import Glibc
import TestSupport

/// nginx with certificates that are wrong in one way each, and with servers that
/// ask who the client is.
///
/// It ends with the test process.
final class TLSNginx: Sendable {
    /// One for all tests.
    static func shared() throws -> TLSNginx { try started.get() }
    private static let started = Result { try TLSNginx() }

    /// What is the matter with a server.
    enum Kind: Int, CaseIterable {
        case good, expired, otherHost, selfSigned, asksForCertificate, onlyTLS12, http2
    }

    let folder: String
    private let ports: [UInt16]

    /// The authority that all certificates but the self-signed one are from.
    var authorityFile: String { folder + "/ca.pem" }

    func authority(_ kind: Kind) -> String { "localhost:\(ports[kind.rawValue])" }

    private init() throws {
        folder = Temporary.folder()
        try Self.makeFiles(folder)
        ports = try Nginx.start(in: folder, ports: Kind.allCases.count) { [folder] in
            Self.configuration(folder, $0)
        }
    }

    private static func makeFiles(_ folder: String) throws {
        try Shell.run(
            """
            set -e; cd '\(folder)'; mkdir www tmp; printf hello >www/hello
            new='-newkey rsa:2048 -nodes'
            openssl req -x509 $new -days 2 -subj '/CN=Apus TLS test' -keyout ca.key -out ca.pem
            make() { # name, host, days
              openssl req $new -subj "/CN=$2" -keyout $1.key -out $1.csr
              printf "subjectAltName=DNS:$2\\n" >$1.san
              openssl x509 -req -in $1.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days $3 \
                -extfile $1.san -out $1.pem
            }
            make good localhost 2; make expired localhost -1; make other elsewhere.test 2
            make client ada 2
            openssl req -x509 $new -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
              -keyout self.key -out self.pem
            openssl pkcs12 -export -in client.pem -inkey client.key -passout pass:lovelace \
              -out client.p12
            openssl rsa -in client.key -aes128 -passout pass:lovelace -out locked.key
            for name in good other; do
              openssl x509 -in $name.pem -pubkey -noout | openssl pkey -pubin -outform der |
                openssl dgst -sha256 -binary | base64 | tr -d '\\n' >$name.pin
            done
            """
        )
    }

    private static func configuration(_ folder: String, _ ports: [UInt16]) -> String {
        let certificates = ["good", "expired", "other", "self", "good", "good", "good"]
        let servers = Kind.allCases.map { kind in
            let name = certificates[kind.rawValue]
            let more =
                switch kind {
                case .asksForCertificate:
                    "ssl_verify_client on; ssl_client_certificate \(folder)/ca.pem;"
                case .onlyTLS12: "ssl_protocols TLSv1.2;"
                // nginx 1.22 does not offer 1.3 by itself.
                default: "ssl_protocols TLSv1.2 TLSv1.3;"
                }
            return """
                server {
                  listen 127.0.0.1:\(ports[kind.rawValue]) ssl\(kind == .http2 ? " http2" : "");
                  \(more)
                  ssl_certificate \(folder)/\(name).pem; ssl_certificate_key \(folder)/\(name).key;
                  location = /who { return 200 $ssl_client_s_dn; }
                  location = /version { return 200 $ssl_protocol; }
                  location = /hello { add_header Cache-Control max-age=600; }
                  location = /none { add_header Cache-Control max-age=600 always; return 204; }
                  # A length beside a transfer coding says nothing (RFC 9112, section 6.3).
                  location = /identity {
                    alias \(folder)/www/hello; keepalive_timeout 0;
                    add_header Transfer-Encoding identity; add_header Cache-Control max-age=600;
                  }
                  # Its length is not known, and its end is that of the connection.
                  location = /unframed {
                    alias \(folder)/www/hello; ssi on; ssi_types text/plain;
                    chunked_transfer_encoding off; add_header Cache-Control max-age=600;
                  }
                }
                """
        }
        return """
            master_process off; worker_processes 1; pid \(folder)/pid;
            error_log \(folder)/error.log; events { worker_connections 200; }
            http {
              access_log off; default_type text/plain; root \(folder)/www;
              client_body_temp_path \(folder)/tmp/b; proxy_temp_path \(folder)/tmp/p;
              fastcgi_temp_path \(folder)/tmp/f; uwsgi_temp_path \(folder)/tmp/u;
              scgi_temp_path \(folder)/tmp/s;
              \(servers.joined(separator: "\n"))
            }
            """
    }
}
