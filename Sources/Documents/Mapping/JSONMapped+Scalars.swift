extension JSONMapped where Self: FixedWidthInteger {
    /// A number without fraction that is within range.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        guard let value = json.integer(as: Self.self) else {
            throw .unfit(json, for: Self.self)
        }
        return value
    }

    /// A number.
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
    /// A number.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Double {
        guard let value = json.double else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// A number.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension Float: JSONMapped {
    /// A number.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Float {
        guard let value = json.float else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// A number.
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
    /// A string.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> String {
        guard let value = json.string else { throw .unfit(json, for: Self.self) }
        return value
    }

    /// A string.
    public func json(in scope: MappingScope) -> JSON { JSON(self) }
}

extension JSON: JSONMapped {
    /// Any value that is there.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> JSON {
        guard json.exists else { throw MappingError(.missing, at: json) }
        return json
    }

    /// Itself.
    public func json(in scope: MappingScope) -> JSON { self }
}

extension JSONMapped where Self: RawRepresentable, RawValue: JSONMapped {
    /// The value whose raw value it is.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        guard let value = Self(rawValue: try RawValue.mapped(from: json, in: scope)) else {
            throw .unfit(json, for: Self.self)
        }
        return value
    }

    /// The raw value.
    public func json(in scope: MappingScope) -> JSON { rawValue.json(in: scope) }
}

extension MappingError {
    /// That a value is not there, or is none of a type.
    static func unfit(_ json: JSON, for type: (some Any).Type) -> MappingError {
        let isThere = json.exists && !json.isNull
        return MappingError(isThere ? .mismatch(expected: "\(type)") : .missing, at: json)
    }
}
