import Glibc
import Testing

@testable import Apus

@Suite("A response's body in pieces")
struct ResponseBodyTests {
    private let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }

    private func pieces(of body: ResponseBody) throws -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        try body.forEachPiece(of: 300) { pieces.append(Array($0)) }
        return pieces
    }

    private func spooled() throws -> BodyFile {
        try SpoolFile.file { write in try bytes.withUnsafeBytes { try write($0) } }
    }

    @Test("all but the last have the size that is asked for, in memory and in a file")
    func sizes() throws {
        for body in [ResponseBody.bytes(bytes), .file(try spooled())] {
            let pieces = try pieces(of: body)
            #expect(pieces.map(\.count) == [300, 300, 300, 100])
            #expect(Array(pieces.joined()) == bytes)
        }
        #expect(try pieces(of: .bytes([])).isEmpty)
    }

    @Test("a file that has become shorter, or is gone, is an error")
    func shorter() throws {
        let file = try spooled()
        truncate(file.path, 700)
        #expect(throws: ApusError(.file(path: file.path, errno: EIO))) {
            try pieces(of: .file(file))
        }
        unlink(file.path)
        #expect(throws: ApusError(.file(path: file.path, errno: ENOENT))) {
            try pieces(of: .file(file))
        }
    }
}
