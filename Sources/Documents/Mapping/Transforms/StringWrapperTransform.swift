/// Types that are a string with rules, such as an address; what breaks the rules is refused.
public struct StringWrapperTransform<Value: LosslessStringConvertible>: ValueTransform {
    /// Transforms by the type's own description.
    public init() {}

    /// The value of that description.
    public func value(from json: JSON) -> Value? { json.string.flatMap { Value($0) } }

    /// The description.
    public func json(from value: Value) -> JSON? { JSON(value.description) }
}
