/// A transform of two functions.
public struct ClosureTransform<Value>: ValueTransform {
    private let read: @Sendable (JSON) -> Value?
    private let write: @Sendable (Value) -> JSON?

    /// Transforms by two functions.
    public init(
        fromJSON read: @escaping @Sendable (JSON) -> Value?,
        toJSON write: @escaping @Sendable (Value) -> JSON?
    ) {
        self.read = read
        self.write = write
    }

    /// What the first function makes.
    public func value(from json: JSON) -> Value? { read(json) }

    /// What the second function makes.
    public func json(from value: Value) -> JSON? { write(value) }
}
