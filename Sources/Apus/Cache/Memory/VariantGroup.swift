/// Which entries memory has of those that share a primary key.
struct VariantGroup: Sendable, Hashable {
    private(set) var keys: [KeyName] = []
    /// Whether the disk has none that memory does not have.
    var isComplete = false

    /// Whether it says nothing.
    var isNothing: Bool { keys.isEmpty && !isComplete }

    mutating func add(_ key: KeyName) {
        if !keys.contains(key) { keys.append(key) }
    }

    mutating func remove(_ key: KeyName) { keys.removeAll { $0 == key } }

    /// Takes out what left memory but not the cache.
    mutating func forget(_ key: KeyName) {
        remove(key)
        isComplete = false
    }

    mutating func clear() { keys = [] }
}
