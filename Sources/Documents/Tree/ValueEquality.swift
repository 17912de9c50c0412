import Glibc

/// Compares values of two documents exactly, without trusting hashes.
struct ValueComparison {
    let left: ComparedDocument
    let right: ComparedDocument
    /// The last stretch of text that was compared: where it begins on both sides, and how many bytes are equal.
    private var stretch = (left: 0, right: 0, count: -1)

    init(left: ComparedDocument, right: ComparedDocument) {
        self.left = left
        self.right = right
    }

    // MARK: - Text

    /// Whether two values are written with the same bytes and hold the same number of values.
    ///
    /// Reads no byte twice if values are compared from the outside in and in order.
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

    /// The number of leading bytes that both have in common.
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

    /// Whether two scalars are equal; false if either value is a container.
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
        return EscapedText.bytes(left.document.bytes.base, a)
            == EscapedText.bytes(right.document.bytes.base, b)
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

    /// Whether two values are equal with everything in them, except ignored values.
    ///
    /// Stops at the first difference.
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
        // The first element is popped first.
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

/// Whether two values of a document are equal, however deeply they nest.
///
/// Arrays are equal element by element. Objects are equal if they have the same members in any order, with
/// members of the same name in the same order. Numbers are compared by value, strings by code points.
struct DeepEquality {
    let document: Document

    func areEqual(_ first: NodeIndex, _ second: NodeIndex) -> Bool {
        var pending = [(first, second)]
        while let (left, right) = pending.popLast() {
            if left == right { continue }
            let kind = document.kind(of: left)
            if kind.isContainer {
                guard haveSameShape(left, right, kind) else { return false }
                if kind == .array {
                    pending.append(contentsOf: zip(children(left), children(right)))
                } else {
                    guard appendMembers(of: left, right, to: &pending) else { return false }
                }
            } else if !areEqualScalars(left, right, kind) {
                return false
            }
        }
        return true
    }

    /// Equal values hold the same number of values at every depth, so this rejects most others at once.
    private func haveSameShape(_ left: NodeIndex, _ right: NodeIndex, _ kind: ValueKind) -> Bool {
        document.kind(of: right) == kind
            && document.childCount(of: left) == document.childCount(of: right)
            && document.subtreeSize(of: left) == document.subtreeSize(of: right)
    }

    private func areEqualScalars(_ left: NodeIndex, _ right: NodeIndex, _ kind: ValueKind) -> Bool {
        switch kind {
        case .integer, .decimal:
            guard let first = document.number(of: left) else { return false }
            return first == document.number(of: right)
        case .string:
            guard document.kind(of: right) == .string else { return false }
            return isEqual(content(of: left), content(of: right))
        default: return document.kind(of: right) == kind
        }
    }

    private func children(_ node: NodeIndex) -> [NodeIndex] { Array(document.children(of: node)) }

    private func content(of string: NodeIndex) -> Range<Int> {
        let range = document.valueRange(of: string)
        return range.lowerBound + 1..<max(range.lowerBound + 1, range.upperBound - 1)
    }

    private func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        let base = document.bytes.base
        return StringContent.with(base, left) { first in
            StringContent.with(base, right) { second in first.elementsEqual(second) }
        }
    }

    /// Pairs the members of two objects; false when a name is missing in one of them.
    private func appendMembers(
        of left: NodeIndex,
        _ right: NodeIndex,
        to pending: inout [(NodeIndex, NodeIndex)]
    ) -> Bool {
        let first = children(left)
        let second = children(right)
        var same = 0
        while same < min(first.count, second.count), haveSameName(first[same], second[same]) {
            pending.append((first[same], second[same]))
            same += 1
        }
        guard same < first.count else { return true }
        // From last to first, so that `popLast` takes members of the same name in their order.
        var others: [[UInt8]: [NodeIndex]] = [:]
        for member in second[same...].reversed() {
            others[name(of: member), default: []].append(member)
        }
        for member in first[same...] {
            guard let other = others[name(of: member)]?.popLast() else { return false }
            pending.append((member, other))
        }
        return true
    }

    private func haveSameName(_ left: NodeIndex, _ right: NodeIndex) -> Bool {
        guard let first = document.keyRange(of: left), let second = document.keyRange(of: right)
        else { return false }
        return isEqual(first, second)
    }

    private func name(of member: NodeIndex) -> [UInt8] {
        guard let range = document.keyRange(of: member) else { return [] }
        return StringContent.with(document.bytes.base, range) { Array($0) }
    }
}

/// When two numbers count as equal.
public enum NumberComparison: Sendable {
    /// When they have the same value: `1.0` is `1`, `1e2` is `100`, at any length.
    case value
    /// When they are written with the same bytes.
    case text
}
