/// The one range that a `Range` field asks for (RFC 9110, 14.1.2).
enum ByteRange: Sendable, Equatable {
    case from(Int, through: Int?)
    case last(Int)

    /// Nil for several ranges, other units and what is not in the grammar.
    init?(_ value: String) {
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].trimmingBlanks.lowercased() == "bytes" else { return nil }
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
