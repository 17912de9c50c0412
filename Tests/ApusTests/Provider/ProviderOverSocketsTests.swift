import DemoAPI
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// The same table as `ProviderEventsTests`, with libcurl, a real server and a
/// cache on disk in place of the script.
@Suite("Every data source over real sockets")
struct ProviderOverSocketsTests {
    @Test("the events are just these, in this order", arguments: ProviderEventsTests.table.indices)
    func matrix(row: Int) async throws {
        let (name, held, server, words) = ProviderEventsTests.table[row]
        let api = DemoServer()
        let base = try await api.start()
        // Not the port of a server that was stopped: another test's may get it.
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let folder = Temporary.folder()
        let clock = SetClock()
        let cache = ResponseCache(
            configuration: .init(directory: folder),
            clock: { clock.now }
        )
        let transport = CurlTransport()
        let target = TestTarget(
            base: server == .down ? closed.base : base,
            path: "/delay/0",
            cachePolicy: .keep(for: .seconds(60), in: .disk, key: .custom("matrix"))
        )
        if held != .miss {
            let authority = String(base.dropFirst("http://".count))
            let reaching = ChangingTransport(transport) { $0.head.authority = authority }
            let filler = Provider<TestTarget>(transport: reaching, cache: cache)
            _ = try await filler.response(for: target)
        }
        if held == .expired { clock.advance(by: 61) }

        // The cancelled request takes its time.
        let holding = ChangingTransport(transport) { $0.head.path = "/delay/60" }
        let provider = Provider<TestTarget>(
            transport: server == .cancelled ? holding : transport,
            cache: cache
        )
        let reader = Task {
            var seen: [String] = []
            for await event in provider.events(for: target, from: ProviderEventsTests.source(name))
            {
                if let word = event.word { seen.append(word) }
                if case .willSend = event, server == .cancelled {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            return seen
        }
        let expected = words.map { $0.replacing(" old", with: "").replacing(" new", with: "") }
        #expect(await reader.value == expected)
        await api.stop()
        await cache.close()
    }

    /// Sends something else than what it is given, through the real transport.
    private struct ChangingTransport: Transport {
        let transport: CurlTransport
        let change: @Sendable (inout PreparedRequest) -> Void

        init(
            _ transport: CurlTransport,
            _ change: @escaping @Sendable (inout PreparedRequest) -> Void
        ) {
            self.transport = transport
            self.change = change
        }

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            var request = request
            change(&request)
            return try await transport.send(request, progress: progress)
        }
    }
}

extension ExchangeEvent {
    /// The event as the table names it, without the text of its response.
    fileprivate var word: String? {
        words(self)?.split(separator: " {").first.map { text in
            text.hasPrefix("fresh ") ? "fresh" : text.hasPrefix("cached ") ? "cached" : String(text)
        }
    }
}
