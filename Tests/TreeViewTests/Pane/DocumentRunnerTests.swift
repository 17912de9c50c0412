import Documents
import Synchronization
import Testing

@testable import TreeView

@MainActor
@Suite("What runs for a document pane")
struct DocumentRunnerTests {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    /// 1.8 billion matches, most of them again and again.
    private func query(_ ticket: Int) throws -> DocumentPaneEffect {
        let text =
            String(repeating: #"{"items":"#, count: 60_000) + "1"
            + String(repeating: "}", count: 60_000)
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        return .query(ticket, document, try JSONPath(parsing: "$..items..items"))
    }

    @Test("queries that take long leave the pool to others")
    func leavesPool() async throws {
        let reported = Count()
        let query = try query(1)
        // More than the machine has processors.
        let runners = (0..<64).map { _ in
            DocumentRunner { _ in reported.value.add(1, ordering: .relaxed) }
        }
        for runner in runners { runner.perform(query) }
        await Task.detached {}.value
        #expect(reported.value.load(ordering: .relaxed) == 0)
        for runner in runners { runner.cancelAll() }
    }

    @Test("a pane's query finds a value once, and is ended by the next one")
    func matches() async throws {
        let (messages, continuation) = AsyncStream<DocumentPaneMessage>.makeStream()
        let runner = DocumentRunner { continuation.yield($0) }
        runner.perform(try query(1))
        let small = Document.parse(DocumentBytes(Array(#"{"a":{"a":{"a":1}}}"#.utf8)))
        runner.perform(.query(2, small, try JSONPath(parsing: "$..a..a")))
        for await message in messages {
            guard case .matched(let ticket, let nodes, let sorted, nil) = message else { continue }
            #expect(ticket == 2)
            #expect(nodes.map(\.rawValue) == [2, 3])
            #expect(sorted == nodes)
            break
        }
        runner.cancelAll()
    }
}
