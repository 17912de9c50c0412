/// What one call of `decode` works with: the document, the strategies, and what it has learnt.
///
/// Everything that is decoded in one call shares it; it never leaves the call's thread. A node
/// number of -1 stands for a value that is not there and reads as null.
final class DecodingContext {
    static let nothing = -1

    let document: Document
    let nodes: FinishedNodes
    /// The value that was asked for; coding paths begin below it.
    let root: Int
    let options: DocumentDecoder
    let isLenient: Bool
    let hasPlainKeys: Bool

    /// Values that are being decoded inside each other.
    var depth = 0
    let plans = TypePlans()
    let containers = ContainerPool()
    var places: PlaceCounter
    var coercions: [DecodingCoercion] = []
    /// Inside a value that is made from nothing, nothing more is reported.
    var isInventing = false
    /// Whether a default was taken since this was last cleared.
    var hasInvented = false
    /// Whether defaults are reported, strict or not.
    var isReporting = false
    /// What is meant by a value that is not there.
    var missingMember: (name: String, object: Int)?
    /// Names that the snake case strategy has converted.
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
        places = PlaceCounter(base: document.bytes.base)
    }

    // MARK: - Nodes

    @inline(__always) func kind(_ node: Int) -> ValueKind {
        node < 0 ? .null : nodes.kind(node)
    }

    // MARK: - Values

    /// The value that was asked for.
    func rootValue<T: Decodable>(_ type: T.Type) throws -> T {
        defer { containers.close(self) }
        return try value(type, at: root)
    }

    @inline(__always) func value<T: Decodable>(_ type: T.Type, at node: Int) throws -> T {
        try value(type, at: node, plans.plan(for: type))
    }

    func value<T: Decodable>(_ type: T.Type, at node: Int, _ plan: TypePlan) throws -> T {
        if isLenient { return try lenientValue(type, at: node, plan) }
        return try plainValue(type, at: node, plan)
    }

    @inline(__always) func plainValue<T: Decodable>(
        _ type: T.Type,
        at node: Int,
        _ plan: TypePlan
    ) throws -> T {
        switch plan {
        case .ordinary, .defaulted: return try ordinaryValue(type, at: node)
        case .direct(let direct): return try directValue(direct, at: node)
        case .node(let keeper):
            return try nodeValue(keeper, at: node)
        }
    }

    private func ordinaryValue<T: Decodable>(_ type: T.Type, at node: Int) throws -> T {
        try enter(node)
        defer { depth &-= 1 }
        do {
            return try T(from: NodeDecoder(context: self, node: node))
        } catch let error as DecodingError {
            throw located(error, at: node)
        }
    }

    private func directValue<T, Direct: DirectlyDecodable>(
        _ direct: Direct.Type,
        at node: Int
    ) throws -> T {
        // The plan was made for T: Direct is T under another constraint.
        unsafeBitCast(try Direct.decodeDirectly(from: node, in: self), to: T.self)
    }

    private func nodeValue<T, Keeper: NodeDecodable>(
        _ keeper: Keeper.Type,
        at node: Int
    ) throws -> T {
        guard node >= 0 else { throw absent(Keeper.self, at: node) }
        do {
            let value = try Keeper(document: document, node: NodeIndex(node))
            return unsafeBitCast(value, to: T.self)
        } catch let error as DecodingError {
            throw located(error, at: node)
        }
    }

    /// One level more; `depth` goes down again at its end.
    @inline(__always) func enter(_ node: Int) throws {
        guard depth < options.maximumDepth else { throw tooDeep(node) }
        depth &+= 1
    }
}
