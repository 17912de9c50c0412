/// What was built for lookups in large containers, by the container's node.
struct LookupIndexes {
    var children: [NodeIndex: ChildIndex] = [:]
    /// Nil where somebody asked once: the second time is worth a table.
    var members: [NodeIndex: MemberIndex?] = [:]
}
