/// What goes down with a mapping, from the outermost value to the innermost.
public struct MappingScope {
    /// Types that contain themselves recurse: a document may be deeper than the stack.
    static let deepest = 512

    /// What the caller handed in.
    public let context: (any MapContext)?
    /// Whether an element that cannot be mapped fails its array, or is left out of it.
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
