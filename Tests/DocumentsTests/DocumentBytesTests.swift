import Glibc
import TestSupport
import Testing

@testable import Documents

@Suite struct DocumentBytesTests {
    private func withFile<R>(_ content: [UInt8], _ body: (String) throws -> R) throws -> R {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        return try body(try folder.write(content, to: "bytes"))
    }

    @Test(
        "padding stands behind every kind of bytes",
        arguments: [0, 1, 63, 4031, 4096, 8192, 300_001]
    )
    func hasPadding(count: Int) throws {
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 | 1) }
        try withFile(content) { path in
            let all = [
                DocumentBytes(content), try DocumentBytes.reading(file: path),
            ]
            for bytes in all {
                #expect(bytes.count == count)
                #expect(bytes.array(in: 0..<count) == content)
                let padding = UnsafeBufferPointer(start: bytes.base + count, count: 64)
                #expect(padding.allSatisfy { $0 == 0 })
            }
        }
    }

    @Test("a pipe is read to its end")
    func readsPipes() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        #expect(write(ends[1], "some text", 9) == 9)
        close(ends[1])
        let bytes = try DocumentBytes.reading(descriptor: ends[0])
        close(ends[0])
        #expect(bytes.string(in: 0..<9) == "some text")
    }

    @Test("a missing file is an error that names it")
    func reportsMissingFiles() {
        let missing = DocumentError(stage: .open, path: "/nowhere/x", code: ENOENT)
        #expect(throws: missing) { try DocumentBytes.reading(file: "/nowhere/x") }
        let folder = DocumentError(stage: .read, path: "/tmp", code: EISDIR)
        #expect(throws: folder) { try DocumentBytes.reading(file: "/tmp") }
    }
}
