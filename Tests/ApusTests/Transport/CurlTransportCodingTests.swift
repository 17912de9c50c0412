import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("CurlTransport: a coded body is all there, or an error")
struct CurlTransportCodingTests {
    private let transport = CurlTransport()
    private static let text = Coded.text(lines: 20_000)

    /// A server that answers with a body of one coding, or with the first part of it.
    private static func server(
        _ coding: BodyDecoder.Coding,
        isCut: Bool = false,
        isChunked: Bool,
        fields: String = ""
    ) throws -> RawServer {
        let whole = Coded.bytes(text, by: coding)
        let body = isCut ? Array(whole[..<(whole.count / 2)]) : whole
        let answer = Coded.answer(
            body,
            coding: coding.rawValue,
            isChunked: isChunked,
            fields: fields
        )
        return try RawServer { _ in [.bytes(answer)] }
    }

    private static func isOfCoding(_ error: (any Error)?, _ words: String = "") -> Bool {
        guard case .contentDecoding(let detail) = (error as? ApusError)?.reason else {
            return false
        }
        return detail.contains(words)
    }

    private static func read(_ response: StreamedResponse) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in response.body { bytes += chunk }
        return bytes
    }

    @Test("a request asks for all that is decoded")
    func acceptEncoding() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try await transport.send(.make(server.authority))
        #expect(server.received.first?.value(of: "Accept-Encoding") == "deflate, gzip, br, zstd")
    }

    @Test(
        "each coding is decoded, in a length or in chunks, collected or streamed",
        arguments: BodyDecoder.Coding.allCases,
        [false, true]
    )
    func whole(coding: BodyDecoder.Coding, isChunked: Bool) async throws {
        let server = try Self.server(coding, isChunked: isChunked)
        let response = try await transport.send(.make(server.authority))
        #expect(try response.body.load() == Self.text)
        let streamed = try await transport.stream(.make(server.authority))
        #expect(try await Self.read(streamed) == Self.text)
    }

    @Test(
        "one that is cut, in a frame that is whole, is an error, collected or streamed",
        arguments: BodyDecoder.Coding.allCases,
        [false, true]
    )
    func cut(coding: BodyDecoder.Coding, isChunked: Bool) async throws {
        let server = try Self.server(coding, isCut: true, isChunked: isChunked)
        let words = "its \(coding.rawValue) data is incomplete"
        let error = await transport.error(.make(server.authority))
        #expect(Self.isOfCoding(error, words), "\(String(describing: error))")
        #expect(error?.response?.isComplete == false)
        #expect(error?.response?.status == 200)
        let streamed = try await transport.stream(.make(server.authority))
        do {
            _ = try await Self.read(streamed)
            Issue.record("it was read to its end")
        } catch {
            #expect(Self.isOfCoding(error, words), "\(error)")
        }
    }

    @Test("so it is where the connection's end is its end")
    func cutByClosing() async throws {
        let body = Coded.bytes(Self.text, by: .gzip)
        for count in [1, 10, body.count - 8, body.count - 1] {
            let server = try RawServer(
                .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"),
                .bytes(Array(body[..<count])),
                .close
            )
            let error = await transport.error(.make(server.authority))
            #expect(Self.isOfCoding(error, "is incomplete"), "\(count)")
        }
    }

    @Test("no cache stores one that is cut", arguments: [true, false])
    func caching(isByHTTP: Bool) async throws {
        let fields = "Cache-Control: max-age=600\r\nETag: \"1\"\r\n"
        for isChunked in [false, true] {
            let server = try Self.server(.gzip, isCut: true, isChunked: isChunked, fields: fields)
            let folder = try CacheFolder()
            let cache = ResponseCache(configuration: .init(directory: folder.path))
            let provider = Provider<TestTarget>(transport: transport, cache: cache)
            let target = TestTarget(
                base: "http://\(server.authority)",
                cachePolicy: isByHTTP ? .http : .keep(for: .forever)
            )
            for _ in 1...2 {
                do {
                    _ = try await provider.response(for: target, from: .cacheIfPossible)
                    Issue.record("it was taken")
                } catch {
                    #expect(Self.isOfCoding(error), "\(error)")
                }
            }
            #expect(server.received.count == 2)
            await cache.close()
        }
    }

    @Test("no file is replaced by one that is cut")
    func download() async throws {
        let folder = Temporary.folder()
        let path = "\(folder)/file"
        try Temporary.write("old", to: path)
        for isChunked in [false, true] {
            let server = try Self.server(.gzip, isCut: true, isChunked: isChunked)
            let destination = DownloadDestination(path: path, replacesExisting: true)
            let request = PreparedRequest.make(server.authority, destination: destination)
            #expect(Self.isOfCoding(await transport.error(request)))
            #expect(Temporary.text(path) == "old")
        }
        let server = try Self.server(.gzip, isChunked: false)
        let destination = DownloadDestination(path: path, replacesExisting: true)
        _ = try await transport.send(.make(server.authority, destination: destination))
        #expect(try FileBytes.read(path) == Self.text)
        #expect(Temporary.names(in: folder) == ["file"])
    }

    @Test(
        "one of an unknown or a false coding is given as it came, and why is told",
        arguments: [
            "UTF-8", "none", "binary", "aws-chunked", "gzip", "deflate", "br", "zstd", "gzip, sdch",
        ],
        [false, true]
    )
    func undecodable(coding: String, isChunked: Bool) async throws {
        let fields = "Cache-Control: max-age=600\r\nETag: \"1\"\r\n"
        for body in [Array("hello".utf8), Self.text] {
            let answer = Coded.answer(body, coding: coding, isChunked: isChunked, fields: fields)
            let server = try RawServer { _ in [.bytes(answer)] }
            let response = try await transport.send(.make(server.authority))
            #expect(try response.body.load() == body)
            #expect(response.isComplete && response.undecodedReason?.isEmpty == false)
            #expect(response.fields[.contentEncoding] == coding)
            let streamed = try await transport.stream(.make(server.authority))
            #expect(try await Self.read(streamed) == body)
            let path = "\(Temporary.folder())/file"
            let destination = DownloadDestination(path: path)
            _ = try await transport.send(.make(server.authority, destination: destination))
            #expect(try FileBytes.read(path) == body)
            // A cache keeps it as it came, with its field (RFC 9110, section 8.4), and says so again.
            for policy in [CachePolicy.http, .keep(for: .forever)] {
                let folder = try CacheFolder()
                let cache = ResponseCache(configuration: .init(directory: folder.path))
                let provider = Provider<TestTarget>(transport: transport, cache: cache)
                let target = TestTarget(
                    base: "http://\(server.authority)",
                    cachePolicy: policy
                )
                let first = try await provider.response(for: target, from: .cacheIfPossible)
                await cache.close()
                let other = ResponseCache(configuration: .init(directory: folder.path))
                let again = try await Provider<TestTarget>(transport: transport, cache: other)
                    .response(for: target, from: .cache)
                #expect(again.isFromCache)
                for kept in [first, again] {
                    #expect(try kept.body.load() == body)
                    #expect(kept.fields[.contentEncoding] == coding)
                    #expect(kept.undecodedReason == response.undecodedReason)
                }
                await other.close()
            }
        }
    }

    @Test("one that was decoded, or was not to be, is told nothing of")
    func undoubted() async throws {
        for coding in BodyDecoder.Coding.allCases {
            let server = try Self.server(coding, isChunked: false)
            #expect(try await transport.send(.make(server.authority)).undecodedReason == nil)
            let options = TransportOptions(decodesContent: false)
            let raw = try await transport.send(.make(server.authority, options: options))
            #expect(raw.undecodedReason == nil)
        }
        let empty = try RawServer(RawServer.ok("", fields: "Content-Encoding: none\r\n"))
        #expect(try await transport.send(.make(empty.authority)).undecodedReason == nil)
    }

    @Test("bytes behind its end are an error", arguments: BodyDecoder.Coding.allCases)
    func trailing(coding: BodyDecoder.Coding) async throws {
        let body = Coded.bytes(Self.text, by: coding) + Array("junk".utf8)
        let answer = Coded.answer(body, coding: coding.rawValue)
        let server = try RawServer { _ in [.bytes(answer)] }
        let error = await transport.error(.make(server.authority))
        #expect(Self.isOfCoding(error, "not valid"))
        // The room that a decoder has not filled is memory of this process.
        #expect(try error?.response?.body.load() == Self.text)
    }

    @Test("what came before a fault is shown with it")
    func checksum() async throws {
        var body = Coded.bytes(Self.text, by: .gzip)
        body[body.count - 6] ^= 1
        let answer = Coded.answer(body, coding: "gzip")
        let server = try RawServer { _ in [.bytes(answer)] }
        let error = await transport.error(.make(server.authority))
        #expect(Self.isOfCoding(error, "incorrect data check"))
        #expect(try error?.response?.body.load() == Self.text)
    }

    @Test("several codings are taken off, one after the other")
    func codings() async throws {
        let body = Coded.bytes(Self.text, by: [.gzip, .brotli])
        let answer = Coded.answer(
            body,
            coding: "gzip",
            isChunked: true,
            fields: "Content-Encoding: br\r\n"
        )
        let server = try RawServer { _ in [.bytes(answer)] }
        let response = try await transport.send(.make(server.authority))
        #expect(try response.body.load() == Self.text)
    }

    @Test("a response without a body needs no stream of its coding", arguments: [200, 204, 304])
    func empty(status: Int) async throws {
        let fields = "Content-Encoding: gzip\r\n" + (status == 200 ? "Content-Length: 0\r\n" : "")
        let server = try RawServer(.send("HTTP/1.1 \(status) S\r\n\(fields)\r\n"))
        #expect(try await transport.send(.make(server.authority)).body.isEmpty)
    }

    @Test("neither does the response to HEAD")
    func head() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n")
        )
        #expect(try await transport.send(.make(.head, server.authority)).body.isEmpty)
    }

    @Test("what is not to be decoded comes as it is, cut or not")
    func undecoded() async throws {
        let server = try Self.server(.gzip, isCut: true, isChunked: true)
        let body = Coded.bytes(Self.text, by: .gzip)
        let options = TransportOptions(decodesContent: false)
        for request in [
            PreparedRequest.make(server.authority, options: options),
            .make(server.authority, fields: [.acceptEncoding: "gzip"]),
        ] {
            let response = try await transport.send(request)
            #expect(try response.body.load() == Array(body[..<(body.count / 2)]))
        }
    }

    @Test(
        "a transfer coding that nobody asked for is an error",
        arguments: ["gzip", "zstd, chunked", "ZSTD\r\nTransfer-Encoding: chunked", "x, identity"]
    )
    func transferCoding(_ codings: String) async throws {
        let field = "Transfer-Encoding: \(codings)\r\n"
        let heads = [
            "HTTP/1.1 200 OK\r\n\(field)\r\n",
            // libcurl would decode the body of the response that follows.
            "HTTP/1.1 103 Early Hints\r\n\(field)\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
        ]
        for head in heads {
            let server = try RawServer(.send(head + "2\r\nok\r\n0\r\n\r\n"), .close)
            let error = await transport.error(.make(server.authority))
            guard case .protocolViolation(let detail) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(detail.contains("Transfer-Encoding"))
        }
    }
}
