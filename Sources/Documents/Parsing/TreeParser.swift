// The parser guesses the indentation of the next line and the length of the next key from the last
// ones at the same place, and goes on from the guess when the scan agrees: the processor does not
// wait for one scan to begin the next (a fifth of the time of pretty printed text). `cscan_opaque`
// keeps the compiler from undoing it.

/// Reads JSON text into nodes, without recursion and without copying.
///
/// One value after the other: `readValue` goes down through opening brackets to a scalar,
/// `readSeparator` up through closing brackets to the next comma. Everything is inlined into
/// `run`, where all fields live in registers: a method that takes `self` by reference and is not
/// inlined would move them all to memory, so slow paths are static.
struct TreeParser<Scanner: StringScanner> {
    /// Values between two publications.
    static var batch: Int { 4096 }
    /// Places whose keys' lengths are remembered; a power of two.
    static var keyPlaces: Int { 64 }

    let text: UnsafePointer<UInt8>
    let end: Int
    /// The text is a window: its end is not the document's.
    let isCut: Bool
    /// Pause at the first publication behind this byte.
    let stop: Int
    let limits: ParseLimits
    let publication: Unmanaged<PublishedCount>
    let nodes: UnsafeMutablePointer<Node>
    let containers: UnsafeMutablePointer<Container>
    /// What is open between the outermost values: the list of a sequence, or nothing.
    let base: UInt32
    /// Where and how it was entered, for a pause before the first value.
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
    /// From this slot on readers get to see what is there.
    var nextPublication: UnsafeMutablePointer<Node>
    /// The white space behind the comma before.
    var indent = 0
    /// How long the keys were at these places of objects before.
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

    /// Without the division of a pointer difference.
    @inline(always) var nodeCount: Int {
        let size = UInt(bitPattern: slot) &- UInt(bitPattern: nodes)
        return Int(bitPattern: size &>> 3)
    }

    /// Parses until the end, a fault or a pause, publishes, and returns where it stands.
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

    /// Goes to the value that comes next.
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

    /// Where a broken line of a sequence ends: at a line feed or a record separator.
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

    /// The list of a sequence has no bracket that would close it.
    private mutating func closeSequence() {
        containers.writeBounds(0, containers[0].bounds | UInt64(truncatingIfNeeded: end))
        containers.writeExtent(0, UInt32(truncatingIfNeeded: nodeCount))
    }

    @inline(always) mutating func fail(_ kind: DocumentFault.Kind) -> Bool {
        outcome = .fault(at >= end ? .unexpectedEnd : kind)
        return false
    }

    /// Lets readers have what is there; false when it is time to pause.
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

/// Where a parser writes, and how it tells readers.
///
/// Plain values only: a reference that is counted would keep the parser's fields in memory. The
/// document, which owns all of it, outlives the parse.
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
