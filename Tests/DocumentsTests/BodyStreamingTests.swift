import Glibc
import TestSupport
import Testing

@testable import Documents

@Suite struct BodyStreamingTests {
    /// A file's bytes while only the first 64 KiB were read.
    private func streaming(_ content: String) throws -> DocumentBytes {
        let folder = TemporaryFolder()
        // It stays readable while it is open.
        defer { withExtendedLifetime(folder) {} }
        return try .streaming(file: try folder.write(content, to: "bytes"))
    }

    @Test("lines of a file come as it is read", arguments: [BodyForm.text, .hex])
    func showsLines(form: BodyForm) async throws {
        let bytes = try streaming(String(repeating: "0123456789abcde\n", count: 20_000))
        var body = BodyDocument(bytes, contentType: "text/plain")
        body.show(form)
        #expect(body.rowCount == 4096)
        #expect(!body.isFinished)
        #expect(body.progress == ParseProgress(parsedBytes: 64 << 10, totalBytes: 320_000))
        await body.finish()
        body.synchronize()
        #expect(body.isFinished)
        #expect(body.rowCount == 20_000)
        #expect(body.rows(in: 19_999..<20_000).count == 1)
        #expect(body.progress == ParseProgress(parsedBytes: 320_000, totalBytes: 320_000))
    }

    @Test("a pipe's first bytes are lines at once, and the others when they come")
    func showsPipe() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer { close(reader) }
        #expect(write(writer, "one\ntwo", 7) == 7)
        let bytes = try DocumentBytes.streaming(descriptor: reader)
        let body = BodyDocument(bytes, contentType: nil)
        #expect(body.form == .text)
        #expect(body.rowCount == 2)
        #expect(!body.isFinished)
        #expect(write(writer, "\nthree\n", 7) == 7)
        close(writer)
        await body.finish()
        #expect(body.isFinished)
        #expect(body.rowCount == 3)
    }

    @Test(
        "another format begins with what is there, and is whole when everything is read",
        arguments: [("text/csv; header=absent", 20_001), ("text/plain; charset=latin1", 20_000)]
    )
    func takesInTheRest(type: String, rows: Int) async throws {
        let bytes = try streaming(String(repeating: "cell\n", count: 20_000))
        var body = BodyDocument(bytes, contentType: type)
        body.show(.tree)
        body.foldAll()
        body.unfoldAll()
        body.fold(fromDepth: 1)
        #expect(body.rowCount > 10_000 && body.rowCount < 15_000)
        #expect(!body.isFinished)
        await body.finish()
        body.synchronize()
        #expect(body.isFinished)
        #expect(body.rowCount == rows)
    }

    @Test("a small streaming body of another format is whole at once")
    func takesInSmall() throws {
        let body = BodyDocument(try streaming("<a><b/></a>"), contentType: "text/xml")
        #expect(body.isFinished)
        #expect(body.rowCount == 3)
    }

    @Test("a streaming text opens as its format, on the calling thread or off it")
    func opensStreaming() async throws {
        let text = "<r>" + String(repeating: "<a>1</a>\n", count: 20_000) + "</r>"
        let bytes = try streaming(text)
        let opened = await FormattedDocument.open(bytes, as: .xml)
        #expect(opened.document.nodeCount == 20_003)
        let again = FormattedDocument.opening(try streaming(text), as: .xml)
        #expect(again.document.nodeCount == 20_003)
    }

    @Test("a search of bytes that still arrive is not over before they are there")
    func searchesStreaming() async throws {
        let bytes = try streaming(String(repeating: "needle\n", count: 20_000))
        let search = DocumentSearch(SearchPattern(text: "needle"), in: bytes)
        await search.run()
        #expect(!search.progress.isFinished)
        await bytes.finishLoading()
        await search.run()
        #expect(search.progress.isFinished)
        #expect(search.progress.hitCount == 20_000)
    }
}
