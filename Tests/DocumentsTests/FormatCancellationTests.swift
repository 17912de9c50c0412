import Synchronization
import Testing

@testable import Documents

private final class Count: Sendable {
    let value = Atomic(0)
}

@Suite struct FormatCancellationTests {
    private static let texts: [(DocumentFormat, String)] = [
        (.csv(hasHeader: false), String(repeating: "a,b,c\n", count: 20_000)),
        (.xml, "<r>" + String(repeating: "<a>1</a>", count: 20_000) + "</r>"),
        (.html, String(repeating: "<p>1</p>", count: 20_000)),
        (.yaml, String(repeating: "- a: 1\n", count: 20_000)),
        (.eventStream, String(repeating: "data: 1\n\n", count: 20_000)),
        (.form, String(repeating: "a=1&", count: 20_000)),
    ]

    /// Runs `body` in a task that is cancelled from its start.
    private func cancelled<R: Sendable>(_ body: @escaping @Sendable () async -> R) async -> R {
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await body()
        }.value
    }

    @Test("a cancelled task ends a long text soon, and says so", arguments: texts)
    func endsSoon(format: DocumentFormat, text: String) async {
        let opened = await cancelled { await FormattedDocument.open(.make(text), as: format) }
        #expect(opened.faults.last?.kind == .cancelled)
        let whole = await FormattedDocument.open(.make(text), as: format)
        #expect(whole.faults.last?.kind != .cancelled)
        #expect(opened.document.bytes.count < whole.document.bytes.count / 10)
    }

    @Test("what a cancelled task left is taken in by a later one", arguments: texts)
    func goesOn(format: DocumentFormat, text: String) async {
        let type: [DocumentFormat: String] = [
            .xml: "text/xml", .html: "text/html", .yaml: "text/yaml",
            .form:
                "application/x-www-form-urlencoded", .eventStream: "text/event-stream",
        ]
        var body = BodyDocument(.make(text), contentType: type[format] ?? "text/csv; header=absent")
        body.show(.tree)
        let copy = body
        await cancelled { await copy.finish() }
        body.synchronize()
        #expect(!body.isFinished)
        #expect(body.formatFaults.isEmpty)
        await body.finish()
        body.synchronize()
        #expect(body.isFinished)
        let whole = FormattedDocument.opening(.make(text), as: format)
        #expect(body.document?.nodeCount == whole.document.nodeCount)
    }

    /// Texts that libxml2 and libyaml would read for many minutes: they take quadratic time for them.
    private static let slowTexts: [(DocumentFormat, @Sendable () -> String)] = [
        (.html, { slow("<a", 600_000, { " a\($0)=\"<\"" }, ">") }),
        (.html, { slow("", 600_000, { _ in "<div>" }, slow("", 600_000, { _ in "</b>" }, "")) }),
        (.html, { slow("", 300_000, { _ in "<b>" }, slow("", 300_000, { _ in "</i>" }, "")) }),
        (
            .xml,
            { slow("<!DOCTYPE r [<!ATTLIST r a (a", 600_000, { "|v\($0)" }, ") #IMPLIED>]><r/>") }
        ),
        (
            .xml,
            { slow("<!DOCTYPE r [<!ATTLIST r a NOTATION (a", 600_000, { "|v\($0)" }, ")>]><r/>") }
        ),
        (.yaml, { slow("", 300_000, { "%TAG !a\($0)! x\n" }, "---\na: 1\n") }),
    ]

    private static func slow(
        _ start: String,
        _ count: Int,
        _ piece: (Int) -> String,
        _ end: String
    ) -> String {
        var text = start
        for number in 0..<count { text += piece(number) }
        return text + end
    }

    @Test(
        "a text that is made to be slow is given up, and is no tree",
        arguments: slowTexts.indices
    )
    func givesUp(index: Int) async {
        let (format, text) = Self.slowTexts[index]
        let bytes = DocumentBytes.make(text())
        let taken = await BlockingWorkExecutor.read(format) {
            ConvertedText(bytes, as: format, timeLimit: .milliseconds(100))
        }
        #expect(taken.faults.first?.kind == .takesTooLong(format))
        let opened = await cancelled { await FormattedDocument.open(bytes, as: format) }
        #expect(opened.faults.last?.kind == .cancelled)
    }

    @Test(
        "texts that are read for long leave the pool to others",
        arguments: [slowTexts.startIndex, slowTexts.endIndex - 1]
    )
    func leavesPool(index: Int) async {
        let (format, text) = Self.slowTexts[index]
        let bytes = DocumentBytes.make(text())
        // More than the machine has processors.
        let ended = Count()
        let slow = (0..<64).map { _ in
            Task {
                _ = await FormattedDocument.open(bytes, as: format)
                ended.value.add(1, ordering: .relaxed)
            }
        }
        let other = Task { await FormattedDocument.open(.make("a=1"), as: .form).faults.count }
        #expect(await other.value == 0)
        #expect(ended.value.load(ordering: .relaxed) < 64)
        for task in slow { task.cancel() }
        for task in slow { await task.value }
    }

    @Test("converting to UTF-8 can be cancelled, and made anew")
    func cancelsConversion() async {
        let bytes = DocumentBytes([UInt8](repeating: 0xE9, count: 4 << 20))
        let text = await cancelled { DecodedText(bytes, format: nil, charset: "latin1") }
        #expect(text.isCancelled)
        #expect(text.text.count < 2 << 20)
        var body = BodyDocument(bytes, contentType: "text/plain; charset=latin1")
        let copy = body
        await cancelled { await copy.finish() }
        body.synchronize()
        #expect(!body.isFinished)
        await body.finish()
        body.synchronize()
        #expect(body.isFinished)
        #expect(body.progress.totalBytes == 8 << 20)
    }
}
