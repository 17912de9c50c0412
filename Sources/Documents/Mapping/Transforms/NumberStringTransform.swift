/// Numbers that are sent as strings: `"12"`; read as numbers too.
public struct NumberStringTransform<Value: LosslessStringConvertible & Numeric>: ValueTransform {
    /// Transforms numbers in strings.
    public init() {}

    /// The number that a string or a number says.
    public func value(from json: JSON) -> Value? {
        (json.string ?? json.numberText).flatMap { Value($0) }
    }

    /// A string.
    public func json(from value: Value) -> JSON? { JSON(value.description) }
}
