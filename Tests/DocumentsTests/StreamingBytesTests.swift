import Glibc
import TestSupport
import Testing

@testable import Documents

@Suite struct StreamingBytesTests {
    private static let item = #"{"key":[1,"two",{"three":3.0}],"other":null},"#
    private static let text = "[" + String(repeating: item, count: 20_000) + "0]"

    private func withFile<R>(
        _ content: String,
        _ body: (String) async throws -> R
    ) async throws -> R {
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        return try await body(try folder.write(content, to: "bytes"))
    }

    @Test("a device without end is refused with the limit")
    func endlessDevice() throws {
        let limit = DocumentError.Stage.limit(64 << 20)
        let wanted = DocumentError(stage: limit, path: "/dev/zero", code: EFBIG)
        #expect(throws: wanted) { try DocumentBytes.reading(file: "/dev/zero") }
        #expect(throws: wanted) { try DocumentBytes.streaming(file: "/dev/zero") }
        #expect(wanted.description.contains("64 MiB"))
    }

    @Test("a file's first bytes are a tree before the rest is read")
    func streamsFiles() async throws {
        try await withFile(Self.text) { path in
            let bytes = try DocumentBytes.streaming(file: path)
            #expect(bytes.count == 64 << 10)
            #expect(bytes.expectedCount == Self.text.utf8.count)
            #expect(!bytes.isComplete)
            let document = Document.begin(bytes)
            #expect(document.nodeCount > 1000)
            #expect(!document.isFinished)
            #expect(document.progress.totalBytes == Self.text.utf8.count)
            await document.finishParsing()
            #expect(document.isFinished)
            #expect(document.fault == nil)
            #expect(document.dump == Document.make(Self.text).dump)
            #expect(bytes.isComplete)
            #expect(bytes.string(in: 0..<bytes.count) == Self.text)
        }
    }

    @Test("a file that is cut off meanwhile ends there")
    func survivesTruncation() async throws {
        try await withFile(Self.text) { path in
            let bytes = try DocumentBytes.streaming(file: path)
            let document = Document.begin(bytes)
            #expect(truncate(path, 100_000) == 0)
            document.parseToEnd()
            #expect(document.fault == DocumentFault(.unexpectedEnd, at: 100_000))
            #expect(bytes.count == 100_000)
        }
    }

    @Test("a small file and an empty one are whole at once", arguments: ["{\"a\":1}", ""])
    func readsSmallFiles(text: String) async throws {
        try await withFile(text) { path in
            let bytes = try DocumentBytes.streaming(file: path)
            let document = Document.begin(bytes)
            await document.finishParsing()
            #expect(document.isFinished)
            #expect(document.dump == Document.make(text).dump)
        }
    }

    @Test("a pipe is parsed as it comes")
    func streamsPipes() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        #expect(write(writer, "[1,", 3) == 3)
        let bytes = try DocumentBytes.streaming(descriptor: reader)
        #expect(bytes.count == 3)
        #expect(bytes.expectedCount == nil)
        let document = Document.begin(bytes)
        #expect(document.nodeCount == 2)
        let long = "\"" + String(repeating: "text", count: 100_000) + "\""
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await document.finishParsing() }
            group.addTask {
                var rest = Array("\(long),2]".utf8)[...]
                while !rest.isEmpty {
                    let count = rest.withUnsafeBytes {
                        write(writer, $0.baseAddress, min(9999, $0.count))
                    }
                    rest = rest.dropFirst(count)
                }
                close(writer)
            }
        }
        close(reader)
        #expect(document.fault == nil)
        #expect(document.sourceText(of: NodeIndex(2)) == long)
        #expect(document.nodeCount == 4)
    }

    @Test("waiting for a pipe ends with the task")
    func cancelsWaiting() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        #expect(write(ends[1], "[1,", 3) == 3)
        let bytes = try DocumentBytes.streaming(descriptor: ends[0])
        let document = Document.begin(bytes)
        let task = Task { await document.finishParsing() }
        task.cancel()
        await task.value
        #expect(!document.isFinished)
        #expect(write(ends[1], "2]", 2) == 2)
        close(ends[1])
        await document.finishParsing()
        close(ends[0])
        #expect(document.isFinished)
        #expect(document.nodeCount == 3)
    }

    @Test("a missing file and a folder are errors")
    func reportsErrors() {
        let missing = DocumentError(stage: .open, path: "/nowhere/x", code: ENOENT)
        #expect(throws: missing) { try DocumentBytes.streaming(file: "/nowhere/x") }
        let folder = DocumentError(stage: .read, path: "/tmp", code: EISDIR)
        #expect(throws: folder) { try DocumentBytes.streaming(file: "/tmp") }
    }

    @Test("a sequence streams too")
    func streamsSequences() async throws {
        let lines = String(repeating: "{\"id\":[1,2,3],\"x\":\"é\"}\n", count: 10_000)
        try await withFile(lines) { path in
            let document = Document.begin(try DocumentBytes.streaming(file: path), as: .sequence)
            await document.finishParsing()
            #expect(document.childCount(of: .root) == 10_000)
            #expect(document.fault == nil)
        }
    }
}
