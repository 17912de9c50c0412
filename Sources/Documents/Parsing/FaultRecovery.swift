/// Finds the next plausible value after a fault, from which the parser can continue.
///
/// Goes back to the end of the last complete value and reads leniently from there, one value, key or
/// bracket at a time, until the parser can continue after the fault. Text that it passes over is recorded
/// as skipped. Every recovery advances in the text or closes a container, and looks ahead only a bounded
/// distance, so that all recoveries together take linear time.
///
///     missing, doubled, trailing comma     treated as correct
///     NaN, undefined, None, 01, .5, word   an irregular null that keeps its source text
///     'text', unquoted key                 an irregular string or key
///     control character, bad escape,       kept in the string, which is irregular
///       bad UTF-8, unescaped quote
///     key without value                    skipped
///     closing bracket of another kind      closes the nearest container of its kind, else skipped
///     comments, text around the root       skipped
struct FaultRecovery {
    /// How many levels up to look for the container that a closing bracket closes.
    private static let highestMatch = 64

    let text: LenientText
    let nodes: UnsafeMutablePointer<Node>
    private let containers: UnsafeMutablePointer<Container>
    let faultOffset: Int
    /// Whether the fault is in a value's own bytes.
    let isInValue: Bool
    var state: ParseState
    private var skipped: Range<Int>?
    /// The start of the key of the value being read, and where the value should begin.
    var keyStart: Int?
    var valueStart = 0
    var isOver = false

    init(
        _ state: ParseState,
        after kind: DocumentFault.Kind,
        text: LenientText,
        target: ParseTarget
    ) {
        self.text = text
        nodes = target.nodes
        containers = target.containers
        faultOffset = state.at
        isInValue = ![
            .expectedCommaOrBrace, .expectedCommaOrBracket, .expectedKey, .expectedColon,
            .trailingBytes,
        ].contains(kind)
        self.state = state
        self.state.outcome = .paused
    }

    /// The state from which the parser continues, and the range that was skipped before.
    mutating func next() -> (state: ParseState, skipped: Range<Int>) {
        state.at = state.mark
        switch state.entry {
        case .start: enterRoot()
        case .value:
            let distance = Int(truncatingIfNeeded: (state.keyBits & Node.keyMask) >> 40)
            if distance > 0 { keyStart = state.at - distance }
            valueStart = state.at
            readValue(key: state.keyBits)
        case .container, .separator, .line: extendLastValue()
        }
        while !isOver { step() }
        return (state, skipped ?? faultOffset..<faultOffset)
    }

    /// For a sequence: leaves a broken value as it is and continues at the next line.
    ///
    /// The skipped range ends with the line, or at the end of the bytes loaded so far.
    mutating func nextLine() -> (state: ParseState, skipped: Range<Int>) {
        state.at = faultOffset
        while state.open != 0 && state.open != Node.noContainer { closeIncomplete() }
        leave(.line)
        var end = faultOffset
        while end < text.end && text.base[end] != 0x0A && text.base[end] != 0x1E { end += 1 }
        return (state, faultOffset..<end)
    }

    // MARK: - Steps

    private mutating func step() {
        let start = state.at
        state.at = text.blankEnd(from: start)
        skipComments(from: start)
        guard state.at < text.end else { return leave(.separator) }
        guard state.open != Node.noContainer else {
            skip(to: text.end)
            return leave(.separator)
        }
        switch text.base[state.at] {
        case 0x2C: state.at += 1
        case 0x5D: close(isObject: false)
        case 0x7D: close(isObject: true)
        default:
            if containers[Int(state.open)].isObject { readMember() } else { readValue(key: 0) }
        }
    }

    mutating func leave(_ entry: ParseState.Entry, key: UInt64 = 0) {
        state.entry = entry
        state.keyBits = key
        isOver = true
    }

    mutating func skip(to end: Int) {
        let first = skipped?.lowerBound ?? state.at
        skipped = first..<max(end, first)
        state.at = end
    }

    /// Records comments, but not white space, as skipped.
    private mutating func skipComments(from start: Int) {
        let hasComment = (start..<state.at).contains { text.base[$0] > 0x20 }
        guard hasComment else { return }
        let end = state.at
        state.at = start
        skip(to: end)
    }

    // MARK: - Values

    /// Finds the root: the first bracket that looks like JSON, else the whole text as one value.
    private mutating func enterRoot() {
        let hasMark = text.base[0] == 0xEF && text.base[1] == 0xBB && text.base[2] == 0xBF
        state.at = text.blankEnd(from: hasMark ? 3 : 0)
        let start = state.at
        guard start < text.end else { return leave(.separator) }
        let quote = text.base[start]
        if quote == 0x22 || quote == 0x27, let end = text.stringEnd(from: start, isKey: false) {
            return append(.string, to: end, key: 0)
        }
        var at = start
        while at < text.end && !beginsContainer(at) { at += 1 }
        if at < text.end {
            skip(to: at)
            return leave(.value)
        }
        let end = text.wordEnd(from: start)
        if end > start && text.blankEnd(from: end) == text.end {
            return append(.null, to: end, key: 0)
        }
        skip(to: text.end)
        leave(.separator)
    }

    /// Whether there is an opening bracket, followed by something that may follow it.
    private func beginsContainer(_ start: Int) -> Bool {
        let bracket = text.base[start]
        guard bracket == 0x5B || bracket == 0x7B else { return false }
        var at = start + 1
        while at < text.end && text.base[at] <= 0x20 && at - start < LenientText.lookahead {
            at += 1
        }
        switch text.base[at] {
        case 0x22, 0x27: return true
        case 0x5D, 0x5B, 0x2D, 0x30...0x39: return bracket == 0x5B
        case 0x7B: return bracket == 0x5B
        case 0x7D: return bracket == 0x7B
        case 0x74, 0x66, 0x6E: return bracket == 0x5B && isLiteral(at)
        default: return false
        }
    }

    private func isLiteral(_ start: Int) -> Bool {
        [[0x74, 0x72, 0x75, 0x65], [0x66, 0x61, 0x6C, 0x73, 0x65], [0x6E, 0x75, 0x6C, 0x6C]]
            .contains {
                $0.enumerated().allSatisfy { text.base[start + $0.offset] == UInt8($0.element) }
            }
    }

    /// Reads a value at or after the current byte; stops at a comma or closing bracket.
    mutating func readValue(key: UInt64) {
        while state.at < text.end {
            let byte = text.base[state.at]
            switch byte {
            case 0x2C, 0x5D, 0x7D: return
            case 0x5B, 0x7B: return leave(.value, key: movedKey(key))
            default: break
            }
            // The parser reads whatever begins after the fault, if it may be valid.
            let isNew = isInValue ? state.at > faultOffset : state.at >= faultOffset
            if isNew && mayBegin(byte) { return leave(.value, key: movedKey(key)) }
            if byte == 0x22 || byte == 0x27 {
                if let end = text.stringEnd(from: state.at, isKey: false) {
                    return append(.string, to: end, key: key)
                }
                skip(to: byte == 0x22 ? text.end : state.at + 1)
            } else {
                let end = text.wordEnd(from: state.at)
                if end > state.at { return append(.null, to: end, key: key) }
                let blank = text.blankEnd(from: state.at)
                skip(to: max(blank, state.at + 1))
            }
        }
        leave(.separator)
    }

    private func mayBegin(_ byte: UInt8) -> Bool {
        byte == 0x22 || byte == 0x2D || byte &- 0x30 < 10 || byte == 0x74 || byte == 0x66
            || byte == 0x6E
    }

    /// The key bits of a node, adjusted to the offset at which its value was found.
    private func movedKey(_ key: UInt64) -> UInt64 {
        guard let keyStart else { return 0 }
        let distance = state.at - keyStart
        // The end of an irregular key is found by scanning from its start, which must be near.
        guard distance < Node.longKey else { return 0 }
        // The text between a key and its value may contain quotes.
        let isFar = state.at != valueStart ? Node.irregularKeyBit : 0
        return key & ~Node.keyMask | UInt64(distance) << 40 | isFar
    }

    private mutating func append(_ kind: ValueKind, to end: Int, key: UInt64) {
        let flags = kind == .string ? Node.valueEscapeBit : 0
        let kindBits = kind.nodeBits
        let bits = UInt64(truncatingIfNeeded: state.at) | kindBits | movedKey(key)
        nodes[state.nodeCount] = Node(bits: bits | flags | Node.irregularBit)
        state.nodeCount += 1
        state.childCount += 1
        state.at = end
        leave(.separator)
    }

    // MARK: - Brackets

    /// Leaves a closing bracket to the parser if it closes an open container, else skips it.
    private mutating func close(isObject: Bool) {
        var container = state.open
        var levels = 0
        while container != Node.noContainer && levels < Self.highestMatch {
            if containers[Int(container)].isObject == isObject {
                for _ in 0..<levels { closeIncomplete() }
                return leave(.separator)
            }
            container = containers[Int(container)].parent
            levels += 1
        }
        skip(to: state.at + 1)
    }

    /// Ends the innermost container at the current byte, without a bracket.
    private mutating func closeIncomplete() {
        let closing = Int(state.open)
        let container = containers[closing]
        let end = UInt64(truncatingIfNeeded: state.at)
        containers.writeCount(closing, state.childCount)
        containers.writeBounds(closing, container.bounds | end | Container.incompleteBit)
        let extent = UInt32(truncatingIfNeeded: state.nodeCount) &- container.node
        containers.writeExtent(closing, extent)
        state.open = container.parent
        if state.open != Node.noContainer { state.childCount = containers[Int(state.open)].count }
    }
}
