/// Converts JSON to a value and back, for a property whose type does not do so itself.
///
///     birthday <- (map["birthday"], ISO8601DateTransform())
public protocol ValueTransform<Value>: Sendable {
    /// The type of the values.
    associatedtype Value

    /// Makes a value from JSON; nil if that is not possible.
    func value(from json: JSON) -> Value?

    /// A value as JSON; nil if there is no JSON for it.
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

/// A transform made of two functions.
public struct ClosureTransform<Value>: ValueTransform {
    private let read: @Sendable (JSON) -> Value?
    private let write: @Sendable (Value) -> JSON?

    /// Transforms with two functions.
    public init(
        fromJSON read: @escaping @Sendable (JSON) -> Value?,
        toJSON write: @escaping @Sendable (Value) -> JSON?
    ) {
        self.read = read
        self.write = write
    }

    /// The value that the first function makes.
    public func value(from json: JSON) -> Value? { read(json) }

    /// The JSON that the second function makes.
    public func json(from value: Value) -> JSON? { write(value) }
}

/// Transforms arrays by their elements; elements that the transform rejects are left out.
struct ElementTransform<Element: ValueTransform>: ValueTransform {
    private let element: Element

    init(_ element: Element) { self.element = element }

    func value(from json: JSON) -> [Element.Value]? {
        json.kind == .array ? json.elements.compactMap { element.value(from: $0) } : nil
    }

    func json(from value: [Element.Value]) -> JSON? {
        JSON(value.compactMap { element.json(from: $0) })
    }
}

/// Transforms dictionaries by their values; values that the transform rejects are left out.
struct MemberTransform<Member: ValueTransform>: ValueTransform {
    private let member: Member

    init(_ member: Member) { self.member = member }

    func value(from json: JSON) -> [String: Member.Value]? {
        json.dictionary?.compactMapValues { member.value(from: $0) }
    }

    func json(from value: [String: Member.Value]) -> JSON? {
        JSON(
            members: value.sorted { $0.key < $1.key }.compactMap { key, value in
                member.json(from: value).map { (key: key, value: $0) }
            }
        )
    }
}

/// Numbers that are sent as strings, such as `"12"`; plain numbers are read too.
public struct NumberStringTransform<Value: LosslessStringConvertible & Numeric>: ValueTransform {
    /// Transforms numbers in strings.
    public init() {}

    /// The number in a string, or a plain number.
    public func value(from json: JSON) -> Value? {
        (json.string ?? json.numberText).flatMap { Value($0) }
    }

    /// The number as a string.
    public func json(from value: Value) -> JSON? { JSON(value.description) }
}

/// Enums and other types by their raw values.
public struct RawValueTransform<Value: RawRepresentable>: ValueTransform
where Value.RawValue: JSONMapped {
    /// Transforms by raw values.
    public init() {}

    /// The value with this raw value; nil if there is none.
    public func value(from json: JSON) -> Value? {
        guard let raw = try? Value.RawValue.mapped(from: json, in: MappingScope()) else {
            return nil
        }
        return Value(rawValue: raw)
    }

    /// The raw value, written as its own type writes itself.
    public func json(from value: Value) -> JSON? { value.rawValue.json(in: MappingScope()) }
}

/// Types that are a string with rules, such as an address; a string that breaks the rules is rejected.
public struct StringWrapperTransform<Value: LosslessStringConvertible>: ValueTransform {
    /// Transforms by the type's own description.
    public init() {}

    /// The value with this description; nil if there is none.
    public func value(from json: JSON) -> Value? { json.string.flatMap { Value($0) } }

    /// The value's description as a JSON string.
    public func json(from value: Value) -> JSON? { JSON(value.description) }
}
