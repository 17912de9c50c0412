import BitCollections
import Synchronization

/// Returns the next target of a batch; nil after the last.
typealias BatchPull = () async throws -> (any TargetType)?

struct BatchItem: Sendable {
    let index: Int
    let target: any TargetType
    let plan: CachePlan
    let group: Int
}

extension Batch {
    /// Where responses come from and are stored, unless a group says otherwise.
    fileprivate var plan: CachePlan { CachePlan(source: source, policy: caching) }
}

/// Hands out each target of one run of a batch once.
protocol BatchSource: Sendable {
    /// The next target; nil if the worker has nothing more to do.
    func next() async throws -> BatchItem?
    /// Is called when a target has ended.
    func ended(_ item: BatchItem)
    /// The number of targets looked at so far.
    var reached: Int { get }
    /// The number of turns of a rate that were left out; read it only after all workers have ended.
    var missed: Int { get }
}

extension BatchSource {
    var missed: Int { 0 }
}

/// Hands out the targets of groups, each group within its own limit.
final class GroupedTargets: BatchSource {
    private struct Cursor {
        var next = 0
        var running = 0
    }

    private struct State {
        var cursors: [Cursor]
        /// The index of the first group that may have targets left.
        var first = 0
    }

    private let groups: [Batch.Group]
    private let bases: [Int]
    private let plan: CachePlan
    private let done: BitSet
    private let state: Mutex<State>
    let reached: Int

    init(_ groups: [Batch.Group], of batch: Batch) {
        self.groups = groups
        var total = 0
        bases = groups.map { group in
            defer { total += group.targets.count }
            return total
        }
        reached = total
        plan = batch.plan
        done = batch.done
        state = Mutex(State(cursors: groups.map { _ in Cursor() }))
    }

    /// The next target of the first group that is not at its limit.
    ///
    /// Nil tells the worker to end: the remaining groups already have as many workers as their limits allow,
    /// and these take what is left.
    func next() -> BatchItem? {
        state.withLock { state in
            for group in state.first..<groups.count {
                skipDone(group, &state.cursors[group])
                let cursor = state.cursors[group]
                if cursor.next >= groups[group].targets.count {
                    if group == state.first { state.first += 1 }
                    continue
                }
                guard cursor.running < max(1, groups[group].concurrency ?? .max) else { continue }
                state.cursors[group].next += 1
                state.cursors[group].running += 1
                return item(group, cursor.next)
            }
            return nil
        }
    }

    func ended(_ item: BatchItem) {
        state.withLock { $0.cursors[item.group].running -= 1 }
    }

    private func skipDone(_ group: Int, _ cursor: inout Cursor) {
        guard !done.isEmpty else { return }
        while cursor.next < groups[group].targets.count, done.contains(bases[group] + cursor.next) {
            cursor.next += 1
        }
    }

    private func item(_ group: Int, _ offset: Int) -> BatchItem {
        BatchItem(
            index: bases[group] + offset,
            target: groups[group].targets[offset],
            plan: CachePlan(
                source: groups[group].source ?? plan.source,
                policy: groups[group].caching ?? plan.policy
            ),
            group: group
        )
    }
}

/// Hands out targets that are made, or arrive, while a batch runs.
///
/// `@unchecked` because only the task that holds the semaphore uses the iterator and the counts.
final class GeneratedTargets: BatchSource, @unchecked Sendable {
    private let semaphore = AsyncSemaphore(1)
    private let plan: CachePlan
    private let done: BitSet
    private var pull: BatchPull?
    private var index = 0
    /// The turns of a batch with a rate.
    private var turns: RateTurns?
    /// When the first target was requested.
    private var start: ContinuousClock.Instant?

    init(_ make: @Sendable () -> BatchPull, of batch: Batch) {
        plan = batch.plan
        done = batch.done
        pull = make()
        turns = batch.rate.map { RateTurns($0) }
    }

    var missed: Int { turns?.missed ?? 0 }

    /// Read it only after all workers have ended.
    var reached: Int { index }

    func next() async throws -> BatchItem? {
        guard await semaphore.wait() else { return nil }
        defer { semaphore.signal() }
        do {
            while let pull {
                guard try await waitForTurn(pull) else { return nil }
                guard let target = try await pull() else { break }
                index += 1
                if !done.contains(index - 1) {
                    return BatchItem(index: index - 1, target: target, plan: plan, group: 0)
                }
            }
        } catch {
            pull = nil
            throw error
        }
        // An iterator that has ended must not be called again.
        pull = nil
        return nil
    }

    /// Waits for a target's turn and skips the targets of turns that have passed; false after the last turn,
    /// or if the task was cancelled.
    private func waitForTurn(_ pull: BatchPull) async throws -> Bool {
        guard turns != nil else { return true }
        let start = start ?? .now
        self.start = start
        guard let turn = turns?.next(at: .now - start) else {
            self.pull = nil
            return false
        }
        while index < turn.place {
            guard try await pull() != nil else { return false }
            index += 1
        }
        do {
            try await Task.sleep(until: start + turn.time, clock: .continuous)
        } catch {
            // Cancelled, so the worker with this turn ends too.
            return false
        }
        return true
    }

    func ended(_ item: BatchItem) {}
}
