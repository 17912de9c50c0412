import Documents
import HTTPTypes

/// An entity tag, which names a version of a representation (RFC 9110, 8.8.3).
struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// The limits of an `If-None-Match`: the most tags of stored responses, and the most bytes.
    ///
    /// Ordinary servers reject a head over 8,000 bytes, and would reject the URL from then on.
    static let largestCount = 8
    static let largestField = 4096

    /// Whether it only identifies equivalent, not identical, versions.
    let isWeak: Bool
    /// With its quotes.
    let opaque: String
    /// The field's value as received, with `W/` and quotes.
    let description: String

    /// Takes any value of an `ETag` field.
    ///
    /// An invalid one, such as one without quotes, can be sent back unchanged; it counts as weak.
    init(_ value: some StringProtocol) {
        let text = Substring(value).trimmingBlanks
        description = String(text)
        let hasPrefix = text.hasPrefix("W/")
        opaque = String(hasPrefix ? text.dropFirst(2) : text)
        isWeak = hasPrefix || !Self.isQuoted(opaque)
    }

    /// Whether the tags are equal and neither is weak (RFC 9110, 8.8.3.2).
    func isStronglyEqual(to other: Self) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether the tags are equal, weak or not.
    func isWeaklyEqual(to other: Self) -> Bool { opaque == other.opaque }

    private static func isQuoted(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7f }
    }
}

/// The condition in an `If-None-Match` field (RFC 9110, 13.1.2).
enum EntityTagCondition: Sendable, Equatable {
    /// `*`: there must be no representation at all.
    case anything
    case tags([EntityTag])

    /// Nil if there is no such field.
    init?(_ fields: HTTPFields) {
        let lines = fields[values: .ifNoneMatch]
        guard !lines.isEmpty else { return nil }
        let members = FieldList(lines).members
        self = members == ["*"] ? .anything : .tags(members.map { EntityTag($0) })
    }

    /// Whether one of the tags equals `tag`; `*` always matches.
    func matches(_ tag: EntityTag?) -> Bool {
        switch self {
        case .anything: true
        case .tags(let tags):
            tag.map { tag in tags.contains { $0.isWeaklyEqual(to: tag) } } ?? false
        }
    }
}

/// A single range in a `Range` field (RFC 9110, 14.1.2).
enum ByteRange: Sendable, Equatable {
    case from(Int, through: Int?)
    case last(Int)

    /// Nil for several ranges, other units and invalid values.
    init?(_ value: String) {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmingBlanks.asciiLowercased == "bytes" else {
            return nil
        }
        let ends = parts[1].trimmingBlanks.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { 48...57 ~= $0 } }) else {
            return nil
        }
        switch (Int(ends[0]), Int(ends[1])) {
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
        case (nil, let count?) where ends[0].isEmpty && count > 0: self = .last(count)
        default: return nil
        }
    }

    /// The bytes of a representation of `length` bytes; nil if it has none of them.
    func resolved(in length: Int) -> Range<Int>? {
        switch self {
        case .from(let first, let last):
            guard first < length else { return nil }
            return first..<min(length, (last ?? length - 1).saturatingSuccessor)
        case .last(let count):
            return length == 0 ? nil : max(0, length - count)..<length
        }
    }
}

extension Int {
    fileprivate var saturatingSuccessor: Int { self == .max ? self : self + 1 }
}

/// A `Content-Range`: the bytes of the whole that a part contains (RFC 9110, 14.4).
struct ContentRange: Sendable, Hashable {
    let bytes: Range<Int>
    /// The size of the whole; nil if the server does not know it.
    let total: Int?

    init(bytes: Range<Int>, total: Int?) {
        self.bytes = bytes
        self.total = total
    }

    /// Nil unless it is one range of bytes.
    init?(_ value: String) {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].asciiLowercased == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]),
            first <= last, last < Int.max
        else { return nil }
        let total = Self.number(parts[1])
        guard parts[1] == "*" || (total ?? 0) > last else { return nil }
        self.init(bytes: first..<last + 1, total: total)
    }

    /// Accepts only digits, because `Int` would also accept a sign.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }

    /// The field's value.
    var value: String {
        "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map { String($0) } ?? "*")"
    }
}
