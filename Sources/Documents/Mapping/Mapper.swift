/// Maps JSON to values of a type, to arrays and to dictionaries of them, and back.
///
///     let users = Mapper<User>().mapArray(jsonString: text)
public struct Mapper<T: JSONMapped>: Sendable {
    /// The context that every `mapping(map:)` gets.
    public let context: (any MapContext)?
    /// Whether optionals without a value are written as `null`.
    public let writesNil: Bool

    /// Maps with a context.
    public init(context: (any MapContext)? = nil, writesNil: Bool = false) {
        self.context = context
        self.writesNil = writesNil
    }

    // MARK: - From JSON

    /// Makes a value; the error says where and why that failed.
    public func map(_ json: JSON) throws(MappingError) -> T {
        try T.mapped(from: json, in: scope())
    }

    /// Makes a value; nil if the text is broken or the value cannot be made.
    public func map(jsonString text: String) -> T? { value(text, as: T.self) }

    /// Makes an array, without the elements that cannot be made; nil if the text is not an array.
    public func mapArray(jsonString text: String) -> [T]? { value(text, as: [T].self) }

    /// Makes an array, without the elements that cannot be made; throws if the value is not an array.
    public func mapArray(_ json: JSON) throws(MappingError) -> [T] {
        try [T].mapped(from: json, in: scope())
    }

    /// Makes a dictionary, without the members that cannot be made; nil if the text is not an object.
    public func mapDictionary(jsonString text: String) -> [String: T]? {
        value(text, as: [String: T].self)
    }

    /// Makes a dictionary, without the members that cannot be made; throws if the value is not an object.
    public func mapDictionary(_ json: JSON) throws(MappingError) -> [String: T] {
        try [String: T].mapped(from: json, in: scope())
    }

    /// Makes a value, and returns what was skipped: values of another kind, and elements that cannot be made.
    public func mapLeniently(_ json: JSON) throws(MappingError) -> (
        value: T, problems: [MappingError]
    ) {
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
    /// Maps the members that are present to an existing value; throws if the JSON is not an object.
    public func map(_ json: JSON, onto value: inout T) throws(MappingError) {
        value.mapping(map: try ObjectMap.reading(json, in: scope(), as: T.self))
    }
}

/// The settings of a mapping, passed from the outermost value to the innermost.
public struct MappingScope {
    /// Types that contain themselves recurse, and a document may be deeper than the stack.
    static let deepest = 512

    /// The context that the caller passed.
    public let context: (any MapContext)?
    /// Whether an element that cannot be mapped fails its array rather than being left out.
    public internal(set) var isStrict: Bool
    /// Whether optionals without a value are written as `null`.
    public let writesNil: Bool
    private(set) var depth = 0
    let log: MappingLog?

    init(
        context: (any MapContext)? = nil,
        isStrict: Bool = false,
        writesNil: Bool = false,
        log: MappingLog? = nil
    ) {
        self.context = context
        self.isStrict = isStrict
        self.writesNil = writesNil
        self.log = log
    }

    var deeper: MappingScope {
        var scope = self
        scope.depth += 1
        return scope
    }

    var strict: MappingScope {
        var scope = self
        scope.isStrict = true
        return scope
    }

    var isTooDeep: Bool { depth >= Self.deepest }
}

/// The problems that a lenient mapping skipped.
final class MappingLog {
    var problems: [MappingError] = []
}

/// Why a value could not be mapped, and where it is.
public struct MappingError: Error, Equatable, Sendable {
    /// Why a value does not fit the type that it is mapped to.
    public enum Reason: Equatable, Sendable {
        /// There is no value, or it is `null`.
        case missing
        /// The value is of another kind than the named type needs, or out of its range.
        case mismatch(expected: String)
        /// The type's own initializer or a transform refused the value.
        case refused(by: String)
        /// The value is nested more deeply than a mapping goes.
        case tooDeep
    }

    /// Why the value does not fit the type that it is mapped to.
    public let reason: Reason
    /// The normalized path of the value.
    public let path: String
    /// The byte of the document where the value begins; nil if the value is missing or was built.
    public let offset: Int?

    /// Makes an error about a value.
    public init(_ reason: Reason, at json: JSON) {
        self.reason = reason
        guard let source = json.source else {
            path = json.error?.path ?? "$"
            offset = nil
            return
        }
        path = source.document.path(of: source.node)
        offset = source.document.valueRange(of: source.node).lowerBound
    }
}

extension MappingError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        switch reason {
        case .missing: "\(path) has no value"
        case .mismatch(let expected): "\(path) is not of type \(expected)"
        case .refused(let name): "\(path) was rejected by \(name)"
        case .tooDeep: "\(path) is nested too deeply to be mapped"
        }
    }
}
