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

    var at: Int
    var nodeCount: Int
    var containerCount: Int
    var open: UInt32
    var openIsObject: Bool
    var childCount: UInt32
    var depth: UInt64
    var mark: Int
    var keyOffset = -1
    var keyFlag: UInt64 = 0
    var nextPublication: Int
    var outcome = ParseState.Outcome.paused

    init(
        _ text: UnsafePointer<UInt8>,
        end: Int,
        isCut: Bool = false,
        stop: Int = .max,
        limits: ParseLimits = ParseLimits(),
        target: ParseTarget,
        resuming state: ParseState
    ) {
        self.text = text
        self.end = end
        self.isCut = isCut
        self.stop = stop
        self.limits = limits
        publication = target.publication
        nodes = target.nodes
        containers = target.containers
        at = state.at
        mark = state.at
        nodeCount = state.nodeCount
        containerCount = state.containerCount
        open = state.open
        childCount = state.childCount
        depth = state.depth
        nextPublication = min(state.nodeCount + Self.batch, limits.nodes)
        openIsObject = false
        if open != Node.noContainer { openIsObject = Self.isObject(open, nodes, containers) }
    }

    /// Parses until the end, a fault or a pause, publishes, and returns where it stands.
    func run() -> ParseState {
        var parser = self
        if parser.enter() {
            while parser.readValue(), parser.readSeparator() {}
        }
        // A copy, so that nothing takes the address of the one in registers.
        var stopped = parser
        return stopped.leave()
    }

    // MARK: - In and out

    /// Goes to the first value, or to that at which a parse was paused.
    @inline(always) private mutating func enter() -> Bool {
        if nodeCount == 0 {
            // RFC 8259, section 8.1: a byte order mark may be ignored.
            if at == 0 && text[0] == 0xEF && text[1] == 0xBB && text[2] == 0xBF { at = 3 }
            skipWhitespace()
            return true
        }
        return open != Node.noContainer && childCount == 0 ? enterContainer() : readSeparator()
    }

    @inline(always) private mutating func enterContainer() -> Bool {
        skipWhitespace()
        if text[at] == (openIsObject ? 0x7D : 0x5D) { return readSeparator() }
        return openIsObject ? readKey() : true
    }

    @inline(never) private mutating func leave() -> ParseState {
        if open != Node.noContainer { containers.writeCount(Int(open), childCount) }
        if isCut, outcome == .fault(.unexpectedEnd) { outcome = .paused }
        switch outcome {
        case .paused: at = mark
        case .complete: break
        case .fault:
            at = min(at, end)
            closeOpenContainers()
        }
        ParseTarget.publish(
            publication,
            nodeCount: nodeCount,
            containerCount: containerCount,
            at: at
        )
        return ParseState(
            at: at,
            nodeCount: nodeCount,
            containerCount: containerCount,
            open: open,
            childCount: childCount,
            depth: depth,
            outcome: outcome
        )
    }

    /// Ends what a fault left open, so that the part before it is a tree like any other.
    private mutating func closeOpenContainers() {
        while open != Node.noContainer {
            let container = containers[Int(open)]
            let node = Int(container.node)
            containers.writeBounds(Int(open), container.bounds | UInt64(truncatingIfNeeded: at))
            nodes.writeHead(node, nodes[node].head | Node.incompleteBit)
            nodes.writeExtent(node, UInt32(truncatingIfNeeded: nodeCount &- node))
            open = container.parent
        }
    }

    @inline(always) private mutating func fail(_ kind: DocumentFault.Kind) -> Bool {
        outcome = .fault(at >= end ? .unexpectedEnd : kind)
        return false
    }

    /// Lets readers have what is there; false when it is time to pause.
    @inline(always) private mutating func publishBatch() -> Bool {
        if nodeCount < nextPublication { return true }
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
        nextPublication = min(nodeCount &+ Self.batch, limits.nodes)
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
        nodes[nodeCount] = Node(
            head: head(start, kind) | flags,
            link: UInt32(truncatingIfNeeded: at &- start),
            extent: open
        )
        nodeCount &+= 1
        childCount &+= 1
    }

    @inline(always) private func head(_ start: Int, _ kind: ValueKind) -> UInt64 {
        let plain = UInt64(truncatingIfNeeded: start) | UInt64(kind.rawValue) &<< 56
        if keyOffset < 0 { return plain }
        let distance = min(start &- keyOffset, Node.longKey)
        return plain | UInt64(truncatingIfNeeded: distance) &<< 40 | keyFlag
    }

    @inline(always) private mutating func openContainer(_ kind: ValueKind) {
        nodes[nodeCount] = Node(
            head: head(at, kind),
            link: UInt32(truncatingIfNeeded: containerCount),
            extent: 0
        )
        containers[containerCount] = Container(
            bounds: min(depth, Container.largestDepth) &<< 40,
            node: UInt32(truncatingIfNeeded: nodeCount),
            parent: open,
            count: 0,
            ordinal: childCount
        )
        if open != Node.noContainer { containers.writeCount(Int(open), childCount &+ 1) }
        open = UInt32(truncatingIfNeeded: containerCount)
        openIsObject = kind == .object
        nodeCount &+= 1
        containerCount &+= 1
        childCount = 0
        depth &+= 1
        at &+= 1
        mark = at
        keyOffset = -1
        keyFlag = 0
        skipWhitespace()
    }

    @inline(always) private mutating func readString() -> Bool {
        let start = at
        at &+= 1
        var escapes: UInt64 = 0
        guard scanString(&escapes) else { return false }
        at &+= 1
        guard at &- start <= limits.valueLength else { return failLength() }
        append(start, .string, flags: escapes * Node.valueEscapeBit)
        return true
    }

    @inline(always) private mutating func readKey() -> Bool {
        guard text[at] == 0x22 else { return fail(.expectedKey) }
        let start = at
        at &+= 1
        var escapes: UInt64 = 0
        guard scanString(&escapes) else { return false }
        at &+= 1
        guard at &- start <= limits.valueLength else { return failLength() }
        if text[at] != 0x3A {
            skipWhitespace()
            guard text[at] == 0x3A else { return fail(.expectedColon) }
        }
        at &+= 1
        skipWhitespace()
        keyOffset = start
        keyFlag = escapes * Node.keyEscapeBit
        return true
    }

    @inline(always) private mutating func failLength() -> Bool {
        outcome = .fault(.valueTooLong)
        return false
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
            guard skipDigits() else { return fail(.badNumber) }
        }
        if text[at] | 0x20 == 0x65 {
            kind = .decimal
            at &+= 1
            if text[at] == 0x2B || text[at] == 0x2D { at &+= 1 }
            guard skipDigits() else { return fail(.badNumber) }
        }
        // More digits may follow behind the window.
        if isCut && at >= end { return fail(.unexpectedEnd) }
        guard at &- start <= limits.valueLength else { return failLength() }
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
            if text[at] <= 0x20 { skipWhitespace() }
            guard open != Node.noContainer else { return finish() }
            let byte = text[at]
            if byte == 0x2C && childCount != 0 {
                guard publishBatch() else { return false }
                at &+= 1
                skipWhitespace()
                return openIsObject ? readKey() : true
            }
            guard byte == (openIsObject ? 0x7D : 0x5D) else {
                return fail(openIsObject ? .expectedCommaOrBrace : .expectedCommaOrBracket)
            }
            closeContainer()
        }
    }

    @inline(always) private mutating func finish() -> Bool {
        if at < end { return fail(.trailingBytes) }
        if isCut { return fail(.unexpectedEnd) }
        outcome = .complete
        return false
    }

    @inline(always) private mutating func closeContainer() {
        let closing = Int(open)
        let container = containers[closing]
        let node = Int(truncatingIfNeeded: container.node)
        containers.writeCount(closing, childCount)
        containers.writeBounds(closing, container.bounds | UInt64(truncatingIfNeeded: at))
        // Last, with release: who sees it sees the two above.
        nodes.writeExtent(node, UInt32(truncatingIfNeeded: nodeCount &- node))
        open = container.parent
        depth &-= 1
        at &+= 1
        keyOffset = -1
        keyFlag = 0
        if open != Node.noContainer {
            childCount = containers[Int(open)].count
            openIsObject = Self.isObject(open, nodes, containers)
        }
    }

    @inline(always) private static func isObject(
        _ container: UInt32,
        _ nodes: UnsafeMutablePointer<Node>,
        _ containers: UnsafeMutablePointer<Container>
    ) -> Bool {
        let node = Int(truncatingIfNeeded: containers[Int(container)].node)
        return nodes[node].kindBits == ValueKind.object.rawValue
    }
}
