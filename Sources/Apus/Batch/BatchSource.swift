import BitCollections
import Synchronization

/// Gives the next target of a batch; nil after the last.
typealias BatchPull = () async throws -> (any TargetType)?

/// A target of a batch whose turn has come.
struct BatchItem: Sendable {
    let index: Int
    let target: any TargetType
    let plan: CachePlan
    let group: Int
}

extension Batch {
    /// Where answers come from and are kept, unless a group says otherwise.
    fileprivate var plan: CachePlan { CachePlan(source: source, policy: caching) }
}

/// Hands out the targets of one run of a batch, each once.
protocol BatchSource: Sendable {
    /// The next target; nil when a worker has nothing more to do.
    func next() async throws -> BatchItem?
    /// A target has ended.
    func ended(_ item: BatchItem)
    /// How many places have been looked at.
    var reached: Int { get }
    /// How many places of a rate went by without being begun; only to be read when no worker is left.
    var missed: Int { get }
}

extension BatchSource {
    var missed: Int { 0 }
}

/// The targets of groups, each group within its own limit.
final class GroupedTargets: BatchSource {
    private struct Cursor {
        var next = 0
        var running = 0
    }

    private struct State {
        var cursors: [Cursor]
        /// The first group that may have a target left.
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
    /// Nil means that a worker may go home: as many others as the remaining groups
    /// allow are at work in them, and take what is left.
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

/// Targets that are made, or arrive, while a batch runs.
///
/// `@unchecked` because the iterator and the counts are only touched by the task
/// that the semaphore lets in.
final class GeneratedTargets: BatchSource, @unchecked Sendable {
    private let semaphore = AsyncSemaphore(1)
    private let plan: CachePlan
    private let done: BitSet
    private var pull: BatchPull?
    private var index = 0
    /// When each target's turn is, for a batch with a rate.
    private var turns: RateTurns?
    /// When the first was asked for.
    private var start: ContinuousClock.Instant?

    init(_ make: @Sendable () -> BatchPull, of batch: Batch) {
        plan = batch.plan
        done = batch.done
        pull = make()
        turns = batch.rate.map { RateTurns($0) }
    }

    var missed: Int { turns?.missed ?? 0 }

    /// Only to be read when no worker is left.
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
        // An iterator that has ended is not asked again.
        pull = nil
        return nil
    }

    /// Waits until a target may be begun, and passes over those whose turn has gone by; false after the last turn,
    /// or when nobody waits any more.
    private func waitForTurn(_ pull: BatchPull) async throws -> Bool {
        guard turns != nil else { return true }
        let start = start ?? .now
        self.start = start
        guard let turn = turns?.take(at: .now - start) else {
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
            // Cancelled: the worker that has this turn ends too.
            return false
        }
        return true
    }

    func ended(_ item: BatchItem) {}
}
