import CScan

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
    let publication: Unmanaged<Publication>
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

    @inline(always) private mutating func fail(_ kind: DocumentFault.Kind) -> Bool {
        outcome = .fault(at >= end ? .unexpectedEnd : kind)
        return false
    }

    /// Lets readers have what is there; false when it is time to pause.
    @inline(always) private mutating func publishBatch() -> Bool {
        if _fastPath(slot < nextPublication) { return true }
        containers.writeCount(Int(open), childCount)
        ParseTarget.publish(
            publication,
            nodeCount: nodeCount,
            containerCount: containerCount,
            at: at
        )
        if nodeCount >= limits.nodes {
            outcome = .fault(.tooManyValues)
            return false
        }
        nextPublication = nodes + min(nodeCount &+ Self.batch, limits.nodes)
        return at < stop
    }

    // MARK: - Values

    @inline(always) private mutating func readValue() -> Bool {
        while true {
            switch text[at] {
            case 0x22: return readString()
            case 0x2D, 0x30...0x39: return readNumber()
            case 0x74: return readLiteral(0x6575_7274, from: at, length: 4, kind: .true)
            case 0x66: return readLiteral(0x6573_6C61, from: at &+ 1, length: 5, kind: .false)
            case 0x6E: return readLiteral(0x6C6C_756E, from: at, length: 4, kind: .null)
            case 0x7B:
                openContainer(.object)
                if text[at] == 0x7D { return true }
                guard readKey() else { return false }
            case 0x5B:
                openContainer(.array)
                if text[at] == 0x5D { return true }
            default: return fail(.expectedValue)
            }
            guard publishBatch() else { return false }
        }
    }

    @inline(always) private mutating func append(_ start: Int, _ kind: ValueKind, flags: UInt64) {
        slot.pointee = Node(
            bits: UInt64(truncatingIfNeeded: start) | kind.nodeBits | keyBits | flags
        )
        slot += 1
        childCount &+= 1
    }

    /// Writes a container's entry and node behind the last ones.
    @inline(always) private mutating func addContainer(_ kind: ValueKind, at offset: Int) {
        slot.pointee = Node(
            bits: UInt64(truncatingIfNeeded: containerCount) | kind.nodeBits | keyBits
        )
        let objectBit = kind == .object ? Container.objectBit : 0
        containers[containerCount] = Container(
            start: UInt64(truncatingIfNeeded: offset) | depthBits,
            bounds: Container.ordinalBits(childCount) | objectBit,
            node: UInt32(truncatingIfNeeded: nodeCount),
            parent: open,
            count: 0,
            extent: 0
        )
    }

    /// One level below the innermost container.
    @inline(always) private var depthBits: UInt64 {
        open == Node.noContainer ? 0 : containers[Int(open)].innerDepthBits
    }

    @inline(always) private mutating func openContainer(_ kind: ValueKind) {
        addContainer(kind, at: at)
        if open != Node.noContainer { containers.writeCount(Int(open), childCount &+ 1) }
        open = UInt32(truncatingIfNeeded: containerCount)
        closer = kind == .object ? 0x7D : 0x5D
        slot += 1
        containerCount &+= 1
        childCount = 0
        at &+= 1
        mark = at
        keyBits = 0
        skipWhitespace()
    }

    @inline(always) private mutating func readString() -> Bool {
        let start = at
        at &+= 1
        var escapes: UInt64 = 0
        guard scanString(&escapes) else { return false }
        at &+= 1
        if at &- start <= Node.longestScan {
            append(start, .string, flags: escapes * Node.valueEscapeBit)
        } else {
            appendLong(start, flags: escapes * Node.valueEscapeBit)
        }
        return true
    }

    /// A string whose end nobody should scan for: it has an entry beside the containers.
    @inline(always) private mutating func appendLong(_ start: Int, flags: UInt64) {
        containers[containerCount] = Container(
            start: UInt64(truncatingIfNeeded: start) | depthBits,
            bounds: UInt64(truncatingIfNeeded: at) | Container.ordinalBits(childCount)
                | Container.stringBit,
            node: UInt32(truncatingIfNeeded: nodeCount),
            parent: open,
            count: 0,
            extent: 1
        )
        append(containerCount, .string, flags: flags | Node.longBit)
        containerCount &+= 1
    }

    @inline(always) private mutating func readKey() -> Bool {
        guard text[at] == 0x22 else { return fail(.expectedKey) }
        let start = at
        at &+= 1
        var escapes: UInt64 = 0
        let quote = Scanner.next(text, at)
        if text[quote] == 0x22 {
            let place = (Int(truncatingIfNeeded: childCount) &+ indent &* 8) & (Self.keyPlaces &- 1)
            let guess = keyLengths[place]
            if quote &- start == guess {
                at = start &+ cscan_opaque(guess)
            } else {
                keyLengths[place] = quote &- start
                at = quote
            }
        } else {
            guard scanString(&escapes) else { return false }
        }
        at &+= 1
        if text[at] != 0x3A {
            skipWhitespace()
            guard text[at] == 0x3A else { return fail(.expectedColon) }
        }
        at &+= 1
        skipBlank()
        keyBits = Node.keyBits(from: start, to: at, flag: escapes * Node.keyEscapeBit)
        return true
    }

    @inline(always) private mutating func readNumber() -> Bool {
        let start = at
        var kind = ValueKind.integer
        if text[at] == 0x2D { at &+= 1 }
        if text[at] == 0x30 {
            at &+= 1
        } else {
            guard skipDigits() else { return fail(.badNumber) }
        }
        if text[at] == 0x2E {
            kind = .decimal
            at &+= 1
            guard skipFraction() else { return fail(.badNumber) }
        }
        if text[at] | 0x20 == 0x65 {
            kind = .decimal
            at &+= 1
            if text[at] == 0x2B || text[at] == 0x2D { at &+= 1 }
            guard skipFraction() else { return fail(.badNumber) }
        }
        // More digits may follow behind the window.
        if isCut && at >= end { return fail(.unexpectedEnd) }
        append(start, kind, flags: 0)
        return true
    }

    @inline(always) private mutating func readLiteral(
        _ word: UInt32,
        from: Int,
        length: Int,
        kind: ValueKind
    ) -> Bool {
        let start = at
        guard Self.load32(text, from) == word else {
            at = Self.firstMismatch(text, from, word)
            return fail(.badLiteral)
        }
        at &+= length
        append(start, kind, flags: 0)
        return true
    }

    // MARK: - Between values

    /// Goes past closing brackets and a comma to the next value; false at the end or a fault.
    @inline(always) private mutating func readSeparator() -> Bool {
        while true {
            mark = at
            if text[at] <= 0x20 { skipIndent() }
            let byte = text[at]
            if byte == 0x2C && closer != 0 {
                guard publishBatch() else { return false }
                at &+= 1
                if text[at] <= 0x20 { skipIndent() }
                return closer == 0x7D ? readKey() : true
            }
            guard closer != 0 else { return readOutermost() }
            guard byte == closer else {
                return fail(closer == 0x7D ? .expectedCommaOrBrace : .expectedCommaOrBracket)
            }
            closeContainer()
        }
    }

    /// Between outermost values: the next one of a sequence, or the end.
    @inline(always) private mutating func readOutermost() -> Bool {
        if base == 0 && at < end {
            let isTight = at == mark && childCount != 0
            while text[at] == 0x1E || text[at] <= 0x20 && at < end {
                let before = at
                if text[at] == 0x1E { at &+= 1 }
                skipWhitespace()
                if at == before { return fail(.expectedValue) }
            }
            if at < end {
                guard publishBatch() else { return false }
                if isTight && at == mark && !mayFollow() { return fail(.trailingBytes) }
                return true
            }
        }
        if at < end { return fail(.trailingBytes) }
        if isCut { return fail(.unexpectedEnd) }
        outcome = .complete
        return false
    }

    /// Whether two values may touch here: only where a bracket or a quote keeps them apart.
    @inline(always) private func mayFollow() -> Bool {
        let before = text[at &- 1]
        let byte = text[at]
        return before == 0x5D || before == 0x7D || before == 0x22
            || byte == 0x5B || byte == 0x7B || byte == 0x22
    }

    @inline(always) private mutating func closeContainer() {
        let closing = Int(open)
        let container = containers[closing]
        at &+= 1
        containers.writeCount(closing, childCount)
        containers.writeBounds(closing, container.bounds | UInt64(truncatingIfNeeded: at))
        // Last, with release: who sees it sees the two above.
        containers.writeExtent(closing, UInt32(truncatingIfNeeded: nodeCount) &- container.node)
        open = container.parent
        keyBits = 0
        guard open != Node.noContainer else {
            closer = 0
            return
        }
        childCount = containers[Int(open)].count
        closer = open == base ? 0 : containers[Int(open)].closer
    }
}
