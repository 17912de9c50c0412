/// The value before the fault.
extension FaultRecovery {
    /// A string that ended at a quote which was not escaped, or a number with more behind it, takes
    /// in the rest of itself.
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
        // In front of a bracket that closes, the last value is not right before the mark.
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
