/// Members with a faulty key, colon or value.
extension FaultRecovery {
    mutating func readMember() {
        let start = state.at
        let byte = text.base[start]
        if byte == 0x7B || byte == 0x5B { return leave(.value) }
        guard let end = text.keyEnd(from: start), end > start else {
            return skip(to: byte == 0x22 ? text.end : start + 1)
        }
        let isQuoted = byte == 0x22 || byte == 0x27
        var at = text.blankEnd(from: end)
        let hasColon = at < text.end && (text.base[at] == 0x3A || text.base[at] == 0x3D)
        guard hasColon || isQuoted && at < text.end && beginsValue(text.base[at]) else {
            // A key without a value, or text that is not a key.
            return skip(to: end)
        }
        if hasColon { at += text.base[at] == 0x3D && text.base[at + 1] == 0x3E ? 2 : 1 }
        state.at = text.blankEnd(from: at)
        keyStart = start
        valueStart = state.at
        let hasEscapes = (start..<end).contains { text.base[$0] == 0x5C }
        let isRegular = isRegularKey(start..<end, value: state.at)
        let key = (isRegular ? 0 : Node.irregularKeyBit) | (hasEscapes ? Node.keyEscapeBit : 0)
        let count = state.nodeCount
        readValue(key: key)
        if !isOver && state.nodeCount == count {
            // No value came before the comma or bracket.
            let stop = state.at
            state.at = start
            skip(to: stop)
        }
        keyStart = nil
    }

    /// Whether a key and its colon certainly conform to RFC 8259.
    private func isRegularKey(_ key: Range<Int>, value: Int) -> Bool {
        guard key.count > 1, text.base[key.lowerBound] == 0x22,
            text.base[key.upperBound - 1] == 0x22
        else {
            return false
        }
        let content = key.dropFirst().dropLast()
        let isAccepted =
            key.upperBound <= faultOffset
            || content.allSatisfy { (0x20..<0x7F).contains(text.base[$0]) && text.base[$0] != 0x5C }
        let colons = (key.upperBound..<value).filter { text.base[$0] > 0x20 }
        return isAccepted && colons.count == 1 && text.base[colons[0]] == 0x3A
            && !content.contains { text.base[$0] == 0x22 && text.base[$0 - 1] != 0x5C }
    }

    private func beginsValue(_ byte: UInt8) -> Bool {
        byte == 0x22 || byte == 0x7B || byte == 0x5B || LenientText.isWord(byte)
    }
}

/// The value before the fault.
extension FaultRecovery {
    /// Extends the last value if its end was wrong: a string that ended at an unescaped quote, or a number with
    /// more characters after it.
    mutating func extendLastValue() {
        guard !isInValue, state.nodeCount > 0, state.mark < text.end else { return }
        let index = state.nodeCount - 1
        let node = nodes[index]
        guard !node.hasEntry, !node.isIrregular, node.payload < state.mark else { return }
        let isString = node.kindBits == ValueKind.string.rawValue
        let kind = isString ? ValueKind.string : .null
        guard
            isString ? text.base[state.mark - 1] == 0x22 : LenientText.isWord(text.base[state.mark])
        else { return }
        // If a closing bracket is in front of the mark, the last value does not end there.
        guard !isString || faultOffset < text.end && !isStructural(text.base[faultOffset]),
            LenientText.isWord(text.base[state.mark - 1]) || isString
        else { return }
        let end =
            isString
            ? text.stringEnd(from: node.payload, isKey: false) : text.wordEnd(from: node.payload)
        guard let end, end > state.mark else { return }
        let others = node.bits & ~(7 << 56) | kind.nodeBits
        let escapes = isString ? Node.valueEscapeBit : 0
        nodes.write(index, Node(bits: others | escapes | Node.irregularBit))
        state.at = end
        leave(.separator)
    }

    private func isStructural(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D: true
        default: false
        }
    }
}
