import Synchronization

/// The targets of groups, each group within its own limit.
final class GroupSupply: BatchSupply {
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
    private let source: DataSource
    private let done: PlaceSet
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
        source = batch.source
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
        guard done.count > 0 else { return }
        while cursor.next < groups[group].targets.count, done.contains(bases[group] + cursor.next) {
            cursor.next += 1
        }
    }

    private func item(_ group: Int, _ offset: Int) -> BatchItem {
        BatchItem(
            index: bases[group] + offset,
            target: groups[group].targets[offset],
            source: groups[group].source ?? source,
            group: group
        )
    }
}
