import Apus
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: responses")
struct CurlTransportResponseTests {
    private let transport = CurlTransport()

    @Test("a small response is in memory, with its head, its source and its metrics")
    func smallResponse() async throws {
        let nginx = try Nginx.shared()
        let response = try await transport.send(.make(nginx.plain, "/1k.json"))
        #expect(response.status == 200)
        #expect(response.head.status.reasonPhrase == "OK")
        #expect(response.mediaType == "application/json")
        #expect(response.body == .bytes(Array(repeating: UInt8(ascii: "x"), count: 1024)))
        #expect(response.source == .server)
        #expect(response.isComplete)
        let metrics = try #require(response.metrics)
        #expect(metrics.bytesReceived == 1024)
        #expect(metrics.negotiatedVersion == "1.1")
        #expect(metrics.remoteAddress == nginx.plain)
        #expect(metrics.effectiveURL == "http://\(nginx.plain)/1k.json")
        #expect(!metrics.reusedConnection)
        #expect(metrics.certificates.isEmpty)
        #expect(metrics.trace.isEmpty)
        let second = try await transport.send(.make(nginx.plain, "/1k.json"))
        #expect(second.metrics?.reusedConnection == true)
    }

    @Test("any final status up to 999 is a response", arguments: [200, 299, 404, 599, 999])
    func status(_ code: Int) async throws {
        let server = try RawServer(
            .send("HTTP/1.1 \(code) As It Is\r\nContent-Length: 0\r\n\r\n"),
            .close
        )
        let response = try await transport.send(.make(server.authority))
        #expect(response.status == code)
        #expect(response.head.status.reasonPhrase == "As It Is")
    }

    @Test("repeated, empty, unspaced and folded fields are kept, in order")
    func fields() async throws {
        let server = try RawServer(
            .send(
                "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nX-Empty:\r\nX-Tight:v\r\n"
                    + "Set-Cookie: b=2\r\nX-Folded: one\r\n two\r\nX-Latin: caf\u{e9}\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        )
        let head = try await transport.send(.make(server.authority)).head
        #expect(head.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(
            head.headerFields.map(\.name.canonicalName).prefix(5)
                == ["set-cookie", "x-empty", "x-tight", "set-cookie", "x-folded"]
        )
        #expect(head.headerFields[try #require(.init("X-Empty"))] == "")
        #expect(head.headerFields[try #require(.init("X-Tight"))] == "v")
        #expect(head.headerFields[try #require(.init("X-Folded"))] == "one two")
        #expect(head.headerFields[try #require(.init("X-Latin"))] == "café")
    }

    @Test("a line that is no field is kept beside the fields")
    func irregularLine() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nbad name: 1\r\nContent-Length: 0\r\n\r\n")
        )
        let response = try await transport.send(.make(server.authority))
        #expect(response.metrics?.irregularHeaderLines == ["bad name: 1"])
    }

    @Test("interim responses are passed over, but for the trace; trailers are kept")
    func interimAndTrailers() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .send("2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n")
        )
        let response = try await transport.send(
            .make(server.authority, options: TransportOptions(tracesWire: true))
        )
        #expect(response.status == 200)
        #expect(response.bodyText == "hi")
        #expect(response.head.headerFields[try #require(.init("Link"))] == nil)
        let metrics = try #require(response.metrics)
        #expect(metrics.irregularHeaderLines == ["X-Sum: 7"])
        let lines = metrics.trace.filter { $0.kind == .headerIn }.map(\.text)
        #expect(lines.prefix(2) == ["HTTP/1.1 103 Early Hints", "Link: </a>"])
    }

    @Test("a compressed body is decoded, and counted as it came")
    func gzip() async throws {
        let nginx = try Nginx.shared()
        let response = try await transport.send(.make(nginx.plain, "/gzip/100k.json"))
        #expect(response.head.headerFields[.contentEncoding] == "gzip")
        #expect(response.body.count == 100_000)
        #expect(try #require(response.metrics).bytesReceived < 10_000)
    }

    @Test("who asks for an encoding, or for none, gets the bytes as they come")
    func undecoded() async throws {
        let nginx = try Nginx.shared()
        let asked = try await transport.send(
            .make(nginx.plain, "/gzip/100k.json", fields: [.acceptEncoding: "gzip"])
        )
        #expect(Array(try asked.body.load().prefix(2)) == [0x1F, 0x8B])
        let plain = try await transport.send(
            .make(
                nginx.plain,
                "/gzip/100k.json",
                options: TransportOptions(decodesContent: false)
            )
        )
        #expect(plain.head.headerFields[.contentEncoding] == nil)
        #expect(plain.body.count == 100_000)
    }

    @Test("HEAD has a head and no body")
    func head() async throws {
        let nginx = try Nginx.shared()
        let response = try await transport.send(.make(.head, nginx.plain, "/1k.json"))
        #expect(response.head.headerFields[.contentLength] == "1024")
        #expect(response.body.isEmpty)
    }

    @Test("a body over the memory limit is in a file, which goes with the response")
    func spool() async throws {
        let nginx = try Nginx.shared()
        let folder = Temporary.folder()
        let transport = CurlTransport(.init(spoolDirectory: folder))
        let options = TransportOptions(memoryLimit: 99_999)
        var response: Response? = try await transport.send(
            .make(nginx.plain, "/100k.json", options: options)
        )
        guard case .file(let file) = response?.body else {
            Issue.record("the body is not in a file")
            return
        }
        let path = file.path
        #expect(path.hasPrefix(folder))
        #expect(file.count == 100_000)
        #expect(try file.load() == Array(repeating: UInt8(ascii: "y"), count: 100_000))
        response = nil
        #expect(Temporary.exists(path))
        withExtendedLifetime(file) {}
        let exact = try await transport.send(
            .make(nginx.plain, "/100k.json", options: TransportOptions(memoryLimit: 100_000))
        )
        guard case .bytes = exact.body else {
            Issue.record("a body at the limit is not in memory")
            return
        }
    }

    @Test(
        "a spool folder that is a link, or that others may write to, is not used",
        arguments: [false, true]
    )
    func foreignSpool(isLink: Bool) async throws {
        let place = Temporary.folder()
        let spool = "\(place)/spool"
        try Shell.run(
            isLink
                ? "mkdir -m 700 '\(place)/other' && ln -s other '\(spool)'"
                : "mkdir '\(spool)' && chmod 777 '\(spool)'"
        )
        let server = try RawServer(RawServer.ok("a body that is too long for memory"))
        let response = try await CurlTransport(.init(spoolDirectory: spool)).send(
            .make(server.authority, options: TransportOptions(memoryLimit: 10))
        )
        guard case .file(let file) = response.body else {
            Issue.record("the body is not in a file")
            return
        }
        #expect(Temporary.names(in: spool).isEmpty)
        let folder = String(file.path.prefix(upTo: try #require(file.path.lastIndex(of: "/"))))
        #expect(folder.hasPrefix(spool + "-"))
        #expect(try FileMode.of(folder) == 0o700)
        #expect(try FileMode.of(file.path) == 0o600)
    }

    @Test("a spooled file is removed with the last response that holds it")
    func spoolIsRemoved() async throws {
        let nginx = try Nginx.shared()
        let path = try await {
            let response = try await CurlTransport().send(
                .make(nginx.plain, "/100k.json", options: TransportOptions(memoryLimit: 10))
            )
            guard case .file(let file) = response.body else { return "" }
            #expect(Temporary.exists(file.path))
            return file.path
        }()
        #expect(!path.isEmpty)
        // The transport's thread may be about to let go of it.
        #expect(await comesTrue { !Temporary.exists(path) })
    }

    @Test("a download is at its place when it has ended, and nothing else is there")
    func download() async throws {
        let nginx = try Nginx.shared()
        let folder = Temporary.folder()
        let path = folder + "/deep/er/10m.bin"
        let response = try await transport.send(
            .make(nginx.plain, "/10m.bin", destination: .init(path: path))
        )
        #expect(response.body.count == 10 << 20)
        #expect(try FileBytes.read(path) == FileBytes.read(nginx.folder + "/www/10m.bin"))
        #expect(Temporary.names(in: folder + "/deep/er") == ["10m.bin"])

        let request = PreparedRequest.make(
            nginx.plain,
            "/1k.json",
            destination: .init(path: path)
        )
        #expect(await transport.error(request)?.reason == .file(path: path, errno: 17))
        #expect(try FileBytes.read(path).count == 10 << 20)
        let replaced = try await transport.send(
            .make(
                nginx.plain,
                "/1k.json",
                destination: .init(path: path, replacesExisting: true)
            )
        )
        #expect(replaced.body.count == 1024)
        #expect(try FileBytes.read(path).count == 1024)
    }

    @Test("a download into a folder that is missing is an error, if it is not to be made")
    func downloadWithoutFolder() async throws {
        let nginx = try Nginx.shared()
        let path = Temporary.folder() + "/missing/file"
        let error = await transport.error(
            .make(
                nginx.plain,
                "/1k.json",
                destination: .init(path: path, createsDirectories: false)
            )
        )
        guard case .file(_, let number) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(number == 2)
    }

    @Test("the phases are in order, and a reused connection has none of its own")
    func phases() async throws {
        let nginx = try Nginx.shared()
        let options = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        let request = PreparedRequest.make(
            scheme: "https",
            nginx.tls,
            "/1k.json",
            options: options
        )
        let first = try #require(try await transport.send(request).metrics?.phases)
        #expect(first.nameLookup <= first.connect)
        #expect(first.connect < first.secureConnect)
        #expect(first.secureConnect <= first.preTransfer)
        #expect(first.preTransfer < first.firstByte)
        #expect(first.firstByte <= first.total)
        #expect(first.redirects == .zero)
        let second = try #require(try await transport.send(request).metrics?.phases)
        #expect(second.connect == second.secureConnect)
        #expect(second.firstByte <= second.total)
    }

    // libcurl 7.88 counts the first byte that goes up.
    @Test("a server that thinks about a body is waited for", arguments: ["/", "/again"])
    func waitAfterBody(path: String) async throws {
        let server = try RawServer { request in
            request.path == "/again"
                ? [.send("HTTP/1.1 307 T\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")]
                : [
                    .drip("H", count: 1, milliseconds: 60),
                    .send("TTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone"),
                ]
        }
        let request = PreparedRequest.make(
            .post,
            server.authority,
            path,
            body: .bytes(Array("a=1".utf8))
        )
        let phases = try #require(try await CurlTransport().send(request).metrics?.phases)
        #expect(phases.firstByte - phases.preTransfer >= .milliseconds(50))
        #expect(phases.firstByte <= phases.total)
    }

    @Test("HTTP/2 is agreed on over TLS, with the certificates shown, also when reused")
    func http2() async throws {
        let nginx = try Nginx.shared()
        let options = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        for isReused in [false, true] {
            let response = try await transport.send(
                .make(scheme: "https", nginx.tls, "/1k.json", options: options)
            )
            let metrics = try #require(response.metrics)
            #expect(metrics.negotiatedVersion == "2")
            #expect(metrics.reusedConnection == isReused)
            #expect(metrics.certificates.count == 2)
            let leaf = try #require(metrics.certificates.first)
            #expect(leaf.fields.contains { $0.name == "Subject" && $0.value.contains("localhost") })
        }
    }

    @Test("HTTP/1.1 is spoken when asked for, HTTP/2 in clear text by prior knowledge")
    func versions() async throws {
        let nginx = try Nginx.shared()
        let old = TransportOptions(
            certificateAuthorityFile: nginx.authorityFile,
            requestedVersion: .http1
        )
        let first = try await transport.send(
            .make(scheme: "https", nginx.tls, "/1k.json", options: old)
        )
        #expect(first.metrics?.negotiatedVersion == "1.1")
        let second = try await transport.send(
            .make(
                nginx.http2,
                "/1k.json",
                options: TransportOptions(requestedVersion: .http2)
            )
        )
        #expect(second.metrics?.negotiatedVersion == "2")
        #expect(second.body.count == 1024)
    }

    @Test("a hundred requests at once share one HTTP/2 connection")
    func multiplexing() async throws {
        let nginx = try Nginx.shared()
        let request = PreparedRequest.make(
            scheme: "https",
            nginx.tls,
            "/1k.json",
            options: TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        )
        let transport = transport
        let opened = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let metrics = try await transport.send(request).metrics
                    return metrics?.reusedConnection == true ? 0 : 1
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(opened == 1)
    }

    // libcurl 7.88 leaves bytes of HTTP/2 lying without an event, and refuses to set up
    // some handles of a burst again.
    @Test("bursts over HTTP/2 never stand still, and leave handles that can be used again")
    func bursts() async throws {
        let nginx = try Nginx.shared()
        let request = PreparedRequest.make(
            scheme: "https",
            nginx.tls,
            "/1k.json",
            options: TransportOptions(
                timeout: .seconds(5),
                certificateAuthorityFile: nginx.authorityFile
            )
        )
        for _ in 0..<8 {
            let transport = CurlTransport()
            for _ in 0..<3 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<100 {
                        group.addTask { _ = try await transport.send(request) }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("the trace has both heads and the TLS version, and no secret")
    func trace() async throws {
        let nginx = try Nginx.shared()
        let fields: HTTPFields = [
            .authorization: "Bearer s3cret-token", .cookie: "sid=s3cret-cookie", .accept: "a/b",
        ]
        for version in [TransportOptions.HTTPVersion.http1, .automatic] {
            let options = TransportOptions(
                certificateAuthorityFile: nginx.authorityFile,
                requestedVersion: version,
                tracesWire: true
            )
            let response = try await CurlTransport().send(
                .make(scheme: "https", nginx.tls, "/1k.json", fields: fields, options: options)
            )
            let trace = try #require(response.metrics?.trace)
            let text = trace.map(\.text).joined(separator: "\n")
            #expect(!text.contains("s3cret"))
            #expect(text.contains("a/b"))
            #expect(text.lowercased().contains("authorization: ••••••"))
            #expect(trace.contains { $0.kind == .remark && $0.text.contains("TLSv1.3") })
            #expect(trace.contains { $0.kind == .headerIn && $0.text.hasPrefix("HTTP/") })
        }
        let server = try RawServer(RawServer.ok("", fields: "Set-Cookie: sid=s3cret\r\n"))
        let response = try await transport.send(
            .make(server.authority, options: TransportOptions(tracesWire: true))
        )
        let trace = try #require(response.metrics?.trace)
        #expect(trace.contains { $0.kind == .headerIn && $0.text == "Set-Cookie: ••••••" })
    }

    @Test("the trace of redirects has none of the secrets in their URLs")
    func tracedRedirect() async throws {
        let server = try RawServer { request in
            request.path.hasPrefix("/a")
                ? [
                    .send(
                        "HTTP/1.1 302 Found\r\nLocation: /b?code=s3cret&own=s3cret\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                ] : [RawServer.ok("ok")]
        }
        var options = TransportOptions(tracesWire: true)
        options.secretParameters = ["own"]
        let response = try await transport.send(
            .make(server.authority, "/a?api_key=s3cret", options: options)
        )
        let trace = response.trace.map(\.text).joined(separator: "\n")
        #expect(!trace.contains("s3cret"))
        #expect(trace.contains("GET /b?code=••••••&own=••••••"))
        // What the program gets is whole.
        #expect(response.finalURL.hasSuffix("/b?code=s3cret&own=s3cret"))
    }

    @Test("progress is told at the end, with totals only where they are known")
    func progress() async throws {
        let nginx = try Nginx.shared()
        let told = Told()
        _ = try await transport.send(.make(nginx.plain, "/10m.bin"), progress: { told.add($0) })
        let last = try #require(told.all.last)
        #expect(last == TransferProgress(bytesReceived: 10 << 20, bytesToReceive: 10 << 20))
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
        )
        let unknown = Told()
        _ = try await transport.send(.make(server.authority), progress: { unknown.add($0) })
        #expect(unknown.all.last == TransferProgress(bytesReceived: 3))
    }
}
