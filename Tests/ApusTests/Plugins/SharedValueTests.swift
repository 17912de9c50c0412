import HTTPTypes
import Testing

@testable import Apus

@Suite("Values that the hooks of an exchange share")
struct SharedValueTests {
    private struct Trace: ExchangeKey { static let defaultValue = "none" }
    private struct Count: ExchangeKey { static let defaultValue = 0 }
    private struct Name: ExchangeKey { static let defaultValue = "nobody" }

    @Test("what one hook sets all others see, and no other exchange")
    func hooks() async throws {
        let log = HookLog()
        let plugin = TestPlugin(
            preparing: { request, context in
                log.add("prepare \(context[Trace.self])")
                context[Trace.self] = request.head.path ?? ""
                return request
            },
            sending: { _, context in log.add("willSend \(context[Trace.self])") },
            finishing: { _, context in
                log.add("didFinish \(context[Trace.self]) \(context[Name.self])")
            }
        )
        let interceptor = TestInterceptor { request, context, next in
            log.add("intercept \(context[Trace.self])")
            return try await next(request)
        }
        let provider = Provider.make(plugins: [plugin], interceptors: [interceptor])
        for path in ["/a", "/b"] {
            _ = try await provider.response(for: TestTarget(path: path))
        }
        #expect(
            log.all == [
                "prepare none", "intercept /a", "willSend /a", "didFinish /a nobody",
                "prepare none", "intercept /b", "willSend /b", "didFinish /b nobody",
            ]
        )
    }

    @Test("children share it with their parent, and many at once lose no change")
    func children() async throws {
        let log = HookLog()
        let plugin = TestPlugin(
            preparing: { request, context in
                guard context.parent == nil else {
                    context.update(Count.self) { $0 += 1 }
                    return request
                }
                context[Trace.self] = "parent"
                await withTaskGroup { group in
                    for _ in 0..<50 {
                        group.addTask { _ = try? await context.send(TestTarget(path: "/child")) }
                    }
                }
                return request
            },
            finishing: { _, context in
                log.add("\(context[Trace.self]) \(context.depth)")
                if context.depth == 0 { log.add("\(context[Count.self]) children") }
            }
        )
        _ = try await Provider.make(plugins: [plugin]).response(for: TestTarget())
        #expect(log.all.count { $0 == "parent 1" } == 50)
        #expect(log.all.suffix(2) == ["parent 0", "50 children"])
    }

    @Test("a call that may be shared has the values of the exchange that began it")
    func sharedCall() async throws {
        let log = HookLog()
        let plugin = TestPlugin(
            preparing: { request, context in
                context[Trace.self] = "\(context.id)"
                return request
            },
            sending: { _, context in
                log.add(context[Trace.self])
                context[Count.self] = 7
            },
            finishing: { _, context in log.add("\(context[Count.self])") }
        )
        let provider = Provider.make(plugins: [plugin], coalesces: true)
        _ = try await provider.response(for: TestTarget())
        #expect(log.all == ["#1", "7"])
    }
}
