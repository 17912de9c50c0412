import Glibc

/// nginx on loopback, for all tests.
///
/// It speaks HTTP/1.1, HTTP/2 in clear text, and TLS with HTTP/2 under a certificate
/// authority made for it. It ends with the test process.
package final class Nginx: Sendable {
    /// One for all tests.
    package static func shared() throws -> Nginx { try started.get() }
    private static let started = Result { try Nginx() }

    package let folder: String
    package let plainPort: UInt16
    package let tlsPort: UInt16
    package let http2Port: UInt16
    /// The authority that nginx's certificate is from.
    package var authorityFile: String { folder + "/ca.pem" }
    /// An authority that it is not from.
    package var otherAuthorityFile: String { folder + "/other.pem" }
    package var plain: String { "127.0.0.1:\(plainPort)" }
    package var tls: String { "localhost:\(tlsPort)" }
    package var http2: String { "127.0.0.1:\(http2Port)" }

    private init() throws {
        folder = TemporaryFolder.make()
        try Self.makeFiles(folder)
        let ports = try Self.start(in: folder, ports: 3) { [folder] in
            Self.configuration(folder, $0)
        }
        (plainPort, tlsPort, http2Port) = (ports[0], ports[1], ports[2])
    }

    /// Starts nginx with the configuration that is made for so many ports, and gives them; it listens then.
    ///
    /// A port that is free here may be another program's before nginx has it: then others are tried.
    package static func start(
        in folder: String,
        ports count: Int,
        configuration: ([UInt16]) -> String
    ) throws -> [UInt16] {
        var attempts = 0
        while true {
            let ports = try (0..<count).map { _ in try RawServer.freePort() }
            try TemporaryFolder.write(configuration(ports).utf8, to: folder + "/nginx.conf")
            attempts += 1
            do {
                try start(in: folder)
                return ports
            } catch  where attempts < 5 {
                continue
            }
        }
    }

    private static func start(in folder: String) throws {
        // The shell's input ends with this process, and then so does nginx; its folder may be gone
        // by then. As a daemon it leaves its first process when its sockets are open, and writes its
        // number after that.
        try Shell.start(
            """
            cd '\(folder)'; nginx -p '\(folder)' -c '\(folder)/nginx.conf' </dev/null >/dev/null || exit
            until [ -s pid ]; do sleep 0.01; done
            pid=$(cat pid); cd /; echo ready; cat >/dev/null
            kill $pid; rm -rf '\(folder)'
            """
        )
    }

    private static func makeFiles(_ folder: String) throws {
        try Shell.run(
            """
            set -e; cd '\(folder)'; mkdir www tmp
            head -c 1024 /dev/zero | tr '\\0' x >www/1k.json
            head -c 100000 /dev/zero | tr '\\0' y >www/100k.json
            head -c 10485760 /dev/urandom >www/10m.bin
            head -c 67108864 /dev/zero | gzip -9 >www/zeros.gz
            for name in ca other; do
              openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
                -subj "/CN=Apus test $name" -keyout $name.key -out $name.pem
            done
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
              -subj /CN=localhost -keyout server.key -out server.csr
            printf 'subjectAltName=DNS:localhost\\n' >san
            openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 \
              -extfile san -out leaf.pem
            cat leaf.pem ca.pem >server.pem
            """
        )
    }

    private static func configuration(_ folder: String, _ ports: [UInt16]) -> String {
        let tls = "localhost:\(ports[1])"
        let locations = locations(folder, redirectingTo: tls)
        return """
            master_process off; worker_processes 1; pid \(folder)/pid;
            error_log \(folder)/error.log; events { worker_connections 900; }
            http {
              access_log off; keepalive_requests 1000000; default_type application/json;
              client_body_temp_path \(folder)/tmp/b; proxy_temp_path \(folder)/tmp/p;
              fastcgi_temp_path \(folder)/tmp/f; uwsgi_temp_path \(folder)/tmp/u;
              scgi_temp_path \(folder)/tmp/s; root \(folder)/www;
              gzip_types *; gzip_min_length 1;
              ssl_certificate \(folder)/server.pem; ssl_certificate_key \(folder)/server.key;
              server { listen 127.0.0.1:\(ports[0]); \(locations) }
              server { listen 127.0.0.1:\(ports[2]) http2; \(locations) }
              server { listen 127.0.0.1:\(ports[1]) ssl http2; \(locations) }
            }
            """
    }

    private static func locations(_ folder: String, redirectingTo tls: String) -> String {
        """
        location /gzip/ { gzip on; alias \(folder)/www/; }
        location /slow/ { limit_rate 200k; alias \(folder)/www/; }
        location = /zeros.gz { add_header Content-Encoding gzip; }
        location = /to-tls { return 302 https://\(tls)/1k.json; }
        """
    }
}
