/// A value that its copies share: to pass it on costs one reference count, however
/// many parts it has.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Box: Equatable where Value: Equatable {
    static func == (a: Box, b: Box) -> Bool { a === b || a.value == b.value }
}

extension Box: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Box {
    /// A box with the value changed; who holds this one sees no change.
    func with(_ change: (inout Value) -> Void) -> Box {
        var value = value
        change(&value)
        return Box(value)
    }
}
