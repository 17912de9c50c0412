import Synchronization
import Testing

@testable import Apus

@Suite("A semaphore")
struct AsyncSemaphoreTests {
    @Test("no more turns are out than there are")
    func bound() async {
        let turns = AsyncSemaphore(3)
        let counts = Mutex((now: 0, most: 0))
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask { @Sendable in
                    guard await turns.wait() else { return }
                    counts.withLock {
                        $0.now += 1
                        $0.most = max($0.most, $0.now)
                    }
                    await Task.yield()
                    counts.withLock { $0.now -= 1 }
                    turns.signal()
                }
            }
        }
        #expect(counts.withLock { $0.most } <= 3)
        #expect(counts.withLock { $0.now } == 0)
    }

    @Test("a task that is cancelled while it waits leaves without a turn, and none is lost")
    func cancelling() async {
        let turns = AsyncSemaphore(1)
        #expect(await turns.wait())
        let waiting = (0..<50).map { _ in Task { await turns.wait() } }
        for _ in 0..<100 { await Task.yield() }
        for task in waiting { task.cancel() }
        for task in waiting { #expect(await !task.value) }
        turns.signal()
        #expect(await turns.wait())
    }

    @Test("a cancelled task gets no turn, though one is free")
    func cancelledBefore() async {
        let turns = AsyncSemaphore(1)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await turns.wait()
        }
        task.cancel()
        #expect(await !task.value)
        #expect(await turns.wait())
    }
}
