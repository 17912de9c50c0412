/// What the layout of the nodes can hold, and what a tree may cost; smaller only in tests.
struct ParseLimits {
    /// A batch may go over the limit before it is seen, so there is room behind it.
    var nodes = Int(UInt32.max) - 0x10000
    var textLength = Int(Node.payloadMask)
    var memory = TreeMemoryLimit.standard

    /// The limit that a parse has reached at a byte; nil when it may go on.
    func reached(nodeCount: Int, containerCount: Int, at offset: Int) -> DocumentFault.Kind? {
        if nodeCount >= nodes { return .tooManyValues }
        let size =
            nodeCount * MemoryLayout<Node>.size + containerCount * MemoryLayout<Container>.size
        return size > memory.size(ofText: offset) ? .treeTooLarge : nil
    }
}

/// How much memory the tree of a text may take.
///
/// A value costs 8 bytes and a container 32 more, so a text of brackets alone costs forty times
/// itself. It is counted against what was parsed so far, so that where the limit is met does not
/// depend on how fast the text comes.
public struct TreeMemoryLimit: Sendable, Hashable {
    /// What every tree may take, in bytes.
    public var base: Int
    /// What it may take more for each byte of its text.
    public var perTextByte: Int

    /// 512 MiB and 8 bytes for each byte of text.
    ///
    /// Of what people write, arrays of one-digit numbers come nearest: 4 bytes for each byte.
    public static let standard = TreeMemoryLimit(base: 512 << 20, perTextByte: 8)

    /// No limit but the layout's.
    public static let unlimited = TreeMemoryLimit(base: .max, perTextByte: 0)

    /// Sets a limit.
    public init(base: Int, perTextByte: Int) {
        self.base = base
        self.perTextByte = perTextByte
    }

    /// What a tree may take when so many bytes of its text are parsed.
    func size(ofText count: Int) -> Int {
        let (more, isHuge) = count.multipliedReportingOverflow(by: perTextByte)
        let (sum, isLarger) = base.addingReportingOverflow(more)
        return isHuge || isLarger ? .max : sum
    }
}
