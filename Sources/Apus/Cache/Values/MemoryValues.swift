import FoundationEssentials
import Synchronization

/// Values in this process.
final class MemoryValues: Sendable {
    private let values = Mutex<[String: KeptValue]>([:])

    func set(_ value: KeptValue, for key: String) { values.withLock { $0[key] = value } }

    func value(for key: String) -> KeptValue? { values.withLock { $0[key] } }

    func remove(_ key: String) -> Bool {
        values.withLock { $0.removeValue(forKey: key) != nil }
    }

    func removeAll() -> Int {
        values.withLock { values in
            defer { values = [:] }
            return values.count
        }
    }

    func keys(at now: Date) -> [String] {
        values.withLock { values in
            values.filter { !$0.value.isOver(at: now) }.keys.sorted()
        }
    }
}
