extension Array: DirectlyDecodable where Element: Decodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> [Element] {
        guard context.kind(node) == .array else { throw context.mismatch([Any].self, at: node) }
        try context.enter(node)
        defer { context.depth &-= 1 }
        if let elements = try context.scalars(Element.self, in: node) { return elements }
        let plan = context.plans.plan(for: Element.self)
        var elements: [Element] = []
        elements.reserveCapacity(context.nodes.childCount(node))
        var at = node &+ 1
        let end = context.nodes.next(node)
        if context.skipsElements {
            while at < end {
                if let element = try context.element(Element.self, at: at, plan) {
                    elements.append(element)
                }
                at = context.nodes.next(at)
            }
            return elements
        }
        while at < end {
            // Appended as it is returned, it is not copied.
            elements.append(try context.value(Element.self, at: at, plan))
            at = context.nodes.next(at)
        }
        return elements
    }
}

extension DecodingContext {
    /// An array of the commonest scalars, in a loop that is compiled for them; nil for other types.
    @inline(__always) func scalars<Element>(_ type: Element.Type, in node: Int) throws -> [Element]?
    {
        if isLenient { return nil }
        if type == String.self {
            return unsafeBitCast(try scalars(in: node) { try string($0) }, to: [Element].self)
        }
        if type == Int.self {
            return unsafeBitCast(
                try scalars(in: node) { try integer(Int.self, $0) },
                to: [Element].self
            )
        }
        if type == Double.self {
            return unsafeBitCast(try scalars(in: node) { try double($0) }, to: [Element].self)
        }
        return nil
    }

    @inline(__always) private func scalars<Scalar>(
        in node: Int,
        _ read: (Int) throws -> Scalar
    ) throws -> [Scalar] {
        let end = nodes.next(node)
        var elements: [Scalar] = []
        elements.reserveCapacity(nodes.childCount(node))
        var at = node &+ 1
        while at < end {
            // A container is no scalar: read throws.
            elements.append(try read(at))
            at &+= 1
        }
        return elements
    }
}
