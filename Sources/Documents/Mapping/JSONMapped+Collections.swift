extension Optional: JSONMapped where Wrapped: JSONMapped {
    /// A value, or nil for `null` and for none.
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
    /// The elements of an array; those that cannot be mapped fail it or are left out.
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

    /// An array.
    public func json(in scope: MappingScope) -> JSON { JSON(map { $0.json(in: scope) }) }
}

extension Set: JSONMapped where Element: JSONMapped {
    /// The elements of an array; those that cannot be mapped fail it or are left out.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Set<Element> {
        Set(try [Element].mapped(from: json, in: scope))
    }

    /// An array, in no order.
    public func json(in scope: MappingScope) -> JSON { JSON(map { $0.json(in: scope) }) }
}

extension Dictionary: JSONMapped where Key == String, Value: JSONMapped {
    /// The members of an object; those that cannot be mapped fail it or are left out.
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
    /// A value in a collection; nil when it is to be left out.
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
