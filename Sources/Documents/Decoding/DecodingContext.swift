/// The state of one call of `decode`: the document, the strategies, and caches.
///
/// All values that are decoded in one call share it, and so do decoders and containers that a value keeps. The
/// node number -1 stands for a missing value, which reads as null.
final class DecodingContext {
    static let nothing = -1

    let document: Document
    let nodes: FinishedNodes
    /// The requested value; coding paths begin below it.
    let root: Int
    let options: DocumentDecoder
    let isLenient: Bool
    let hasPlainKeys: Bool

    /// The number of values that are being decoded inside each other.
    var depth = 0
    /// The strategies of the types decoded so far.
    private var strategies: [ObjectIdentifier: TypeStrategy] = [:]
    /// The defaults that the types decoded so far declare for their members; nil for a type without any.
    var declaredMembers: [ObjectIdentifier: DeclaredMembers?] = [:]
    var places: LineCounter
    var coercions: [DecodingCoercion] = []
    /// Whether a missing value is being made from defaults; nothing more is reported inside it.
    var isInventing = false
    /// Whether a default was used since this was last cleared.
    var hasInvented = false
    /// Whether defaults are reported; strict decoding may do that too.
    var isReporting = false
    /// The member that the node number -1 stands for.
    var missingMember: (name: String, object: Int)?
    /// The names that the snake case strategy has converted.
    var camelNames: [String: String] = [:]

    init(_ document: Document, root: Int, _ options: DocumentDecoder, isLenient: Bool) {
        self.document = document
        nodes = FinishedNodes(of: document)
        self.root = root
        self.options = options
        self.isLenient = isLenient
        isReporting = isLenient
        if case .useDefaultKeys = options.keyDecodingStrategy {
            hasPlainKeys = true
        } else {
            hasPlainKeys = false
        }
        places = LineCounter(base: document.bytes.base)
    }

    // MARK: - Nodes

    @inline(__always) func kind(_ node: Int) -> ValueKind {
        node < 0 ? .null : nodes.kind(node)
    }

    // MARK: - Values

    func rootValue<T: Decodable>(_ type: T.Type) throws -> T { try value(type, at: root) }

    func value<T: Decodable>(_ type: T.Type, at node: Int) throws -> T {
        try value(type, at: node, strategy(for: type))
    }

    func value<T: Decodable>(_ type: T.Type, at node: Int, _ strategy: TypeStrategy) throws -> T {
        if isLenient { return try lenientValue(type, at: node, strategy) }
        return try strictValue(type, at: node, strategy)
    }

    func strategy<T>(for type: T.Type) -> TypeStrategy {
        if let strategy = strategies[ObjectIdentifier(type)] { return strategy }
        let strategy = TypeStrategy(type)
        strategies[ObjectIdentifier(type)] = strategy
        return strategy
    }

    func strictValue<T: Decodable>(
        _ type: T.Type,
        at node: Int,
        _ strategy: TypeStrategy
    ) throws -> T {
        switch strategy {
        case .ordinary, .defaulted: try ordinaryValue(type, at: node)
        case .direct(let direct): try directValue(direct, at: node)
        case .node(let keeper): try nodeValue(keeper, at: node)
        }
    }

    private func ordinaryValue<T: Decodable>(_ type: T.Type, at node: Int) throws -> T {
        try enter(node)
        defer { depth &-= 1 }
        do {
            let declared = isLenient ? declaredMembers(of: type) : nil
            return try T(from: NodeDecoder(context: self, node: node, declared: declared))
        } catch let error as DecodingError {
            throw located(error, at: node)
        }
    }

    private func directValue<T, Direct: DirectlyDecodable>(
        _ direct: Direct.Type,
        at node: Int
    ) throws -> T {
        same(try Direct.decodeDirectly(from: node, in: self))
    }

    /// Decodes the elements of an array in a loop that is compiled for their type.
    func directElements<Elements, Direct: DirectlyDecodable>(
        of _: Direct.Type,
        in node: Int
    ) throws -> Elements {
        same(try Direct.decodeElements(of: node, in: self))
    }

    /// Casts a value to the type its strategy was made for, which is the same type under another constraint.
    private func same<Value, T>(_ value: Value) -> T {
        guard let value = value as? T else {
            preconditionFailure("\(T.self) has the strategy of \(Value.self)")
        }
        return value
    }

    private func nodeValue<T, Keeper: NodeDecodable>(
        _ keeper: Keeper.Type,
        at node: Int
    ) throws -> T {
        guard node >= 0 else { throw mismatch(Keeper.self, at: node) }
        do {
            return same(try Keeper(document: document, node: NodeIndex(node)))
        } catch let error as DecodingError {
            throw located(error, at: node)
        }
    }

    /// Enters one more level, or throws; the caller must lower `depth` when it leaves.
    @inline(__always) func enter(_ node: Int) throws {
        guard depth < options.maximumDepth else { throw tooDeep(node) }
        depth &+= 1
    }
}

/// The names of members.
extension DecodingContext {
    /// A member's name in the form of coding keys.
    func codingName(_ member: Int) -> String {
        let name = document.key(of: NodeIndex(member)) ?? ""
        switch options.keyDecodingStrategy {
        case .useDefaultKeys: return name
        case .convertFromSnakeCase:
            if let camel = camelNames[name] { return camel }
            let camel = SnakeCase.camel(name)
            camelNames[name] = camel
            return camel
        case .custom(let convert): return convert(codingPath(member)).stringValue
        }
    }
}

/// Paths to the value to decode.
extension DecodingContext {
    /// The value at a path; the error names the first part that is missing.
    ///
    /// It takes the last of several members with the same name, as decoding does, and the first of several
    /// values that a query finds.
    func node(at path: String) throws -> NodeIndex {
        let query: JSONPath
        do throws(JSONPathError) {
            query = try JSONPath(parsing: path)
        } catch {
            throw badPath(path, error)
        }
        guard query.isSingular else {
            return try firstMatch(of: query, writtenAs: path)
        }
        return try query.segments.reduce(NodeIndex(root)) { try child(of: $0, $1) }
    }

    private func firstMatch(of query: JSONPath, writtenAs path: String) throws -> NodeIndex {
        var found = BoundedQuery(query, in: document)
        do throws(QueryInterruption) {
            if let node = try found.next() { return node }
        } catch {
            throw givenUp(path, error)
        }
        throw noMatch(path)
    }

    /// The value that a singular segment leads to.
    private func child(of node: NodeIndex, _ segment: QuerySegment) throws -> NodeIndex {
        let kind = document.kind(of: node)
        var expected: Any.Type = [String: Any].self
        for selector in segment.selectors {
            switch selector {
            case .name(let name) where kind == .object:
                guard let member = document.member(name.text, of: node) else {
                    throw noMember(DecodingKey(name.text), in: node.rawValue)
                }
                return member
            case .index(let index) where kind == .array:
                let place = index < 0 ? document.childCount(of: node) + index : index
                guard let element = document.child(at: place, of: node) else {
                    throw noElement(index, in: node.rawValue)
                }
                return element
            case .index where !segment.isPlace: expected = [Any].self
            default: break
            }
        }
        throw mismatch(expected, at: node.rawValue)
    }
}

/// Scalars: the common case in a few instructions, everything else in a separate function.
extension DecodingContext {
    @inline(__always) func bool(_ node: Int) throws -> Bool {
        if let value = nodes.bool(node) { return value }
        return try unusualBool(node)
    }

    @inline(__always) func string(_ node: Int) throws -> String {
        if let text = nodes.string(node) { return text }
        return try unusualString(node)
    }

    @inline(__always) func integer<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ node: Int
    ) throws -> I {
        if let value = nodes.integer(type, node) { return value }
        return try unusualInteger(type, node)
    }

    @inline(__always) func double(_ node: Int) throws -> Double {
        if let value = nodes.double(node) { return value }
        return try unusualDouble(node)
    }

    func float(_ node: Int) throws -> Float {
        if let value = nodes.float(node) { return value }
        return try unusualFloat(node)
    }

    /// A number as written; nil for other kinds.
    func numberText(_ node: Int) -> String? {
        switch kind(node) {
        case .integer, .decimal: document.sourceText(of: NodeIndex(node))
        default: nil
        }
    }

    // MARK: - Uncommon scalars

    @inline(never) private func unusualBool(_ node: Int) throws -> Bool {
        if isLenient, let value = scalar(node).boolean {
            return coerced(value, at: node)
        }
        // `JSONDecoder` throws a type mismatch for null too, but only for this type.
        if !isLenient && kind(node) == .null { throw wrongKind(Bool.self, at: node) }
        return try missing(Bool.self, at: node)
    }

    @inline(never) private func unusualString(_ node: Int) throws -> String {
        if kind(node) == .string, let text = document.string(of: NodeIndex(node)) { return text }
        if isLenient, let value = scalar(node).text {
            return coerced(value, at: node)
        }
        return try missing(String.self, at: node)
    }

    @inline(never) private func unusualInteger<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ node: Int
    ) throws -> I {
        if let text = numberText(node) {
            if let value = NumberText.integer(type, text) { return value }
            throw corrupted(.doesNotFit(text, "\(type)"), at: node)
        }
        if isLenient, let value = scalar(node).integer(type) {
            return coerced(value, at: node)
        }
        return try missing(type, at: node)
    }

    @inline(never) private func unusualDouble(_ node: Int) throws -> Double {
        try unusualFloatingPoint(Double.self, node)
    }

    @inline(never) private func unusualFloat(_ node: Int) throws -> Float {
        try unusualFloatingPoint(Float.self, node)
    }

    private func unusualFloatingPoint<
        F: BinaryFloatingPoint & LosslessStringConvertible & Decodable
    >(
        _ type: F.Type,
        _ node: Int
    ) throws -> F {
        if let text = numberText(node) {
            if let value = F(text), NumberText.isRepresented(text, by: value) { return value }
            throw corrupted(.doesNotFit(text, "\(type)"), at: node)
        }
        if case .convertFromString(let plus, let minus, let nan) =
            options.nonConformingFloatDecodingStrategy,
            kind(node) == .string, let text = document.string(of: NodeIndex(node))
        {
            if text == plus { return .infinity }
            if text == minus { return -.infinity }
            if text == nan { return .nan }
        }
        if isLenient, let value = scalar(node).floatingPoint(type) {
            return coerced(value, at: node)
        }
        return try missing(type, at: node)
    }
}
