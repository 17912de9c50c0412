/// Names are data here: no key strategy touches them.
extension Dictionary: DirectlyDecodable where Key == String, Value: Decodable {
    static func decodeDirectly(
        from node: Int,
        in context: DecodingContext
    ) throws -> [String: Value] {
        guard context.kind(node) == .object else {
            throw context.mismatch([String: Any].self, at: node)
        }
        try context.enter(node)
        defer { context.depth &-= 1 }
        let plan = context.plans.plan(for: Value.self)
        var members: [String: Value] = [:]
        members.reserveCapacity(context.nodes.childCount(node))
        var at = node &+ 1
        let end = context.nodes.next(node)
        while at < end {
            if let value = try context.element(Value.self, at: at, plan) {
                members[context.document.key(of: NodeIndex(at)) ?? ""] = value
            }
            at = context.nodes.next(at)
        }
        return members
    }
}
