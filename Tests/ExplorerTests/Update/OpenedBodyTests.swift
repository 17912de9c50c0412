import Apus
import Documents
import FoundationEssentials
import Glibc
import Testing

@testable import Explorer

@Suite("Bodies that are opened out of a file")
struct OpenedBodyTests {
    private static let count = 9 << 20

    /// The file of a long text, which goes with its body.
    private func body() throws -> (ResponseBody, path: String) {
        let path = "/tmp/apus-body-\(UUID().uuidString)"
        let line = [UInt8]("twelve bytes\n".utf8)
        let bytes = (0..<Self.count).map { line[$0 % line.count] }
        try Data(bytes).write(to: URL(filePath: path))
        return (.file(BodyFile(path: path, count: Self.count, ownership: .temporary)), path)
    }

    @Test("its first rows are there before the rest is read, and the rest comes")
    func streams() async throws {
        let (body, _) = try body()
        let bytes = try EffectRunner.bytes(of: body)
        #expect(bytes.count < Self.count)
        await bytes.finishLoading()
        #expect(bytes.count == Self.count)
    }

    @Test("what becomes shorter while it is shown ends where it was read to")
    func cut() async throws {
        let (body, path) = try body()
        let bytes = try EffectRunner.bytes(of: body)
        var document = BodyDocument(bytes, contentType: "text/plain")
        // Of a mapped file, any byte would be a SIGBUS from here on.
        try #require(truncate(path, 0) == 0)
        await bytes.finishLoading()
        await document.finish()
        document.synchronize()
        #expect(bytes.isComplete)
        #expect(bytes.count > 0 && bytes.count < Self.count)
        #expect(document.rowCount > 0)
    }
}
