/// A type whose values are made from JSON and become JSON.
///
/// ``Mappable`` types conform, and so do booleans, numbers, strings, `JSON` itself, and optionals, arrays, sets
/// and dictionaries of such types. An enum with raw values needs only the conformance.
public protocol JSONMapped {
    /// Makes a value; the error says where and why that failed.
    static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self

    /// The value as JSON.
    func json(in scope: MappingScope) -> JSON
}

extension JSONMapped {
    /// The value as JSON.
    public func toJSON(context: (any MapContext)? = nil, writesNil: Bool = false) -> JSON {
        json(in: MappingScope(context: context, writesNil: writesNil))
    }

    /// The value as JSON text.
    public func toJSONString(
        prettyPrint: Bool = false,
        context: (any MapContext)? = nil
    ) -> String {
        toJSON(context: context).text(prettyPrint ? .pretty : .minified) ?? "null"
    }
}

extension Optional: JSONMapped where Wrapped: JSONMapped {
    /// A value, or nil if the JSON is `null` or missing.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Wrapped? {
        guard json.exists && !json.isNull else { return nil }
        return try Wrapped.mapped(from: json, in: scope)
    }

    /// The value, or `null`.
    public func json(in scope: MappingScope) -> JSON { self?.json(in: scope) ?? .null }
}

extension Array: JSONMapped where Element: JSONMapped {
    /// The elements of an array; one that cannot be mapped throws if the scope is strict, else is left out.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> [Element] {
        guard json.kind == .array else { throw .unfit(json, for: Self.self) }
        var elements: [Element] = []
        elements.reserveCapacity(json.count)
        for element in json.elements {
            if let value = try scope.value(Element.self, from: element) { elements.append(value) }
        }
        return elements
    }

    /// An array of the elements in order, each written as its type writes itself.
    public func json(in scope: MappingScope) -> JSON { JSON(map { $0.json(in: scope) }) }
}

extension Set: JSONMapped where Element: JSONMapped {
    /// The elements of an array, mapped like those of an `Array`.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Set<Element> {
        Set(try [Element].mapped(from: json, in: scope))
    }

    /// An array, in no particular order.
    public func json(in scope: MappingScope) -> JSON { JSON(map { $0.json(in: scope) }) }
}

extension Dictionary: JSONMapped where Key == String, Value: JSONMapped {
    /// The members of an object; one that cannot be mapped throws if the scope is strict, else is left out.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> [String: Value] {
        guard json.kind == .object else { throw .unfit(json, for: Self.self) }
        var values: [String: Value] = [:]
        for (key, member) in json.members {
            if let value = try scope.value(Value.self, from: member) { values[key] = value }
        }
        return values
    }

    /// An object, its members sorted by name.
    public func json(in scope: MappingScope) -> JSON {
        JSON(members: sorted { $0.key < $1.key }.map { ($0.key, $0.value.json(in: scope)) })
    }
}

extension MappingScope {
    /// A value in a collection; nil if it is to be left out.
    func value<T: JSONMapped>(_: T.Type, from json: JSON) throws(MappingError) -> T? {
        do {
            return try T.mapped(from: json, in: self)
        } catch {
            if isStrict { throw error }
            log?.problems.append(error)
            return nil
        }
    }
}

extension JSONMapped where Self: FixedWidthInteger {
    /// A number without a fraction that is within range.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        guard let value = json.integer(as: Self.self) else {
            throw .unfit(json, for: Self.self)
        }
        return value
    }

    /// A number without a fraction.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension Int: JSONMapped {}
extension Int8: JSONMapped {}
extension Int16: JSONMapped {}
extension Int32: JSONMapped {}
extension Int64: JSONMapped {}
extension UInt: JSONMapped {}
extension UInt8: JSONMapped {}
extension UInt16: JSONMapped {}
extension UInt32: JSONMapped {}
extension UInt64: JSONMapped {}

extension Double: JSONMapped {
    /// Reads the nearest value to a number; throws if there is none, or for anything but a number.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Double {
        guard let value = json.double else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// A number; `null` if the value is not finite.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension Float: JSONMapped {
    /// Reads the nearest value to a number; throws if there is none, or for anything but a number.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Float {
        guard let value = json.float else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// A number; `null` if the value is not finite.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension Bool: JSONMapped {
    /// `true` or `false`.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Bool {
        guard let value = json.bool else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// `true` or `false`.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension String: JSONMapped {
    /// Reads a string; throws for anything else.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> String {
        guard let value = json.string else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// A JSON string with this text.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension JSON: JSONMapped {
    /// Any value; throws if it is missing.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> JSON {
        guard json.exists else { throw MappingError(.missing, at: json) }
        return json
    }

    /// Returns the value itself.
    public func json(in scope: MappingScope) -> JSON { self }
}

extension JSONMapped where Self: RawRepresentable, RawValue: JSONMapped {
    /// The value with this raw value; throws if there is none.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        guard let value = Self(rawValue: try RawValue.mapped(from: json, in: scope)) else {
            throw .unfit(json, for: Self.self)
        }
        return value
    }

    /// The raw value, written as its own type writes itself.
    public func json(in scope: MappingScope) -> JSON { rawValue.json(in: scope) }
}

extension MappingError {
    /// The error for a value that is missing or cannot be read as a type.
    static func unfit(_ json: JSON, for type: (some Any).Type) -> MappingError {
        let isThere = json.exists && !json.isNull
        return MappingError(isThere ? .mismatch(expected: "\(type)") : .missing, at: json)
    }
}
