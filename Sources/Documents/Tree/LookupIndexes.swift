/// What was built for lookups in large containers, by the container's node, and what took long to
/// find: a screen asks for the same few values again with every frame.
struct LookupIndexes {
    var children: [NodeIndex: ChildIndex] = [:]
    /// Nil where somebody asked once: the second time is worth a table.
    var members: [NodeIndex: MemberIndex?] = [:]
    /// The keys of more than 64 KiB that somebody asked for.
    var longKeys: [NodeIndex: Range<Int>] = [:]
    /// The last container that ends in front of a value, when many end there at once; there may be
    /// none.
    private(set) var endsBefore: [NodeIndex: UInt32] = [:]

    /// More than a screen has rows.
    private static let mostEnds = 4096

    mutating func noteEnd(_ container: UInt32, before node: NodeIndex) {
        if endsBefore.count >= Self.mostEnds { endsBefore = [:] }
        endsBefore[node] = container
    }
}
