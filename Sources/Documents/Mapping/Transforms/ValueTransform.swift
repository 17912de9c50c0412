/// A way from JSON to a value and back, for a property whose type knows none.
///
///     birthday <- (map["birthday"], ISO8601DateTransform())
public protocol ValueTransform<Value>: Sendable {
    /// What is made.
    associatedtype Value

    /// Makes a value; nil when it cannot be made of that.
    func value(from json: JSON) -> Value?

    /// A value as JSON; nil when there is no JSON for it.
    func json(from value: Value) -> JSON?
}

extension ValueTransform {
    func reading(_ json: JSON) throws(MappingError) -> Value {
        guard let value = value(from: json) else {
            throw MappingError(.refused(by: "\(Self.self)"), at: json)
        }
        return value
    }

    func writing(_ value: Value) -> JSON { json(from: value) ?? .null }
}
