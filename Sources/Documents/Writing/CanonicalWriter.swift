import Glibc

/// Writes a value in canonical form (RFC 8785), the one form that equal values share, without recursion.
struct CanonicalWriter {
    /// A container that is being written.
    private struct Frame {
        let isObject: Bool
        /// For an array, the node of the next element and, as `end`, the node after the last one; for an
        /// object, indices into `members`.
        var at: Int
        let end: Int
        /// Where this container's part of `members` and of `decoded` begins.
        let firstMember: Int
        let firstByte: Int
        var isEmpty = true
    }

    private let document: Document
    private let rules: CanonicalRules
    private let text: UnsafePointer<UInt8>
    private var frames: [Frame] = []
    /// The members of all open objects, sorted within each object.
    private var members: [CanonicalMember] = []
    /// The keys that had escapes, decoded.
    private var decoded: [UInt8] = []

    init(_ document: Document, rules: CanonicalRules) {
        self.document = document
        self.rules = rules
        text = document.bytes.base
    }

    mutating func write(_ root: NodeIndex, to output: inout OutputBuffer) throws {
        try begin(root, to: &output)
        while let frame = frames.last {
            if frame.at < frame.end {
                try writeNext(to: &output)
            } else {
                try output.append(frame.isObject ? 0x7D : 0x5D)
                close(frame)
            }
        }
    }

    // MARK: - Containers

    private mutating func writeNext(to output: inout OutputBuffer) throws {
        let last = frames.count - 1
        let at = frames[last].at
        if !frames[last].isEmpty { try output.append(0x2C) }
        frames[last].isEmpty = false
        guard frames[last].isObject else {
            let node = NodeIndex(at)
            frames[last].at += document.subtreeSize(of: node)
            return try begin(node, to: &output)
        }
        frames[last].at += 1
        let member = members[at]
        try writeKey(of: member, to: &output)
        try output.append(0x3A)
        try begin(member.node, to: &output)
    }

    private mutating func begin(_ node: NodeIndex, to output: inout OutputBuffer) throws {
        switch document.kind(of: node) {
        case .object:
            try output.append(0x7B)
            try open(object: node)
        case .array:
            try output.append(0x5B)
            let end = node.rawValue + document.subtreeSize(of: node)
            push(isObject: false, at: node.rawValue + 1, end: end, firstByte: decoded.count)
        case .string: try write(string: node, to: &output)
        case .integer, .decimal: try write(number: node, to: &output)
        case .null, .true, .false:
            let range = document.valueRange(of: node)
            try output.append(text + range.lowerBound, range.count)
        }
    }

    private mutating func open(object: NodeIndex) throws {
        let firstByte = decoded.count
        var list: [CanonicalMember] = []
        list.reserveCapacity(document.childCount(of: object))
        for node in document.children(of: object) { list.append(try member(node)) }
        decoded.withUnsafeBufferPointer { decoded in
            let bases = (text, decoded.baseAddress ?? text)
            list.sort { CanonicalMember.order($0, $1, in: bases) < 0 }
        }
        if rules == .strict { try refuseDuplicates(in: list) }
        members += list
        let first = members.count - list.count
        push(isObject: true, at: first, end: members.count, firstByte: firstByte)
    }

    private mutating func push(isObject: Bool, at start: Int, end: Int, firstByte: Int) {
        frames.append(
            Frame(
                isObject: isObject,
                at: start,
                end: end,
                firstMember: isObject ? start : members.count,
                firstByte: firstByte
            )
        )
    }

    private mutating func close(_ frame: Frame) {
        frames.removeLast()
        members.removeLast(members.count - frame.firstMember)
        decoded.removeLast(decoded.count - frame.firstByte)
    }

    // MARK: - Keys

    private mutating func member(_ node: NodeIndex) throws -> CanonicalMember {
        let range = document.keyRange(of: node) ?? 0..<0
        guard memchr(text + range.lowerBound, 0x5C, range.count) != nil else {
            return CanonicalMember(node: node, start: range.lowerBound, count: range.count)
        }
        let start = decoded.count
        let isWhole = EscapedText.decode(text, range, into: &decoded)
        guard isWhole || rules == .lossless else {
            throw DocumentWritingError(.loneSurrogate, node: node, at: range.lowerBound - 1)
        }
        return CanonicalMember(
            node: node,
            start: start,
            count: decoded.count - start,
            isDecoded: true
        )
    }

    private func refuseDuplicates(in list: [CanonicalMember]) throws {
        try decoded.withUnsafeBufferPointer { decoded in
            let bases = (text, decoded.baseAddress ?? text)
            for (one, next) in zip(list, list.dropFirst())
            where CanonicalMember.compareKeys(one, next, in: bases) == 0 {
                let key = document.keyRange(of: next.node) ?? 1..<1
                throw DocumentWritingError(.duplicateKey, node: next.node, at: key.lowerBound - 1)
            }
        }
    }

    private func writeKey(of member: CanonicalMember, to output: inout OutputBuffer) throws {
        guard member.isDecoded else {
            // With the quotes around it.
            return try output.append(text + member.start - 1, member.count + 2)
        }
        try decoded.withUnsafeBufferPointer { decoded in
            let key = decoded[member.start..<member.start + member.count]
            try output.appendQuoted(UnsafeBufferPointer(rebasing: key))
        }
    }

    // MARK: - Scalars

    private func write(string node: NodeIndex, to output: inout OutputBuffer) throws {
        let range = document.valueRange(of: node)
        guard memchr(text + range.lowerBound, 0x5C, range.count) != nil else {
            return try output.append(text + range.lowerBound, range.count)
        }
        var decoded: [UInt8] = []
        let inside = range.lowerBound + 1..<range.upperBound - 1
        let isWhole = EscapedText.decode(text, inside, into: &decoded)
        guard isWhole || rules == .lossless else {
            throw DocumentWritingError(.loneSurrogate, node: node, at: range.lowerBound)
        }
        try decoded.withUnsafeBufferPointer { try output.appendQuoted($0) }
    }

    private func write(number node: NodeIndex, to output: inout OutputBuffer) throws {
        let range = document.valueRange(of: node)
        // Integers of up to 15 digits are canonical as written, except -0.
        if range.count <= 15, document.kind(of: node) == .integer {
            let isZero = range.count == 2 && text[range.lowerBound + 1] == 0x30
            let start = range.lowerBound + (isZero && text[range.lowerBound] == 0x2D ? 1 : 0)
            return try output.append(text + start, range.upperBound - start)
        }
        let written = UnsafeBufferPointer(start: text + range.lowerBound, count: range.count)
        let number = NumberDigits(written)
        switch rules {
        case .lossless:
            guard let number else { return try output.append(text + range.lowerBound, range.count) }
            try output.append(number.text)
        case .strict:
            // If the exponent does not fit into an integer, the double is zero or infinite.
            let rounded = number.map(\.rounded) ?? NumberDigits.zero(unlessLarge: written)
            guard let rounded else {
                throw DocumentWritingError(.numberTooLarge, node: node, at: range.lowerBound)
            }
            try output.append(rounded.text)
        }
    }
}

/// A member of an object that is being sorted, and where its key's bytes are.
struct CanonicalMember {
    /// The text, and the decoded keys that had escapes.
    typealias Bases = (text: UnsafePointer<UInt8>, decoded: UnsafePointer<UInt8>)

    let node: NodeIndex
    let start: Int
    let count: Int
    var isDecoded = false

    /// Negative if `lhs` comes first: by key, then by index for equal keys.
    static func order(_ lhs: Self, _ rhs: Self, in bases: Bases) -> Int {
        let byKey = compareKeys(lhs, rhs, in: bases)
        return byKey != 0 ? byKey : lhs.node.rawValue - rhs.node.rawValue
    }

    /// Compares keys by their UTF-16 code units (RFC 8785, section 3.2.3).
    static func compareKeys(_ lhs: Self, _ rhs: Self, in bases: Bases) -> Int {
        let left = (lhs.isDecoded ? bases.decoded : bases.text) + lhs.start
        let right = (rhs.isDecoded ? bases.decoded : bases.text) + rhs.start
        let common = min(lhs.count, rhs.count)
        var at = 0
        while at < common && left[at] == right[at] { at += 1 }
        guard at < common else { return lhs.count - rhs.count }
        return rank(left[at]) - rank(right[at])
    }

    /// UTF-8 sorts like UTF-16, except for U+E000 to U+FFFF, which come after all surrogates.
    private static func rank(_ byte: UInt8) -> Int {
        byte == 0xEE || byte == 0xEF ? Int(byte) + 0x10 : Int(byte)
    }
}

/// What a canonical text does with values that RFC 8785 cannot express.
public enum CanonicalRules: Sendable, Hashable {
    /// RFC 8785 exactly: numbers are doubles.
    ///
    /// Throws for numbers beyond a double's range, lone surrogates and duplicate keys.
    case strict
    /// RFC 8785, except where that would lose something or fail.
    ///
    /// A number is written by its exact decimal value, so that 1.0 and 1 are equal and two integers that share
    /// a double are not. Duplicate keys keep their order, and a lone surrogate keeps its escape. If RFC 8785
    /// has a form for a value and a double holds the number's digits, the text is that form.
    case lossless
}
