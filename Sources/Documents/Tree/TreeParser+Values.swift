import CScan

/// Values and keys, each from its first byte to behind its last.
extension TreeParser {
    @inline(always) mutating func readValue() -> Bool {
        while true {
            let byte = text[at]
            // Both opening brackets at once, they differ in one bit: the switch would find them
            // last, behind a range and a jump table.
            guard byte | 0x20 == 0x7B else { return readScalar(byte) }
            if byte == 0x5B {
                openContainer(.array)
                skipWhitespace()
                if text[at] == 0x5D { return true }
            } else {
                openContainer(.object)
                // Dense text has a key here: then it is neither white space nor the end.
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

    /// A string whose end nobody should scan for: it has an entry beside the containers.
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
        // More digits may follow behind the window.
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
