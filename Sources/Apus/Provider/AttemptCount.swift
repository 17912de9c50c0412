import Synchronization

/// How often requests were sent for one answer.
final class AttemptCount: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .relaxed) }

    /// Counts one; its number.
    func next() -> Int { value.add(1, ordering: .relaxed).newValue }

    func add(_ count: Int) { value.add(count, ordering: .relaxed) }
}
