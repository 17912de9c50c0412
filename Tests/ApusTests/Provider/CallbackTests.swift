import Dispatch
import FoundationEssentials
import Synchronization
import Testing

@testable import Apus

@Suite("Callbacks")
struct CallbackTests {
    /// What a callback heard, and a way to wait for it.
    private final class Heard: Sendable {
        let log = HookLog()
        private let calls = AsyncStream<Void>.makeStream()

        func add(_ result: Result<Response, ApusError>) {
            switch result {
            case .success(let response): log.add(response.text ?? "?")
            case .failure(let error): log.add("\(error.reason)")
            }
            calls.continuation.yield()
        }

        func wait(for count: Int = 1) async {
            var rest = count
            for await _ in calls.stream {
                rest -= 1
                if rest == 0 { return }
            }
        }
    }

    private let heard = Heard()

    @Test("the completion gets the response once, on the queue that was chosen")
    func queue() async {
        let key = DispatchSpecificKey<String>()
        let queue = DispatchQueue(label: "callbacks")
        queue.setSpecific(key: key, value: "mine")
        let heard = heard
        let token = Provider.make().request(TestTarget(), on: .queue(queue)) { result in
            #expect(DispatchQueue.getSpecific(key: key) == "mine")
            heard.add(result)
        }
        await heard.wait()
        while !token.isFinished { await Task.yield() }
        token.cancel()
        token.cancel()
        #expect(heard.log.all == ["new"])
        #expect(!token.isCancelled)
    }

    /// What lives on the main actor.
    @MainActor
    private final class Screen {
        var texts: [String] = []
        var moves = 0
    }

    @Test("on the main actor callbacks may touch what lives there, in order")
    @MainActor
    func main() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(.answering("old"), cache: cache).response(for: TestTarget())
        let (heard, screen) = (heard, Screen())
        let token = Provider.make(cache: cache).request(
            TestTarget(),
            from: .cacheAndServer,
            on: .main,
            progress: { _ in screen.moves += 1 },
            completion: { result in
                MainActor.assertIsolated()
                screen.texts.append((try? result.get().text) ?? "?")
                heard.add(result)
            }
        )
        #expect(screen.texts.isEmpty)
        await heard.wait(for: 2)
        while !token.isFinished { await Task.yield() }
        #expect(screen.texts == ["old", "new"])
        #expect(screen.moves == 1)
    }

    @Test("values arrive on the main actor, too, from wherever they were asked for")
    func mainValue() async {
        let calls = AsyncStream<String?>.makeStream()
        Provider.make().request(TestTarget(), using: .string, on: .main) { mapped in
            MainActor.assertIsolated()
            calls.continuation.yield(mapped.value)
        }
        for await text in calls.stream {
            #expect(text == "new")
            break
        }
    }

    @Test("an executor of one's own runs the callbacks when it likes")
    func ownExecutor() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(.answering("old"), cache: cache).response(for: TestTarget())
        let (works, work) = AsyncStream<@Sendable () -> Void>.makeStream()
        let heard = heard
        let token = Provider.make(cache: cache).request(
            TestTarget(),
            from: .cacheAndServer,
            on: CallbackExecutor { work.yield($0) },
            completion: { heard.add($0) }
        )
        #expect(heard.log.all.isEmpty)
        for await run in works {
            run()
            if token.isFinished { break }
        }
        #expect(heard.log.all == ["old", "new"])
    }

    @Test("both responses of cacheAndServer arrive")
    func twice() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(.answering("old"), cache: cache).response(for: TestTarget())
        let heard = heard
        let token = Provider.make(cache: cache).request(TestTarget(), from: .cacheAndServer) {
            heard.add($0)
        }
        await heard.wait(for: 2)
        while !token.isFinished { await Task.yield() }
        #expect(heard.log.all == ["old", "new"])
    }

    @Test("cancelled before anything is sent, it hears of that once and nothing is sent")
    func cancelledBefore() async {
        let transport = ScriptedTransport.answering("x")
        let gate = Gate()
        let plugin = TestPlugin(preparing: { request, _ in
            await gate.pass()
            return request
        })
        let heard = heard
        let token = Provider.make(transport, plugins: [plugin]).request(TestTarget()) {
            heard.add($0)
        }
        await gate.waitForArrivals()
        token.cancel()
        gate.open()
        await heard.wait()
        #expect(heard.log.all == ["cancelled"])
        #expect(transport.received.isEmpty)
        #expect(token.description == "nothing sent yet")
    }

    @Test("cancelled at once, it hears of that once")
    func cancelledAtOnce() async {
        let heard = heard
        let token = Provider.make().request(TestTarget()) { heard.add($0) }
        token.cancel()
        token.cancel()
        await heard.wait()
        while !token.isFinished { await Task.yield() }
        #expect(heard.log.all == ["cancelled"])
    }

    @Test("cancelled in flight, it hears of that once and the transfer ends")
    func cancelledDuring() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let heard = heard
        let token = Provider.make(.silent(continuation)).request(TestTarget()) { heard.add($0) }
        for await _ in isWaiting { break }
        token.cancel()
        await heard.wait()
        #expect(heard.log.all == ["cancelled"])
        #expect(token.isCancelled)
        #expect(token.description.hasPrefix("curl "))
    }

    @Test("a response that comes after the cancellation is not delivered")
    func answerAfterCancel() async {
        let gate = Gate()
        let transport = ScriptedTransport { request in
            // It does not hear of the cancellation.
            await gate.pass()
            return .make(request, "too late")
        }
        let heard = heard
        let token = Provider.make(transport).request(TestTarget()) { heard.add($0) }
        await gate.waitForArrivals()
        token.cancel()
        gate.open()
        await heard.wait()
        while !token.isFinished { await Task.yield() }
        #expect(heard.log.all == ["cancelled"])
    }

    @Test("progress is heard on the way")
    func progress() async {
        let told = Told()
        let heard = heard
        Provider.make().request(
            TestTarget(),
            progress: { told.add($0) },
            completion: { heard.add($0) }
        )
        await heard.wait()
        #expect(told.all == [TransferProgress(bytesReceived: 1)])
    }
}
