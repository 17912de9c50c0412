import HTTPTypes
import Testing

@testable import Apus

@Suite("A body and its codings")
struct BodyDecoderTests {
    /// What is left of a body, given in pieces; and whether that is all of it.
    private static func decoded(
        _ body: [UInt8],
        _ codings: String...,
        piece: Int = .max
    ) throws -> (bytes: [UInt8], isWhole: Bool) {
        let decoder = try #require(BodyDecoder(FieldList(codings)))
        var bytes: [UInt8] = []
        var rest = body[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(piece))
            rest = rest.dropFirst(piece)
            try next.withUnsafeBytes { next in
                var input = next
                while try decoder.step(&input) {
                    bytes += decoder.piece
                    decoder.takePiece()
                }
                #expect(input.isEmpty)
            }
        }
        return (bytes, decoder.unfinished == nil)
    }

    /// What is wrong with a body.
    private static func fault(_ body: [UInt8], _ codings: String...) -> String? {
        do {
            _ = try decoded(body, codings.joined(separator: ","))
            return nil
        } catch {
            return (error as? BodyDecoder.Fault)?.detail
        }
    }

    private static let text = Coded.text(lines: 20_000)

    @Test(
        "is the same however its bytes are divided",
        arguments: BodyDecoder.Coding.allCases,
        [1, 7, 16 << 10, .max]
    )
    func division(coding: BodyDecoder.Coding, piece: Int) throws {
        let body = Coded.bytes(Self.text, by: coding)
        let (bytes, isWhole) = try Self.decoded(body, coding.rawValue, piece: piece)
        #expect(bytes == Self.text)
        #expect(isWhole)
    }

    @Test("is not whole wherever it is cut", arguments: BodyDecoder.Coding.allCases)
    func cut(coding: BodyDecoder.Coding) throws {
        let body = Coded.bytes(Coded.text(lines: 30), by: coding)
        for count in 1..<body.count {
            #expect(try !Self.decoded(Array(body[..<count]), coding.rawValue).isWhole, "\(count)")
        }
        #expect(try Self.decoded(body, coding.rawValue).isWhole)
    }

    @Test("may have several members of gzip, or frames of zstd", arguments: ["gzip", "zstd"])
    func members(name: String) throws {
        let coding = try #require(BodyDecoder.Coding(rawValue: name))
        let body = Coded.bytes(Array("one ".utf8), by: coding)
        let both = body + Coded.bytes(Array("two".utf8), by: coding)
        for piece in [1, .max] {
            let (bytes, isWhole) = try Self.decoded(both, name, piece: piece)
            #expect(String(decoding: bytes, as: UTF8.self) == "one two")
            #expect(isWhole)
        }
        #expect(try !Self.decoded(both.dropLast(), name).isWhole)
    }

    @Test("has nothing behind its end", arguments: BodyDecoder.Coding.allCases)
    func trailing(coding: BodyDecoder.Coding) {
        for end in [Array("junk and more".utf8), Array(repeating: 0, count: 13)] {
            let body = Coded.bytes(Self.text, by: coding) + end
            #expect(Self.fault(body, coding.rawValue)?.contains(coding.rawValue) == true)
        }
    }

    @Test("in DEFLATE may come without zlib's format, as some servers send it")
    func bareDeflate() throws {
        let body = Coded.bareDeflate(Self.text)
        for piece in [1, .max] {
            let (bytes, isWhole) = try Self.decoded(body, "deflate", piece: piece)
            #expect(bytes == Self.text)
            #expect(isWhole)
        }
        #expect(try !Self.decoded(body.dropLast(), "deflate").isWhole)
    }

    @Test("is not what its checksum says, or is broken behind its first bytes")
    func invalid() throws {
        var body = Coded.bytes(Self.text, by: .gzip)
        body[body.count - 6] ^= 1
        #expect(Self.fault(body, "gzip")?.contains("incorrect data check") == true)
        let broken: [(String, [UInt8])] = [
            ("gzip", [0x1F, 0x8B, 0x09, 0x00, 0x00]), ("gzip", [0x78, 0x9C, 0xFF, 0xFF]),
            ("zstd", [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ]
        for (coding, body) in broken {
            let fault = Self.fault(body, coding)
            #expect(fault?.contains("its \(coding) data is not valid") == true, "\(fault ?? "")")
        }
    }

    /// What comes out at the end of a body, and why it is as it came.
    private static func passed(
        _ body: [UInt8],
        _ codings: String,
        piece: Int
    ) throws -> (bytes: [UInt8], doubt: String?, isWhole: Bool) {
        let decoder = try #require(BodyDecoder(FieldList([codings])))
        var bytes: [UInt8] = []
        func run(_ input: UnsafeRawBufferPointer) throws {
            var input = input
            while try decoder.step(&input) {
                bytes += decoder.piece
                decoder.takePiece()
            }
        }
        for start in stride(from: 0, to: body.count, by: piece) {
            try body[start..<min(start + piece, body.count)].withUnsafeBytes(run)
        }
        if decoder.end() { try run(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return (bytes, decoder.doubt, decoder.unfinished == nil)
    }

    private static let plain: [[UInt8]] = [
        Array("x".utf8), Array("ok\n".utf8), Array("{\"a\": 1}".utf8), Array("hello, world".utf8),
        Array("<!doctype html><title>ä</title>".utf8), Array("x^ is how zlib may begin".utf8),
        Array("(µ".utf8), text, Array(repeating: 0x41, count: 100_000),
    ]

    @Test(
        "that is text under the name of a coding is given as it came",
        arguments: ["gzip", "x-gzip", "deflate", "br", "zstd"],
        [1, 3, 33, .max]
    )
    func falseCoding(coding: String, piece: Int) throws {
        for body in Self.plain {
            let passed = try Self.passed(body, coding, piece: min(piece, body.count))
            #expect(
                passed.bytes == body,
                "\(coding): \(String(decoding: body.prefix(20), as: UTF8.self))"
            )
            #expect(passed.doubt?.contains("although Content-Encoding says so") == true)
            #expect(passed.isWhole)
        }
    }

    @Test(
        "that is in another coding is given as it came",
        arguments: [
            ("br", BodyDecoder.Coding.gzip), ("deflate", .gzip), ("zstd", .gzip), ("gzip", .zstd),
            ("gzip", .brotli), ("br", .zstd), ("deflate", .zstd), ("zstd", .deflate),
        ],
        [1, .max]
    )
    func otherCoding(pair: (named: String, real: BodyDecoder.Coding), piece: Int) throws {
        let body = Coded.bytes(Self.text, by: pair.real)
        let passed = try Self.passed(body, pair.named, piece: min(piece, body.count))
        #expect(passed.bytes == body)
        #expect(passed.doubt?.hasPrefix("it is not \(pair.named)") == true && passed.isWhole)
    }

    @Test(
        "that begins with bytes no decoder takes is given as it came",
        arguments: [
            ("gzip", [0x1F, 0x8C]), ("deflate", [0x07]), ("br", [0x11]), ("zstd", [1, 2, 3, 4, 5]),
            ("gzip", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D]),
            // A larger window than RFC 7932 knows.
            ("br", [0x11, 0x1E, 0x03]),
        ] as [(String, [UInt8])],
        [1, .max]
    )
    func noCoding(pair: (coding: String, body: [UInt8]), piece: Int) throws {
        let passed = try Self.passed(pair.body, pair.coding, piece: min(piece, pair.body.count))
        #expect(passed.bytes == pair.body && passed.doubt != nil && passed.isWhole)
    }

    @Test(
        "that was cut is incomplete and not false, wherever it was cut",
        arguments: ["gzip", "zstd"]
    )
    func cutNotFalse(name: String) throws {
        let coding = try #require(BodyDecoder.Coding(rawValue: name))
        let body = Coded.bytes(Coded.text(lines: 30), by: coding)
        for count in 1..<body.count {
            let passed = try Self.passed(Array(body[..<count]), name, piece: count)
            // The first byte of zstd's mark is a bracket, and one alone is text.
            guard name == "gzip" || count > 1 else { continue }
            #expect(passed.doubt == nil && !passed.isWhole, "\(count)")
        }
    }

    @Test("of two codings, one of which is not there, loses the other")
    func halfCoded() throws {
        let body = Coded.bytes(Self.text, by: .gzip)
        for codings in ["gzip, br", "gzip, gzip", "br, gzip"] {
            let passed = try Self.passed(body, codings, piece: 1000)
            #expect(passed.bytes == Self.text, "\(codings)")
            #expect(passed.doubt != nil && passed.isWhole)
        }
    }

    @Test("loses its codings in the reverse of their order, in one field or in several")
    func order() throws {
        let body = Coded.bytes(Self.text, by: [.gzip, .zstd])
        for piece in [1, 100, .max] {
            #expect(try Self.decoded(body, "gzip, zstd", piece: piece) == (Self.text, true))
            #expect(
                try Self.decoded(body, "X-GZIP", ", identity", "\tzstd", piece: piece)
                    == (Self.text, true)
            )
        }
        #expect(try !Self.decoded(body.dropLast(), "gzip, zstd").isWhole)
        let inner = Coded.bytes(Coded.bytes(Self.text, by: .gzip).dropLast(), by: .brotli)
        #expect(try !Self.decoded(inner, "gzip, br").isWhole)
    }

    @Test("without a coding is not decoded", arguments: ["", "identity", " , Identity ,"])
    func identity(codings: String) {
        #expect(BodyDecoder(FieldList([codings])) == nil)
    }

    @Test(
        "in an unknown coding is given as it came, whatever the others are",
        arguments: [
            "utf-8", "UTF-8", "none", "binary", "aws-chunked", "gzip, sdch", "aws-chunked, gzip",
            "x", "compress", "gzip;q=1", "\"gzip\"",
        ],
        [1, .max]
    )
    func unknown(codings: String, piece: Int) throws {
        for body in [Coded.bytes(Self.text, by: .gzip), Self.text, [0], Array("ok".utf8)] {
            let passed = try Self.passed(body, codings, piece: min(piece, body.count))
            #expect(passed.bytes == body && passed.isWhole)
            #expect(passed.doubt?.contains("is not one of deflate, gzip, br, zstd") == true)
            let fields: HTTPFields = [.contentEncoding: codings]
            #expect(ResponseBody.bytes(body).decoded(fields, limit: .max) == nil)
            #expect(fields.hasUnknownCoding)
        }
    }

    @Test("in three codings is given as it came")
    func three() throws {
        let two = [BodyDecoder.Coding.deflate, .deflate]
        let body = Coded.bytes(Self.text, by: two)
        let names = two.map(\.rawValue).joined(separator: ", ")
        #expect(try Self.decoded(body, names) == (Self.text, true))
        let more = Coded.bytes(body, by: .deflate)
        let passed = try Self.passed(more, names + ", deflate", piece: more.count)
        #expect(passed.bytes == more)
        #expect(passed.doubt == "it has 3 codings, and at most 2 are decoded")
    }

    @Test("is refused a larger window than HTTP allows")
    func window() throws {
        func frame(exponent: UInt8) -> [UInt8] {
            [0x28, 0xB5, 0x2F, 0xFD, 0x00, exponent << 3, 0x01, 0x00, 0x00]
        }
        // 2^(10 + 13) bytes are 8 MiB (RFC 9659).
        #expect(try Self.decoded(frame(exponent: 13), "zstd") == ([], true))
        #expect(Self.fault(frame(exponent: 14), "zstd")?.contains("memory") == true)
    }

    @Test("of whatever size is decoded in pieces of 32 KiB")
    func pieces() throws {
        let bodies: [(String, [UInt8], Int)] = [
            ("zstd", Coded.zstdZeros(mebibytes: 16), 16 << 20), ("br", Coded.brotliZeros, 1 << 20),
            ("zstd, gzip", Coded.bytes(Coded.zstdZeros(mebibytes: 4), by: .gzip), 4 << 20),
        ]
        for (codings, body, count) in bodies {
            let decoder = try #require(BodyDecoder(FieldList([codings])))
            var decoded = 0
            try body.withUnsafeBytes { body in
                var input = body
                var before = 0
                while try decoder.step(&input) {
                    #expect(decoder.madeCount - before <= 32 << 10)
                    before = decoder.madeCount
                    decoded += decoder.piece.count
                    decoder.takePiece()
                }
            }
            #expect(decoded == count)
            #expect(decoder.unfinished == nil)
        }
    }
}
