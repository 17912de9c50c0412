import Glibc

/// Whether values of two documents are equal: exactly, without trust in hashes.
struct ValueComparison {
    let left: ComparedDocument
    let right: ComparedDocument
    /// The last stretch of text that was compared: where it began on both sides and how far it is equal.
    private var stretch = (left: 0, right: 0, count: -1)

    init(left: ComparedDocument, right: ComparedDocument) {
        self.left = left
        self.right = right
    }

    // MARK: - Text

    /// Whether two values are written with the same bytes and hold as many values.
    ///
    /// No byte is looked at twice while values are asked for from the outside in and in order.
    mutating func isSameText(_ l: Int, _ r: Int) -> Bool {
        guard left.size(l) == right.size(r) else { return false }
        let a = left.range(l)
        let b = right.range(r)
        guard a.count == b.count else { return false }
        let isInside =
            a.lowerBound - stretch.left == b.lowerBound - stretch.right
            && a.lowerBound >= stretch.left && a.lowerBound <= stretch.left + stretch.count
        if !isInside {
            let count = Self.commonLength(
                left.document.bytes.base + a.lowerBound,
                right.document.bytes.base + b.lowerBound,
                a.count
            )
            stretch = (a.lowerBound, b.lowerBound, count)
        }
        return a.upperBound <= stretch.left + stretch.count
    }

    /// How many of the first bytes are the same.
    private static func commonLength(
        _ a: UnsafePointer<UInt8>,
        _ b: UnsafePointer<UInt8>,
        _ count: Int
    ) -> Int {
        let a = UnsafeRawPointer(a)
        let b = UnsafeRawPointer(b)
        var at = 0
        while at &+ 8 <= count {
            let left = a.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            let right = b.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            if left != right { return at + (left ^ right).trailingZeroBitCount >> 3 }
            at &+= 8
        }
        while at < count,
            a.load(fromByteOffset: at, as: UInt8.self) == b.load(fromByteOffset: at, as: UInt8.self)
        {
            at &+= 1
        }
        return at
    }

    // MARK: - Scalars and keys

    /// Whether two values, neither of them a container, are equal.
    func areScalarsEqual(_ l: Int, _ r: Int) -> Bool {
        switch (left.kind(l), right.kind(r)) {
        case (.string, .string):
            return isSameContent(left.contentRange(l), right.contentRange(r))
        case (.integer, .integer), (.decimal, .decimal), (.integer, .decimal), (.decimal, .integer):
            return areNumbersEqual(left.range(l), right.range(r))
        case (let a, let b): return a == b && !a.isContainer
        }
    }

    func areKeysEqual(_ l: Int, _ r: Int) -> Bool {
        isSameContent(left.keyRange(l), right.keyRange(r))
    }

    private func isSameContent(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        if isSameBytes(a, b) { return true }
        guard hasBackslash(a, left) || hasBackslash(b, right) else { return false }
        return DecodedText.bytes(a, of: left.document.bytes)
            == DecodedText.bytes(b, of: right.document.bytes)
    }

    private func areNumbersEqual(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        if isSameBytes(a, b) { return true }
        guard left.numbers == .value,
            let first = number(a, left), let second = number(b, right)
        else { return false }
        return first == second
    }

    private func number(_ range: Range<Int>, _ side: ComparedDocument) -> DecimalNumber? {
        DecimalNumber(
            bytes: UnsafeRawBufferPointer(
                start: side.document.bytes.base + range.lowerBound,
                count: range.count
            )
        )
    }

    @inline(__always) private func isSameBytes(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
        a.count == b.count
            && memcmp(
                left.document.bytes.base + a.lowerBound,
                right.document.bytes.base + b.lowerBound,
                a.count
            ) == 0
    }

    private func hasBackslash(_ range: Range<Int>, _ side: ComparedDocument) -> Bool {
        memchr(side.document.bytes.base + range.lowerBound, 0x5C, range.count) != nil
    }

    // MARK: - Subtrees

    /// Whether two values are equal with all that lies in them; ignored values aside.
    ///
    /// It stops at the first thing that differs.
    mutating func areEqual(_ l: Int, _ r: Int) -> Bool {
        var pending = [(l, r)]
        while let (l, r) = pending.popLast() {
            if left.hashes[l] != right.hashes[r] { return false }
            if isSameText(l, r) { continue }
            switch (left.kind(l), right.kind(r)) {
            case (.array, .array):
                guard pairElements(l, r, into: &pending) else { return false }
            case (.object, .object):
                guard pairMembers(l, r, into: &pending) else { return false }
            default:
                guard areScalarsEqual(l, r) else { return false }
            }
        }
        return true
    }

    private func pairElements(_ l: Int, _ r: Int, into pending: inout [(Int, Int)]) -> Bool {
        let first = pending.count
        left.forEachChild(of: l) { if !left.isIgnored($0) { pending.append(($0, 0)) } }
        var next = first
        var isFitting = true
        right.forEachChild(of: r) { child in
            guard !right.isIgnored(child) else { return }
            if next < pending.count { pending[next].1 = child } else { isFitting = false }
            next += 1
        }
        guard isFitting && next == pending.count else { return false }
        // The first element is looked at first.
        pending[first...].reverse()
        return true
    }

    private func pairMembers(_ l: Int, _ r: Int, into pending: inout [(Int, Int)]) -> Bool {
        let first = pending.count
        for pair in MemberMatching(self, l, r).pairs {
            switch (pair.left, pair.right) {
            case (let left?, let right?):
                if self.left.isIgnored(left) || self.right.isIgnored(right) { continue }
                pending.append((left, right))
            case (let left?, nil):
                guard self.left.isIgnored(left) else { return false }
            case (nil, let right?):
                guard self.right.isIgnored(right) else { return false }
            case (nil, nil): continue
            }
        }
        pending[first...].reverse()
        return true
    }
}
