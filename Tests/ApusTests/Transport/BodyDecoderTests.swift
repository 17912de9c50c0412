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

    @Test("is not what its checksum says, or no such coding at all")
    func invalid() throws {
        var body = Coded.bytes(Self.text, by: .gzip)
        body[body.count - 6] ^= 1
        #expect(Self.fault(body, "gzip")?.contains("incorrect data check") == true)
        let none: [(String, [UInt8])] = [
            ("gzip", [0x1F, 0x8C]), ("deflate", [0x07]), ("br", [0x11]), ("zstd", [1, 2, 3, 4, 5]),
        ]
        for (coding, body) in none {
            let fault = Self.fault(body, coding)
            #expect(fault?.contains("its \(coding) data is not valid") == true, "\(fault ?? "")")
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

    @Test("in an unknown coding, or in three, is told with its first byte")
    func unknown() throws {
        #expect(
            Self.fault([0], "gzip, sdch") == "its coding is not one of deflate, gzip, br, zstd"
        )
        let two = [BodyDecoder.Coding.deflate, .deflate]
        let body = Coded.bytes(Self.text, by: two)
        let names = two.map(\.rawValue).joined(separator: ", ")
        #expect(try Self.decoded(body, names) == (Self.text, true))
        #expect(
            Self.fault(Coded.bytes(body, by: .deflate), names + ", deflate")
                == "it has 3 codings; at most 2 are supported"
        )
    }

    @Test("is refused a larger window than HTTP allows")
    func window() throws {
        func frame(exponent: UInt8) -> [UInt8] {
            [0x28, 0xB5, 0x2F, 0xFD, 0x00, exponent << 3, 0x01, 0x00, 0x00]
        }
        // 2^(10 + 13) bytes are 8 MiB (RFC 9659).
        #expect(try Self.decoded(frame(exponent: 13), "zstd") == ([], true))
        #expect(Self.fault(frame(exponent: 14), "zstd")?.contains("memory") == true)
        // The large window of brotli, which is not that of RFC 7932.
        #expect(Self.fault([0x11, 0x1E, 0x03], "br")?.contains("WINDOW") == true)
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
