import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("Exchanges that hooks send")
struct ChildExchangeTests {
    private static let child = TestTarget(path: "/token")

    @Test("a child passes the same hooks, knows its parent and stands in the summary")
    func child() async throws {
        let log = HookLog()
        let plugin = TestPlugin(preparing: { request, context in
            log.add(
                "\(context.id) depth \(context.depth) parent \(context.parent?.description ?? "-")"
            )
            guard context.parent == nil else { return request }
            let token = try await context.send(Self.child)
            var request = request
            request.head.headerFields[.authorization] = token.text
            return request
        })
        let transport = ScriptedTransport { request in .make(request, request.head.path ?? "") }
        let provider = Provider.make(transport, plugins: [plugin])
        let (summary, _) = await provider.ending(of: TestTarget())
        #expect(log.all == ["#1 depth 0 parent -", "#2 depth 1 parent #1"])
        #expect(transport.received.map(\.head.path) == ["/token", "/users/7"])
        #expect(transport.received.last?.head.headerFields[.authorization] == "/token")
        #expect(summary?.children.count == 1)
        #expect((summary?.children.first?.target as? TestTarget)?.path == "/token")
        #expect(summary?.children.first?.summary.attempts == 1)
    }

    @Test("who listens to an exchange hears of its child's progress, and of nothing else of it")
    func progress() async {
        let plugin = TestPlugin(preparing: { request, context in
            guard context.parent == nil else { return request }
            _ = try await context.send(Self.child)
            throw Veto("the child's was all")
        })
        let provider = Provider.make(plugins: [plugin])
        var received: [Int] = []
        var others = 0
        for await event in provider.events(for: TestTarget()) {
            switch event {
            case .progress(let progress): received.append(progress.bytesReceived)
            case .response, .willSend, .finished: others += 1
            default: break
            }
        }
        #expect(received == [1])
        #expect(others == 1)
    }

    @Test("a child is cancelled with its parent, also when it was sent from elsewhere")
    func cancelled() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<ApusError.Reason>.makeStream()
        let plugin = TestPlugin(preparing: { request, context in
            guard context.parent == nil else { return request }
            // A task that hears nothing of the exchange's cancellation.
            await Task.detached {
                do throws(ApusError) {
                    _ = try await context.send(Self.child)
                } catch {
                    end.yield(error.reason)
                }
            }.value
            return request
        })
        let provider = Provider.make(.silent(continuation), plugins: [plugin])
        let run = Task { await provider.ending(of: TestTarget()) }
        for await _ in isWaiting { break }
        run.cancel()
        for await reason in ended {
            #expect(reason == .cancelled)
            break
        }
        #expect(await run.value.count == 1)
    }

    @Test("what is sent independently goes on when the exchange is cancelled")
    func independent() async throws {
        let gate = Gate()
        let (ended, end) = AsyncStream<String?>.makeStream()
        let transport = ScriptedTransport { request in
            await gate.pass()
            return .make(request, "token")
        }
        let plugin = TestPlugin(preparing: { request, context in
            guard context.parent == nil else { return request }
            await Task.detached {
                let answer = try? await context.sendIndependently(Self.child)
                end.yield(answer?.text)
            }.value
            return request
        })
        let provider = Provider.make(transport, plugins: [plugin])
        let run = Task { await provider.ending(of: TestTarget()) }
        await gate.waitForArrivals()
        run.cancel()
        _ = await run.value
        gate.open()
        for await text in ended {
            #expect(text == "token")
            break
        }
    }

    @Test("a hook that sends for its own children too is stopped")
    func endless() async throws {
        let plugin = TestPlugin(preparing: { request, context in
            _ = try await context.send(Self.child)
            return request
        })
        let provider = Provider.make(plugins: [plugin])
        let (summary, count) = await provider.ending(of: TestTarget())
        #expect(count == 1)
        let error = #expect(throws: ApusError.self) { try summary?.result.get() }
        guard case .hookFailed = error?.reason else {
            Issue.record("\(String(describing: error?.reason))")
            return
        }
    }

    @Test("after the end nothing is sent for an exchange")
    func late() async throws {
        let log = HookLog()
        let plugin = TestPlugin(finishing: { _, context in
            guard context.parent == nil else { return }
            do throws(ApusError) {
                _ = try await context.send(Self.child)
            } catch {
                log.add("\(error.reason)")
            }
        })
        let transport = ScriptedTransport.answering("x")
        _ = try await Provider.make(transport, plugins: [plugin]).response(for: TestTarget())
        #expect(log.all == ["cancelled"])
        #expect(transport.received.count == 1)
    }
}
