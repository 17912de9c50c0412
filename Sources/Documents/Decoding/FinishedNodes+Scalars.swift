import Glibc

/// Scalars in the common case, in a few instructions; nil where more has to be looked at, as for
/// every node under 0, which stands for a value that is not there.
extension FinishedNodes {
    @inline(__always) func bool(_ node: Int) -> Bool? {
        guard node >= 0 else { return nil }
        switch kind(node) {
        case .true: return true
        case .false: return false
        default: return nil
        }
    }

    @inline(__always) func isNull(_ node: Int) -> Bool { node < 0 || kind(node) == .null }

    @inline(__always) func integer<I: FixedWidthInteger>(_ type: I.Type, _ node: Int) -> I? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.kindBits == ValueKind.integer.rawValue else { return nil }
        return NumberText.small(text + value.payload).flatMap { I(exactly: $0) }
    }

    @inline(__always) func double(_ node: Int) -> Double? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.isNumber else { return nil }
        return NumberText.double(text + value.payload)
    }

    @inline(__always) func float(_ node: Int) -> Float? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.isNumber else { return nil }
        return NumberText.float(text + value.payload)
    }

    /// A string without escapes, of at most 64 KiB.
    @inline(__always) func string(_ node: Int) -> String? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.kindBits == ValueKind.string.rawValue, !value.isLong,
            value.bits & Node.valueEscapeBit == 0
        else { return nil }
        let start = value.payload &+ 1
        var end = FastestScanner.next(text, start)
        if text[end] != 0x22 {
            // Not ASCII from here on; the quote comes, because the parser has seen it.
            guard let quote = memchr(text + end, 0x22, Node.longestScan) else { return nil }
            end = UnsafeRawPointer(quote) - UnsafeRawPointer(text)
        }
        let bytes = UnsafeBufferPointer(start: text + start, count: end &- start)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Node {
    @inline(__always) fileprivate var isNumber: Bool {
        kindBits == ValueKind.integer.rawValue || kindBits == ValueKind.decimal.rawValue
    }
}
