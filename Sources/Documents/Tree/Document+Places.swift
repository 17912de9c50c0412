import Glibc
import Synchronization

/// The ranges of values and keys in the text.
extension Document {
    /// The bytes of a value as written, strings with their quotes.
    ///
    /// O(1) for a container. A scalar is scanned to its end, but a regular string for at most 64 KiB. An open
    /// container extends to where the parse is.
    public func valueRange(of node: NodeIndex) -> Range<Int> {
        let value = nodes.read(node.rawValue)
        guard value.hasEntry else { return value.payload..<scalarEnd(of: value) }
        let entry = containers.read(value.payload)
        let end = entry.isOpen ? progress.parsedBytes : entry.end
        return entry.offset..<max(end, min(entry.offset + 1, bytes.count))
    }

    /// The offset at which a value begins; O(1), however long it is.
    package func valueStart(of node: NodeIndex) -> Int {
        valueOffset(of: nodes.read(node.rawValue))
    }

    /// A value as written, cut to `limit` bytes; a number is not scanned beyond them.
    func cutValue(of node: NodeIndex, limit: Int) -> (text: String, isCut: Bool) {
        let value = nodes.read(node.rawValue)
        guard value.isNumber, !value.hasEntry, !value.isIrregular else {
            return bytes.cutText(valueRange(of: node), limit: limit)
        }
        var end = value.payload
        while end - value.payload <= limit, Self.isOfNumber(bytes.base[end]) { end += 1 }
        return bytes.cutText(value.payload..<end, limit: limit)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
        default: false
        }
    }

    /// The bytes of a member's key as written, without its quotes; nil for a value without a key.
    public func keyRange(of node: NodeIndex) -> Range<Int>? {
        let value = nodes.read(node.rawValue)
        let offset = valueOffset(of: value)
        if value.keyDistance == Node.longKey {
            return longKeyRange(of: node, isIrregular: value.hasIrregularKey, before: offset)
        }
        guard let start = keyStart(of: value, at: offset) else { return nil }
        if value.hasIrregularKey { return irregularKey(from: start, before: offset) }
        var end = offset - 1
        while bytes.base[end] != 0x22 { end -= 1 }
        return start + 1..<end
    }

    /// The innermost value whose bytes, including its key, contain a byte; nil outside of the root.
    ///
    /// O(log n).
    public func node(at offset: Int) -> NodeIndex? { place(at: offset)?.node }

    /// The innermost value that a byte belongs to, and whether the byte is in its key; nil outside of the root.
    ///
    /// Bytes between a key and its value count as part of the value. O(log n).
    public func place(at offset: Int) -> NodePlace? {
        let next = (0..<nodeCount).partitionPoint { start(of: $0) <= offset }
        var node: NodeIndex? = next > 0 ? NodeIndex(next - 1) : nil
        while let current = node {
            if offset < valueRange(of: current).upperBound {
                let key = keyRange(of: current)
                return NodePlace(
                    node: current,
                    isInKey: key.map { offset <= $0.upperBound } ?? false
                )
            }
            node = parent(of: current)
        }
        return nil
    }

    /// The last value that begins, including its key, before a byte; O(log n).
    package func lastValue(before offset: Int) -> NodeIndex? {
        let next = (0..<nodeCount).partitionPoint { start(of: $0) < offset }
        return next > 0 ? NodeIndex(next - 1) : nil
    }

    /// The offset at which a value begins; in its entry if it has one.
    @inline(__always) func valueOffset(of value: Node) -> Int {
        value.hasEntry ? containers.readOffset(value.payload) : value.payload
    }

    /// The offset at which a value or, if it has one, its key begins.
    private func start(of node: Int) -> Int {
        let value = nodes.read(node)
        let offset = valueOffset(of: value)
        return keyStart(of: value, at: offset) ?? offset
    }

    private func keyStart(of value: Node, at offset: Int) -> Int? {
        let distance = value.keyDistance
        if distance == 0 { return nil }
        return distance == Node.longKey ? longKeyStart(offset) : offset - distance
    }

    private func longKeyRange(
        of node: NodeIndex,
        isIrregular: Bool,
        before offset: Int
    ) -> Range<Int> {
        if let known = indexes.withLock({ $0.longKeys[node] }) { return known }
        let start = longKeyStart(offset)
        let range =
            isIrregular
            ? irregularKey(from: start, before: offset) : start + 1..<lastQuote(before: offset)
        indexes.withLock { $0.longKeys[node] = range }
        return range
    }

    private func lastQuote(before offset: Int) -> Int {
        var at = max(0, offset - 1)
        while at > 0 && bytes.base[at] != 0x22 { at -= 1 }
        return at
    }

    /// The opening quote of a key of more than 64 KiB: the last unescaped quote before the closing one.
    private func longKeyStart(_ offset: Int) -> Int {
        var at = lastQuote(before: offset)
        while at > 0 {
            at = lastQuote(before: at)
            var slash = at - 1
            while slash >= 0 && bytes.base[slash] == 0x5C { slash -= 1 }
            if (at - 1 - slash) % 2 == 0 { return at }
        }
        return 0
    }

    // MARK: - Ends of scalars

    private func scalarEnd(of value: Node) -> Int {
        let start = value.payload
        if value.isIrregular { return irregularEnd(from: start) }
        switch value.kind {
        case .null, .true: return start + 4
        case .false: return start + 5
        case .string:
            return stringEnd(from: start, hasEscapes: value.bits & Node.valueEscapeBit != 0)
        default: return numberEnd(from: start)
        }
    }

    /// The offset after the closing quote of a string that the parser accepted.
    private func stringEnd(from start: Int, hasEscapes: Bool) -> Int {
        var at = start + 1
        if !hasEscapes {
            let found = memchr(bytes.base + at, 0x22, Node.longestScan)
            return found.map { UnsafeRawPointer($0) - UnsafeRawPointer(bytes.base) + 1 } ?? at
        }
        while bytes.base[at] != 0x22 { at += bytes.base[at] == 0x5C ? 2 : 1 }
        return at + 1
    }

    /// The offset after the last digit of a number that the parser accepted.
    private func numberEnd(from start: Int) -> Int {
        let text = bytes.base
        var at = text[start] == 0x2D ? start + 1 : start
        if text[at] == 0x30 { at += 1 } else { at = digitsEnd(from: at) }
        if text[at] == 0x2E { at = digitsEnd(from: at + 1) }
        if text[at] | 0x20 == 0x65 {
            at += text[at + 1] == 0x2B || text[at + 1] == 0x2D ? 2 : 1
            at = digitsEnd(from: at)
        }
        return at
    }

    private func digitsEnd(from start: Int) -> Int {
        var at = start
        while bytes.base[at] &- 0x30 < 10 { at += 1 }
        return at
    }
}

/// Paths of values as text.
extension Document {
    /// The normalized path of RFC 9535, section 2.7, such as `$['orders'][0]['name']`.
    ///
    /// A lone surrogate in a key, which no path can name, becomes U+FFFD.
    public func path(of node: NodeIndex) -> String {
        path(of: node, maximumLength: .max) ?? "$"
    }

    /// The normalized path; nil if it is longer than `maximumLength` bytes.
    package func path(of node: NodeIndex, maximumLength: Int) -> String? {
        var steps: [String] = []
        var length = 1
        var node = node
        while let parent = parent(of: node) {
            guard keyRange(of: node).map({ $0.count <= maximumLength }) ?? true else { return nil }
            let step = key(of: node).map(Self.normalised) ?? "[\(indexInParent(of: node))]"
            length += step.utf8.count
            guard length <= maximumLength else { return nil }
            steps.append(step)
            node = parent
        }
        return "$" + steps.reversed().joined()
    }

    /// A short path such as `orders[0].name`; the root is `$`.
    ///
    /// A path longer than about `maximumLength` characters is cut at the front and begins with `…`.
    public func dottedPath(of node: NodeIndex, maximumLength: Int = 1000) -> String {
        var steps: [String] = []
        var length = 0
        var node = node
        while let parent = parent(of: node) {
            guard length < maximumLength else {
                steps.append("…")
                break
            }
            let step =
                shortKey(of: node, maximumLength: maximumLength).map(Self.dotted)
                ?? "[\(indexInParent(of: node))]"
            length += step.utf8.count
            steps.append(step)
            node = parent
        }
        if steps.isEmpty { return "$" }
        let path = steps.reversed().joined()
        return path.hasPrefix(".") ? String(path.dropFirst()) : path
    }

    /// A key; one of more than `maximumLength` bytes is cut and ends with `…`.
    private func shortKey(of node: NodeIndex, maximumLength: Int) -> String? {
        guard let range = keyRange(of: node), range.count > maximumLength else {
            return key(of: node)
        }
        return bytes.cutText(range, limit: maximumLength).text + "…"
    }

    /// A key as a step of a normalized path.
    static func normalised(_ key: String) -> String {
        var text = "['"
        for scalar in key.unicodeScalars {
            switch scalar {
            case "\u{8}": text += "\\b"
            case "\t": text += "\\t"
            case "\n": text += "\\n"
            case "\u{C}": text += "\\f"
            case "\r": text += "\\r"
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\0"..<" ":
                let code = UInt8(truncatingIfNeeded: scalar.value)
                text += "\\u00" + HexDigit.pair(code)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "']"
    }

    /// `.key` if the key reads as a name, otherwise the step of a normalized path.
    ///
    /// A key that is just `$` would read as the root.
    private static func dotted(_ key: String) -> String {
        let isName =
            !key.isEmpty && key != "$"
            && key.unicodeScalars.allSatisfy { scalar in
                scalar == "_" || scalar == "-" || scalar == "$" || scalar.properties.isAlphabetic
                    || ("0"..."9").contains(scalar)
            }
        return isName ? "." + key : normalised(key)
    }
}

/// The value that a byte of the text belongs to, or whose key it belongs to.
public struct NodePlace: Hashable, Sendable {
    /// The value that the byte, or the key around the byte, belongs to.
    public let node: NodeIndex
    /// Whether the byte is in the key or its quotes rather than in the value.
    public let isInKey: Bool
}
