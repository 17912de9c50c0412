import Dispatch
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("Plugins, interceptors and shared calls over real sockets")
struct PluginsOverSocketsTests {
    private func provider(
        cache: ResponseCache = .inMemory,
        plugins: [any Plugin] = [],
        interceptors: [any Interceptor] = [],
        coalesces: Coalescing = .none
    ) -> Provider<TestTarget> {
        Provider(
            transport: CurlTransport(),
            cache: cache,
            plugins: plugins,
            interceptors: interceptors,
            coalesces: coalesces
        )
    }

    /// A server that is ill once, and well from then on.
    private func healing(_ fields: String = "Retry-After: 0\r\n") throws -> RawServer {
        let turns = Mutex(0)
        return try RawServer { _ in
            let turn = turns.withLock { turns in
                turns += 1
                return turns
            }
            guard turn == 1 else { return [RawServer.ok("well")] }
            return [
                .send("HTTP/1.1 503 Ill\r\nContent-Length: 3\r\n\(fields)\r\nill")
            ]
        }
    }

    @Test("100 equal requests are one on the wire")
    func coalesced() async throws {
        let release = DispatchSemaphore(value: 0)
        let server = try RawServer { _ in
            release.wait()
            return [RawServer.ok("shared")]
        }
        let provider = provider(coalesces: true)
        let target = TestTarget(base: "http://\(server.authority)")
        let runs = (0..<100).map { _ in Task { try await provider.response(for: target).text } }
        let endpoint = try Endpoint(target, defaults: provider.headerFields)
        let fingerprint = ServerCall.Fingerprint(
            request: endpoint.request,
            validation: endpoint.validation
        )
        while provider.pipeline?.calls.count(for: fingerprint) != 100 { await Task.yield() }
        release.signal()
        for run in runs { #expect(try await run.value == "shared") }
        #expect(server.received.count == 1)
    }

    @Test("a server that heals is asked again as it wants")
    func retry() async throws {
        let server = try healing()
        let provider = provider(interceptors: [RetryPolicy()])
        let target = TestTarget(base: "http://\(server.authority)")
        let (summary, _) = await provider.ending(of: target)
        #expect(try summary?.result.get().text == "well")
        #expect(summary?.attempts == 2)
        #expect(server.received.count == 2)
    }

    @Test("a download that is asked again finds its place free")
    func download() async throws {
        let server = try healing()
        let path = Temporary.folder() + "/file"
        let provider = provider(interceptors: [RetryPolicy()])
        let target = TestTarget(
            base: "http://\(server.authority)",
            task: .download(to: DownloadDestination(path: path), sending: .plain)
        )
        #expect(try await provider.response(for: target).status == 200)
        #expect(try FileBytes.read(path) == Array("well".utf8))
    }

    @Test("a response from disk passes the hooks with its source")
    func disk() async throws {
        let server = try RawServer { _ in [RawServer.ok("kept")] }
        let cache = ResponseCache(configuration: .init(directory: Temporary.folder()))
        let log = HookLog()
        let target = TestTarget(
            base: "http://\(server.authority)",
            cachePolicy: .keep(in: .disk)
        )
        let provider = provider(cache: cache, plugins: [LoggingPlugin(log)])
        _ = try await provider.response(for: target)
        await cache.flush()
        let before = log.all.count
        _ = try await provider.response(for: target, from: .cache)
        #expect(
            Array(log.all.dropFirst(before)) == [
                "a plan", "a adapt", "a prepare", "a didReceive disk", "a process disk",
                "a didFinish disk",
            ]
        )
        await cache.close()
    }
}
