/// A type whose values are made from JSON and become JSON.
///
/// ``Mappable`` types are, and so are booleans, numbers, strings, `JSON` itself, and optionals,
/// arrays, sets and dictionaries of such types. An enum with raw values needs only the conformance.
public protocol JSONMapped {
    /// Makes a value; throws where and why it cannot.
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
