/// What the layout of the nodes can hold; smaller only in tests.
struct ParseLimits {
    /// A batch may go over the limit before it is seen, so there is room behind it.
    var nodes = Int(UInt32.max) - 0x10000
    var textLength = Int(Node.payloadMask)
}
