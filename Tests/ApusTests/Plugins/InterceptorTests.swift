import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("Interceptors around a call")
struct InterceptorTests {
    @Test("an interceptor may ask again, and each sending has a number")
    func again() async throws {
        let log = HookLog()
        let transport = ScriptedTransport.answering("x", status: 503)
        let interceptor = TestInterceptor { request, context, next in
            log.add("first is \(context.attempt)")
            _ = try await next(request)
            return try await next(request)
        }
        let plugin = TestPlugin(sending: { _, context in log.add("sent \(context.attempt)") })
        let provider = Provider.make(transport, plugins: [plugin], interceptors: [interceptor])
        let (summary, _) = await provider.ending(of: TestTarget())
        #expect(log.all == ["first is 1", "sent 1", "sent 2"])
        #expect(summary?.attempts == 2)
        #expect(transport.received.count == 2)
    }

    @Test("an interceptor may change the request and replace the response")
    func change() async throws {
        let transport = ScriptedTransport.answering("x")
        let interceptor = TestInterceptor { request, _, next in
            var request = request
            request.head.headerFields[.accept] = "text/csv"
            var response = try await next(request)
            response.body = .bytes(Array("replaced".utf8))
            return response
        }
        let provider = Provider.make(transport, interceptors: [interceptor])
        #expect(try await provider.response(for: TestTarget()).text == "replaced")
        #expect(transport.received.first?.head.headerFields[.accept] == "text/csv")
    }

    @Test("an interceptor may answer without the server")
    func instead() async throws {
        let transport = ScriptedTransport.answering("x")
        let interceptor = TestInterceptor { request, _, _ in .make(request, "mine") }
        let provider = Provider.make(transport, interceptors: [interceptor])
        let (summary, _) = await provider.ending(of: TestTarget())
        #expect(try summary?.result.get().text == "mine")
        #expect(summary?.attempts == 0)
        #expect(transport.received.isEmpty)
    }

    @Test("an interceptor sees a status that validation refuses as a failure with the response")
    func refusedStatus() async throws {
        let interceptor = TestInterceptor { request, _, next in
            do {
                return try await next(request)
            } catch let error as ApusError {
                #expect(error.reason == .unacceptableStatus(401))
                #expect(error.response?.text == "who?")
                return .make(request, "healed")
            }
        }
        let provider = Provider.make(
            .answering("who?", status: 401),
            interceptors: [interceptor]
        )
        let target = TestTarget(validation: .successCodes)
        #expect(try await provider.response(for: target).text == "healed")
    }

    @Test("an interceptor may ask side by side and take the first response")
    func hedge() async throws {
        let transport = ScriptedTransport.answering("x")
        let interceptor = TestInterceptor { request, _, next in
            try await withThrowingTaskGroup(of: Response.self) { group in
                for _ in 1...3 { group.addTask { try await next(request) } }
                guard let first = try await group.next() else { throw CancellationError() }
                for try await _ in group {}
                return first
            }
        }
        let provider = Provider.make(transport, interceptors: [interceptor])
        let (summary, _) = await provider.ending(of: TestTarget())
        #expect(summary?.attempts == 3)
        #expect(try summary?.result.get().text == "x")
    }

    @Test("cancelling the exchange ends the transfer under an interceptor")
    func cancelled() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let interceptor = TestInterceptor { request, _, next in try await next(request) }
        let provider = Provider.make(.silent(continuation), interceptors: [interceptor])
        let run = Task { await provider.ending(of: TestTarget()) }
        for await _ in isWaiting { break }
        run.cancel()
        let (summary, count) = await run.value
        #expect(count == 1)
        let error = #expect(throws: ApusError.self) { try summary?.result.get() }
        #expect(error?.reason == .cancelled)
    }
}
