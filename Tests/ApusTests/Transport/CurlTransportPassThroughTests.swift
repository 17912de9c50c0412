import Apus
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: what is legal passes through unharmed")
struct CurlTransportPassThroughTests {
    private let transport = CurlTransport()

    @Test("every final status from 200 to 999, and 101")
    func statuses() async throws {
        let server = try RawServer { request in
            let code = request.path.dropFirst()
            // 204 and 304 have no body, whatever the header says.
            return [.send("HTTP/1.1 \(code) R\(code)\r\nContent-Length: 0\r\n\r\n")]
        }
        let options = TransportOptions(maximumRedirects: 0)
        for code in 200...999 {
            let response = try await transport.send(
                .make(server.authority, "/\(code)", options: options)
            )
            #expect(response.status == code)
            #expect(response.reasonPhrase == "R\(code)")
        }
        let switching = try RawServer(
            .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
            .close
        )
        let response = try await transport.send(.make(switching.authority))
        #expect(response.status == 101)
    }

    @Test("interim responses before the final one", arguments: [100, 102, 103, 104, 199])
    func interim(_ code: Int) async throws {
        let server = try RawServer(
            .send("HTTP/1.1 \(code) Wait\r\nX-Early: 1\r\n\r\n"),
            .send("HTTP/1.1 \(code) Wait\r\n\r\n"),
            RawServer.ok("done")
        )
        let response = try await transport.send(.make(server.authority))
        #expect(response.status == 200)
        #expect(response.bodyText == "done")
        #expect(response.head.headerFields[try #require(.init("X-Early"))] == nil)
    }

    @Test(
        "a reason phrase that is empty, missing, long or not ASCII",
        arguments: [
            ("HTTP/1.1 200 ", ""), ("HTTP/1.1 200", ""),
            ("HTTP/1.1 200 caf\u{e9} au lait", "café au lait"),
            (
                "HTTP/1.1 200 " + String(repeating: "x", count: 5000),
                String(repeating: "x", count: 5000)
            ),
        ]
    )
    func reason(line: String, phrase: String) async throws {
        let server = try RawServer(.send(line + "\r\nContent-Length: 2\r\n\r\nok"))
        let response = try await transport.send(.make(server.authority))
        #expect(response.status == 200)
        #expect(response.reasonPhrase == phrase)
        #expect(response.bodyText == "ok")
    }

    @Test("bytes of a value from 0x80 to 0xFF, both ways, repeated fields and tabs")
    func values() async throws {
        let odd = Array(0x80...0xFF).map { UInt8($0) }
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Odd: a".utf8)
        let server = try RawServer(
            .bytes(head + odd + Array("z\r\nX-Odd: second\r\nX-Tab: a\tb\r\n\r\n".utf8))
        )
        let name = try #require(HTTPField.Name("X-Odd"))
        let field = HTTPField(name: name, value: [0x61] + odd + [0x7A])
        var fields = HTTPFields()
        fields.append(field)
        fields.append(HTTPField(name: name, value: "second"))
        let response = try await transport.send(.make(server.authority, fields: fields))
        let values = response.head.headerFields.filter { $0.name == name }
            .map { $0.withUnsafeBytesOfValue { Array($0) } }
        #expect(values == [[0x61] + odd + [0x7A], Array("second".utf8)])
        #expect(response.head.headerFields[try #require(.init("X-Tab"))] == "a\tb")
        let lines = try #require(server.received.first).fields.filter { $0.hasPrefix("X-Odd") }
        #expect(lines.count == 2)
        let raw = server.received.first?.rawHead ?? []
        #expect(raw.firstRange(of: [0x61] + odd + [0x7A]) != nil)
    }

    @Test("values of 90,000 bytes, both ways")
    func longValues() async throws {
        let long = String(repeating: "v", count: 90_000)
        let server = try RawServer(RawServer.ok("ok", fields: "X-Long: \(long)\r\n"))
        let name = try #require(HTTPField.Name("X-Long"))
        let response = try await transport.send(
            .make(server.authority, fields: [name: long])
        )
        #expect(response.head.headerFields[name] == long)
        #expect(server.received.first?.value(of: "X-Long") == long)
    }

    @Test("two hundred fields of one name keep their order")
    func manyFields() async throws {
        let fields = (0..<200).map { "Set-Cookie: c\($0)=1\r\n" }.joined()
        let server = try RawServer(RawServer.ok("ok", fields: fields))
        let response = try await transport.send(.make(server.authority))
        #expect(
            response.head.headerFields[values: .setCookie] == (0..<200).map { "c\($0)=1" }
        )
    }

    @Test("the hops of a redirect keep their status, URL and fields")
    func redirects() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/a":
                [.send("HTTP/1.1 301 M\r\nLocation: b\r\nX-Hop: 1\r\nContent-Length: 0\r\n\r\n")]
            case "/b":
                [
                    .send(
                        "HTTP/1.1 307 T\r\nLocation: /c?x=1\r\nX-Hop: 2\r\nContent-Length: 0\r\n\r\n"
                    )
                ]
            default: [RawServer.ok("end")]
            }
        }
        let response = try await transport.send(.make(server.authority, "/a"))
        let base = "http://\(server.authority)"
        let hop = try #require(HTTPField.Name("X-Hop"))
        #expect(response.redirects.map(\.status) == [301, 307])
        #expect(response.redirects.map(\.url) == [base + "/a", base + "/b"])
        #expect(response.redirects.map(\.location) == ["b", "/c?x=1"])
        #expect(response.redirects.map { $0.fields[hop] } == ["1", "2"])
        #expect(response.finalURL == base + "/c?x=1")
        #expect(response.httpStatus.category == .success)
    }
}
