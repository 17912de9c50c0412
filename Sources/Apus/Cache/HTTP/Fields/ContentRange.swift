/// Which bytes of the whole a part holds (RFC 9110, 14.4).
struct ContentRange: Sendable, Hashable {
    let bytes: Range<Int>
    /// Nil if the server does not know.
    let total: Int?

    init(bytes: Range<Int>, total: Int?) {
        self.bytes = bytes
        self.total = total
    }

    /// Nil for what is not one range of bytes.
    init?(_ value: String) {
        let words = value.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
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

    /// Digits, and nothing else that Swift reads as a number.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { 0x30...0x39 ~= $0 } ? Int(text) : nil
    }

    /// As a field gives it.
    var value: String {
        "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map { String($0) } ?? "*")"
    }
}
