import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Fields that are left out, and fields that frame a body")
struct OmittedFieldsTests {
    private static let host = HTTPField.Name("Host") ?? .referer

    private static func sent(
        _ configuration: CurlTransport.Configuration = .init(),
        _ change: (inout TestTarget) -> Void
    ) async throws -> RawServer.Received {
        let server = try RawServer(RawServer.ok("ok"))
        let provider = Provider<TestTarget>(
            transport: CurlTransport(configuration),
            headerFields: [.acceptLanguage: "de"]
        )
        var target = TestTarget(base: "http://\(server.authority)")
        change(&target)
        _ = try await provider.response(for: target)
        return try #require(server.received.first)
    }

    @Test(
        "what would be added is left out",
        arguments: [
            HTTPField.Name.accept, .acceptEncoding, .userAgent, .acceptLanguage, host,
        ]
    )
    func omits(name: HTTPField.Name) async throws {
        let usual = try await Self.sent { _ in }
        #expect(usual.value(of: name.rawName) != nil)
        let request = try await Self.sent { $0.options.omittedFields = [name] }
        #expect(request.value(of: name.rawName) == nil)
        #expect(request.fields.count == usual.fields.count - 1)
    }

    @Test("a body goes without its type, and without Expect")
    func body() async throws {
        let request = try await Self.sent {
            $0.method = .post
            $0.task = .data(Array(repeating: 0x41, count: 2 << 20), type: "text/plain")
            $0.options.omittedFields = [.contentType, .expect]
        }
        #expect(request.value(of: "Content-Type") == nil)
        #expect(request.value(of: "Expect") == nil)
        #expect(request.value(of: "Content-Length") == "2097152")
    }

    @Test(
        "the target's own field is sent although its name is left out, and what is added can be known"
    )
    func own() async throws {
        let request = try await Self.sent {
            $0.headerFields[.accept] = "a/b"
            $0.options.omittedFields = [.accept, .userAgent]
        }
        #expect(request.value(of: "Accept") == "a/b")
        let prepared = PreparedRequest.make(
            "h",
            options: TransportOptions().with { $0.omittedFields = [.userAgent, Self.host] }
        )
        let added = CurlTransport().addedFields(to: prepared).map(\.name.canonicalName)
        #expect(added.sorted() == ["accept", "accept-encoding"])
        #expect(CurlCommand(prepared).text.contains("--header 'User-Agent:'"))
    }

    @Test("without Accept-Encoding a compressed response is decoded all the same")
    func decodes() async throws {
        let body: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0,
            0, 0,
        ]
        let server = try RawServer { _ in
            [
                .send(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
                ), .bytes(body),
            ]
        }
        let response = try await CurlTransport().send(
            .make(
                server.authority,
                options: TransportOptions().with { $0.omittedFields = [.acceptEncoding] }
            )
        )
        #expect(response.bodyText == "hello")
        #expect(server.received.first?.value(of: "Accept-Encoding") == nil)
    }

    @Test("a length that is given and true is sent, also without a body")
    func lengths() async throws {
        let plain = try await Self.sent { $0.headerFields[.contentLength] = "0" }
        #expect(plain.value(of: "Content-Length") == "0")
        let body = try await Self.sent {
            $0.method = .put
            $0.task = .data([1, 2, 3])
            $0.headerFields[.contentLength] = "3"
        }
        #expect(body.fields.filter { $0.lowercased().hasPrefix("content-length:") }.count == 1)
        let chunks = try await Self.sent {
            $0.method = .post
            $0.task = .data([1, 2, 3])
            $0.headerFields[.transferEncoding] = "Chunked"
        }
        #expect(chunks.value(of: "Transfer-Encoding") == "chunked")
        #expect(chunks.value(of: "Content-Length") == nil)
    }

    @Test(
        "what contradicts the body is refused in words, before anything is sent",
        arguments: [
            ("Content-Length", "9", false, "Content-Length is 9, but there is no body"),
            ("Content-Length", "9", true, "Content-Length is 9, but the body has 3 bytes"),
            ("Content-Length", "+3", true, "Content-Length is +3, but the body has 3 bytes"),
            (
                "Transfer-Encoding", "chunked", false,
                "Transfer-Encoding is given, but there is no body"
            ),
            ("Transfer-Encoding", "gzip, chunked", true, "only `chunked` can be sent"),
            // The Kelvin sign, a `k` in lowercase.
            ("Transfer-Encoding", "chun\u{212A}ed", true, "only `chunked` can be sent"),
        ]
    )
    func refused(name: String, value: String, hasBody: Bool, words: String) throws {
        var target = TestTarget(base: "http://h.test")
        target.headerFields[try #require(HTTPField.Name(name))] = value
        if hasBody { (target.method, target.task) = (.post, .data([1, 2, 3])) }
        let error = #expect(throws: ApusError.self) { try Endpoint(target) }
        #expect(error?.message.description.contains(words) == true)
    }

    @Test("two hosts, two lengths, a length beside chunks, and a body without either are refused")
    func pairs() throws {
        let pairs: [[(HTTPField.Name, String)]] = [
            [(Self.host, "a"), (Self.host, "b")],
            [(.contentLength, "3"), (.contentLength, "3")],
            [(.contentLength, "3"), (.transferEncoding, "chunked")],
        ]
        for fields in pairs {
            var target = TestTarget(base: "http://h.test")
            (target.method, target.task) = (.post, .data([1, 2, 3]))
            for (name, value) in fields {
                target.headerFields.append(HTTPField(name: name, value: value))
            }
            #expect(throws: ApusError.self) { try Endpoint(target) }
        }
        var target = TestTarget(base: "http://h.test")
        (target.method, target.task) = (.post, .data([1, 2, 3]))
        target.options.omittedFields = [.contentLength]
        #expect(throws: ApusError.self) { try Endpoint(target) }
    }

    @Test("a part's own type and disposition take the place of those that are made")
    func parts() {
        var part = MultipartForm.Part("a", .bytes([0x31]), fileName: "x.txt")
        part.headerFields[.contentType] = "a/b"
        let form = MultipartForm([part], boundary: "b")
        let text = String(decoding: form.outline, as: UTF8.self)
        #expect(text.components(of: "Content-Type:") == 1)
        #expect(text.contains("Content-Type: a/b\r\n"))
    }
}

extension String {
    /// How often a text occurs.
    fileprivate func components(of text: String) -> Int {
        var (count, rest) = (0, utf8[...])
        while let found = rest.firstRange(of: text.utf8) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
