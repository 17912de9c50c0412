/// Enums and other types by their raw values.
public struct RawValueTransform<Value: RawRepresentable>: ValueTransform
where Value.RawValue: JSONMapped {
    /// Transforms by raw values.
    public init() {}

    /// The value whose raw value it is.
    public func value(from json: JSON) -> Value? {
        guard let raw = try? Value.RawValue.mapped(from: json, in: MappingScope()) else {
            return nil
        }
        return Value(rawValue: raw)
    }

    /// The raw value.
    public func json(from value: Value) -> JSON? { value.rawValue.json(in: MappingScope()) }
}
