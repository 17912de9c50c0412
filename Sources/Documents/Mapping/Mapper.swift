/// Maps values of a type, and arrays and dictionaries of them.
///
///     let users = Mapper<User>().mapArray(jsonString: text)
public struct Mapper<T: JSONMapped>: Sendable {
    /// What every `mapping(map:)` gets.
    public let context: (any MapContext)?
    /// Whether optionals without a value are written as `null`.
    public let writesNil: Bool

    /// Maps with a context.
    public init(context: (any MapContext)? = nil, writesNil: Bool = false) {
        self.context = context
        self.writesNil = writesNil
    }

    // MARK: - From JSON

    /// Makes a value; throws where and why it cannot.
    public func map(_ json: JSON) throws(MappingError) -> T {
        try T.mapped(from: json, in: scope())
    }

    /// Makes a value; nil when the text is broken or the value cannot be made.
    public func map(jsonString text: String) -> T? { value(text, as: T.self) }

    /// Makes an array, without the elements that cannot be made; nil for what is no array.
    public func mapArray(jsonString text: String) -> [T]? { value(text, as: [T].self) }

    /// Makes an array, without the elements that cannot be made; throws for what is no array.
    public func mapArray(_ json: JSON) throws(MappingError) -> [T] {
        try [T].mapped(from: json, in: scope())
    }

    /// Makes a dictionary, without the members that cannot be made; nil for what is no object.
    public func mapDictionary(jsonString text: String) -> [String: T]? {
        value(text, as: [String: T].self)
    }

    /// Makes a dictionary, without the members that cannot be made; throws for what is no object.
    public func mapDictionary(_ json: JSON) throws(MappingError) -> [String: T] {
        try [String: T].mapped(from: json, in: scope())
    }

    /// Makes a value, and says what was passed over: values of another kind, elements left out.
    public func mapNoting(_ json: JSON) throws(MappingError) -> (value: T, problems: [MappingError])
    {
        let log = MappingLog()
        let value = try T.mapped(from: json, in: scope(log))
        return (value, log.problems)
    }

    // MARK: - To JSON

    /// A value as JSON.
    public func toJSON(_ value: T) -> JSON { value.json(in: scope()) }

    /// A value as JSON text.
    public func toJSONString(_ value: T, prettyPrint: Bool = false) -> String {
        toJSON(value).text(prettyPrint ? .pretty : .minified) ?? "null"
    }

    private func scope(_ log: MappingLog? = nil) -> MappingScope {
        MappingScope(context: context, writesNil: writesNil, log: log)
    }

    private func value<V: JSONMapped>(_ text: String, as type: V.Type) -> V? {
        guard let json = try? JSON(parsing: text) else { return nil }
        return try? V.mapped(from: json, in: scope())
    }
}

extension Mapper where T: Mappable {
    /// Maps what there is onto a value that exists already; throws for what is no object.
    public func map(_ json: JSON, onto value: inout T) throws(MappingError) {
        value.mapping(map: try Map.reading(json, in: scope(), as: T.self))
    }
}
