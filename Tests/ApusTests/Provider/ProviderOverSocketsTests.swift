import DemoAPI
import FoundationEssentials
import HTTPTypes
import Synchronization
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
        let folder = try Temporary.folder()
        let clock = SetClock()
        let cache = ResponseCache(
            configuration: .init(directory: folder),
            clock: { clock.now }
        )
        let transport = CurlTransport()
        // The cancelled request has an address of its own: one that takes its time.
        let policy = CachePolicy(
            storage: .disk,
            expiry: .seconds(60),
            keyStrategy: .custom("matrix"),
            keyFields: []
        )
        let quick = TestTarget(base: base, path: "/delay/0", cachePolicy: policy)
        let slow = TestTarget(base: base, path: "/delay/0?slow", cachePolicy: policy)
        if held != .miss {
            let filler = Provider<TestTarget>(transport: transport, cache: cache)
            _ = try await filler.response(for: quick)
        }
        if held == .expired { clock.advance(by: 61) }
        if server == .down { await api.stop() }

        let provider = Provider<TestTarget>(
            transport: server == .cancelled ? HoldingTransport(transport) : transport,
            cache: cache
        )
        let target = server == .cancelled ? slow : quick
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

    /// Asks for an answer that takes a minute, through the real transport.
    private struct HoldingTransport: Transport {
        let transport: CurlTransport

        init(_ transport: CurlTransport) { self.transport = transport }

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            var slow = request
            slow.head.path = "/delay/60"
            return try await transport.send(slow, progress: progress)
        }

        func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
            try await transport.stream(request)
        }
    }
}

extension ExchangeEvent {
    /// The event as the table names it, without the text of its answer.
    fileprivate var word: String? {
        words(self)?.split(separator: " {").first.map { text in
            text.hasPrefix("fresh ") ? "fresh" : text.hasPrefix("cached ") ? "cached" : String(text)
        }
    }
}
