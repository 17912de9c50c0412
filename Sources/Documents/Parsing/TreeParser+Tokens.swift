import CScan

/// Opening and closing containers.
extension TreeParser {
    /// Appends a container's table entry and node, and counts it in its parent.
    @inline(always) mutating func addContainer(_ kind: ValueKind, at offset: Int) {
        slot.pointee = Node(
            bits: UInt64(truncatingIfNeeded: containerCount) | kind.nodeBits | keyBits
        )
        var depthBits: UInt64 = 0
        if _fastPath(open != Node.noContainer) {
            depthBits = containers[Int(open)].innerDepthBits
            containers.writeCount(Int(open), childCount &+ 1)
        }
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

    @inline(always) mutating func openContainer(_ kind: ValueKind) {
        addContainer(kind, at: at)
        open = UInt32(truncatingIfNeeded: containerCount)
        closer = kind == .object ? 0x7D : 0x5D
        slot += 1
        containerCount &+= 1
        childCount = 0
        at &+= 1
        mark = at
        keyBits = 0
    }

    /// Closes the innermost container and the outer ones whose brackets follow immediately.
    ///
    /// Runs of closing brackets are frequent, so they have a loop of their own that loads only what one level
    /// needs.
    @inline(always) mutating func closeContainers() {
        let count = UInt32(truncatingIfNeeded: nodeCount)
        var entry = containers + Int(open)
        var bounds = entry.pointee.bounds
        repeat {
            at &+= 1
            entry.writeCount(0, childCount)
            entry.writeBounds(0, bounds | UInt64(truncatingIfNeeded: at))
            open = entry.pointee.parent
            // Last, with release ordering: a reader that sees it also sees the two writes above.
            entry.writeExtent(0, count &- entry.pointee.node)
            if _slowPath(open == base) {
                closer = 0
                if base != Node.noContainer { childCount = containers[Int(open)].count }
                break
            }
            entry = containers + Int(open)
            bounds = entry.pointee.bounds
            childCount = entry.pointee.count
            closer = Container.closer(bounds)
        } while text[at] == closer
        keyBits = 0
    }
}

/// Separators between values.
extension TreeParser {
    /// Skips closing brackets and a comma up to the next value; false at the end, a fault or a pause.
    @inline(always) mutating func readSeparator() -> Bool {
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
            closeContainers()
        }
    }

    /// Moves to the next outermost value of a sequence; false at the end, a fault or a pause.
    @inline(always) mutating func readOutermost() -> Bool {
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

    /// Whether two values may touch here: only if a bracket or a quote separates them.
    @inline(always) func mayFollow() -> Bool {
        let before = text[at &- 1]
        let byte = text[at]
        return before == 0x5D || before == 0x7D || before == 0x22
            || byte == 0x5B || byte == 0x7B || byte == 0x22
    }
}

/// Values and keys; each function moves from the first byte to the one after the last.
extension TreeParser {
    @inline(always) mutating func readValue() -> Bool {
        while true {
            let byte = text[at]
            // Tests both opening brackets at once, because they differ in one bit. The switch would test them
            // last, after a range and a jump table.
            guard byte | 0x20 == 0x7B else { return readScalar(byte) }
            if byte == 0x5B {
                openContainer(.array)
                skipWhitespace()
                if text[at] == 0x5D { return true }
            } else {
                openContainer(.object)
                // Compact text has a key here and needs no check for white space or the end.
                if text[at] != 0x22 {
                    skipWhitespace()
                    if text[at] == 0x7D { return true }
                }
                guard readKey() else { return false }
            }
            guard publishBatch() else { return false }
        }
    }

    @inline(always) private mutating func readScalar(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22: readString()
        case 0x2D, 0x30...0x39: readNumber()
        case 0x74: readLiteral(0x6575_7274, from: at, length: 4, kind: .true)
        case 0x66: readLiteral(0x6573_6C61, from: at &+ 1, length: 5, kind: .false)
        case 0x6E: readLiteral(0x6C6C_756E, from: at, length: 4, kind: .null)
        default: fail(.expectedValue)
        }
    }

    @inline(always) mutating func append(_ start: Int, _ kind: ValueKind, flags: UInt64) {
        slot.pointee = Node(
            bits: UInt64(truncatingIfNeeded: start) | kind.nodeBits | keyBits | flags
        )
        slot += 1
        childCount &+= 1
    }

    @inline(always) mutating func readString() -> Bool {
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

    /// Appends a long string with a container entry that stores its end, so that readers need not scan for it.
    @inline(always) mutating func appendLong(_ start: Int, flags: UInt64) {
        containers[containerCount] = Container(
            start: UInt64(truncatingIfNeeded: start)
                | (open == Node.noContainer ? 0 : containers[Int(open)].innerDepthBits),
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

    @inline(always) mutating func readKey() -> Bool {
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

    @inline(always) mutating func readNumber() -> Bool {
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
        // More digits may follow after the window.
        if isCut && at >= end { return fail(.unexpectedEnd) }
        append(start, kind, flags: 0)
        return true
    }

    @inline(always) mutating func readLiteral(
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
}
