// The parser predicts the indentation of the next line and the length of the next key from the previous ones at
// the same index and indentation. If the scan confirms the prediction, it goes on from the predicted position, so the
// processor need not finish one scan before it begins the next. That saves a fifth of the time for
// pretty-printed text. `cscan_opaque` keeps the compiler from undoing it.

/// Reads JSON text into nodes, without recursion and without copying.
///
/// `readValue` goes down through opening brackets to a scalar, `readSeparator` up through closing brackets
/// to the next comma. Everything is inlined into `run`, where all fields live in registers. A method that
/// takes `self` by reference and is not inlined would move them all to memory, so slow paths are static.
struct TreeParser<Scanner: StringScanner> {
    /// Values between two publications.
    static var batch: Int { 4096 }
    /// The number of remembered key lengths, by index and indentation; a power of two.
    static var keyPlaces: Int { 64 }

    let text: UnsafePointer<UInt8>
    let end: Int
    /// Whether the text is only the beginning of the document.
    let isCut: Bool
    /// The parse pauses at the first publication after this byte.
    let stop: Int
    let limits: ParseLimits
    let publication: Unmanaged<PublishedCount>
    let nodes: UnsafeMutablePointer<Node>
    let containers: UnsafeMutablePointer<Container>
    /// The container of the outermost values: 0, the array of a sequence, or `Node.noContainer`.
    let base: UInt32
    /// Where and how the parse was entered, for a pause before the first value.
    let start: Int
    let entry: ParseState.Entry
    let startKeyBits: UInt64

    var at: Int
    /// Where the next node goes.
    var slot: UnsafeMutablePointer<Node>
    var containerCount: Int
    var open: UInt32
    /// The bracket that closes the innermost container; 0 between outermost values.
    var closer: UInt8
    var childCount: UInt32
    var mark: Int
    var keyBits: UInt64
    /// When `slot` reaches this, the nodes are published.
    var nextPublication: UnsafeMutablePointer<Node>
    /// The length of the previous white space between values, as a guess for the next.
    var indent = 0
    /// The previous key lengths by index and indentation, as guesses for the next.
    let keyLengths: UnsafeMutablePointer<Int>
    var isInLine = false
    var outcome = ParseState.Outcome.paused

    init(
        _ text: UnsafePointer<UInt8>,
        end: Int,
        isCut: Bool = false,
        stop: Int = .max,
        limits: ParseLimits = ParseLimits(),
        target: ParseTarget,
        resuming state: ParseState,
        keyLengths: UnsafeMutablePointer<Int>
    ) {
        self.keyLengths = keyLengths
        self.text = text
        self.end = end
        self.isCut = isCut
        self.stop = stop
        self.limits = limits
        publication = target.publication
        nodes = target.nodes
        containers = target.containers
        base = target.form == .sequence ? 0 : Node.noContainer
        start = state.at
        entry = state.entry
        startKeyBits = state.keyBits
        keyBits = state.keyBits
        at = state.at
        mark = state.at
        slot = nodes + state.nodeCount
        containerCount = state.containerCount
        open = state.open
        childCount = state.childCount
        nextPublication = nodes + min(state.nodeCount + Self.batch, limits.nodes)
        let isOutermost = open == base || open == Node.noContainer
        closer = isOutermost ? 0 : containers[Int(open)].closer
    }

    /// Computed with a shift, because subtracting pointers would divide.
    @inline(always) var nodeCount: Int {
        let size = UInt(bitPattern: slot) &- UInt(bitPattern: nodes)
        return Int(bitPattern: size &>> 3)
    }

    /// Parses until the end, a fault or a pause, publishes the nodes and returns the state.
    static func run(
        _ text: UnsafePointer<UInt8>,
        end: Int,
        isCut: Bool = false,
        stop: Int = .max,
        limits: ParseLimits = ParseLimits(),
        target: ParseTarget,
        resuming state: ParseState
    ) -> ParseState {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: keyPlaces) { lengths in
            lengths.initialize(repeating: 0)
            guard let keyLengths = lengths.baseAddress else { return state }
            let parser = TreeParser(
                text,
                end: end,
                isCut: isCut,
                stop: stop,
                limits: limits,
                target: target,
                resuming: state,
                keyLengths: keyLengths
            )
            return parser.run()
        }
    }

    private func run() -> ParseState {
        var parser = self
        if parser.enter() {
            while parser.readValue(), parser.readSeparator() {}
        }
        // A copy, so that nothing takes the address of the one in registers.
        var stopped = parser
        return stopped.leave()
    }

    // MARK: - In and out

    /// Moves to the next value; false if there is none.
    @inline(always) private mutating func enter() -> Bool {
        switch entry {
        case .start: return begin()
        case .container: return enterContainer()
        case .separator: return readSeparator()
        case .value: return true
        case .line:
            at = Self.lineEnd(text, at, end)
            isInLine = at >= end && isCut
            mark = at
            return isInLine ? false : readSeparator()
        }
    }

    /// The end of a broken line of a sequence: a line feed or a record separator.
    @inline(never) private static func lineEnd(
        _ text: UnsafePointer<UInt8>,
        _ start: Int,
        _ end: Int
    ) -> Int {
        var at = start
        while at < end && text[at] != 0x0A && text[at] != 0x1E { at &+= 1 }
        return at
    }

    @inline(always) private mutating func begin() -> Bool {
        // RFC 8259, section 8.1: a byte order mark may be ignored.
        if text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF { at = 3 }
        if text[0] == 0xEF && isCut && end < 3 { return false }
        if base == Node.noContainer {
            skipWhitespace()
            return true
        }
        if nodeCount == 0 {
            addContainer(.array, at: 0)
            open = 0
            slot += 1
            containerCount = 1
        }
        return readSeparator()
    }

    @inline(always) private mutating func enterContainer() -> Bool {
        if open == base { return readSeparator() }
        skipWhitespace()
        if text[at] == closer { return readSeparator() }
        return closer == 0x7D ? readKey() : true
    }

    @inline(never) private mutating func leave() -> ParseState {
        if open != Node.noContainer { containers.writeCount(Int(open), childCount) }
        if isCut, outcome == .fault(.unexpectedEnd) { outcome = .paused }
        at = outcome == .paused ? mark : min(at, end)
        if outcome == .complete && base == 0 { closeSequence() }
        ParseTarget.publish(
            publication,
            nodeCount: nodeCount,
            containerCount: containerCount,
            at: at
        )
        let isUntouched = mark == start
        return ParseState(
            at: at,
            nodeCount: nodeCount,
            containerCount: containerCount,
            open: open,
            childCount: childCount,
            entry: isInLine
                ? .line : isUntouched ? entry : childCount == 0 ? .container : .separator,
            keyBits: isUntouched ? startKeyBits : 0,
            mark: mark,
            outcome: outcome
        )
    }

    /// Closes the array of a sequence, which has no closing bracket.
    private mutating func closeSequence() {
        containers.writeBounds(0, containers[0].bounds | UInt64(truncatingIfNeeded: end))
        containers.writeExtent(0, UInt32(truncatingIfNeeded: nodeCount))
    }

    @inline(always) mutating func fail(_ kind: DocumentFault.Kind) -> Bool {
        outcome = .fault(at >= end ? .unexpectedEnd : kind)
        return false
    }

    /// Publishes a full batch of nodes; false at a limit or if the parse is to pause.
    @inline(always) mutating func publishBatch() -> Bool {
        if _fastPath(slot < nextPublication) { return true }
        containers.writeCount(Int(open), childCount)
        ParseTarget.publish(
            publication,
            nodeCount: nodeCount,
            containerCount: containerCount,
            at: at
        )
        let reached = limits.reached(nodeCount: nodeCount, containerCount: containerCount, at: at)
        if let reached {
            outcome = .fault(reached)
            return false
        }
        nextPublication = nodes + min(nodeCount &+ Self.batch, limits.nodes)
        return at < stop
    }
}

/// The limits of the node layout and of a tree's memory; lower only in tests.
struct ParseLimits {
    /// Below the layout's limit, because a batch may exceed it before it is checked.
    var nodes = Int(UInt32.max) - 0x10000
    var textLength = Int(Node.payloadMask)
    var memory = TreeMemoryLimit.standard

    /// The limit that a parse has reached at an offset; nil if it may continue.
    func reached(nodeCount: Int, containerCount: Int, at offset: Int) -> DocumentFault.Kind? {
        if nodeCount >= nodes { return .tooManyValues }
        let size =
            nodeCount * MemoryLayout<Node>.size + containerCount * MemoryLayout<Container>.size
        return size > memory.size(ofText: offset) ? .treeTooLarge : nil
    }
}

/// The limit on the memory of a text's tree.
///
/// A value takes 8 bytes and a container 32 more, so a text of only brackets would take forty times its size.
/// The limit depends on the bytes parsed so far rather than on the whole text, so that it is reached at the
/// same offset however fast the text arrives.
public struct TreeMemoryLimit: Sendable, Hashable {
    /// The bytes that every tree may take.
    public var base: Int
    /// The additional bytes for each byte of text.
    public var perTextByte: Int

    /// 512 MiB plus 8 bytes for each byte of text.
    ///
    /// Of the texts that people write, arrays of one-digit numbers come closest, with 4 bytes for each byte.
    public static let standard = TreeMemoryLimit(base: 512 << 20, perTextByte: 8)

    /// No limit other than that of the node layout.
    public static let unlimited = TreeMemoryLimit(base: .max, perTextByte: 0)

    /// Creates a limit.
    public init(base: Int, perTextByte: Int) {
        self.base = base
        self.perTextByte = perTextByte
    }

    /// The bytes that a tree may take after `count` bytes of its text.
    func size(ofText count: Int) -> Int {
        let (more, isHuge) = count.multipliedReportingOverflow(by: perTextByte)
        let (sum, isLarger) = base.addingReportingOverflow(more)
        return isHuge || isLarger ? .max : sum
    }
}

/// The memory that a parser writes to and publishes to readers.
///
/// Only plain values, because a counted reference would keep the parser's fields in memory. The
/// document owns the memory and outlives the parse.
struct ParseTarget {
    let form: DocumentForm
    let nodes: UnsafeMutablePointer<Node>
    let containers: UnsafeMutablePointer<Container>
    let publication: Unmanaged<PublishedCount>

    @inline(never) static func publish(
        _ publication: Unmanaged<PublishedCount>,
        nodeCount: Int,
        containerCount: Int,
        at: Int
    ) {
        publication.takeUnretainedValue()
            .advance(nodeCount: nodeCount, containerCount: containerCount, parsedBytes: at)
    }
}
