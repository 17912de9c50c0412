/// Reads form bodies and query strings by the URL standard: `+` is a space, `%41` is a byte.
///
/// A `%` without two hexadecimal digits stays, and so does a byte order mark: neither is a fault there.
/// Names stay flat as written (`a[b][]`). A repeated name becomes an array at its first occurrence; a name
/// without `=` is null.
enum FormReader {
    private struct Pair {
        let name: [UInt8]
        let value: Range<Int>?
        let offset: Int
        /// The index of the next pair of the same name.
        var next: Int?
        var isFirst = true
    }

    /// The approximate bytes of a pair in memory until it is written.
    private static let pairSize = 256

    static func read(_ out: inout JSONConversion) {
        let start = out.text.base[0] == 0x3F && out.text.count > 0 ? 1 : 0
        let pairs = pairs(&out, from: start)
        out.writer.beginObject()
        for pair in pairs where pair.isFirst {
            if out.shouldStop(at: pair.offset) { return }
            pair.name.withUnsafeBufferPointer { out.writer.key($0) }
            guard pair.next != nil else {
                write(pair, &out)
                continue
            }
            out.mark(pair.offset)
            out.writer.beginArray()
            var current: Pair? = pair
            while let one = current {
                write(one, &out)
                current = one.next.map { pairs[$0] }
            }
            out.writer.endArray()
        }
        out.writer.endObject()
    }

    private static func pairs(_ out: inout JSONConversion, from start: Int) -> [Pair] {
        var pairs: [Pair] = []
        var last: [[UInt8]: Int] = [:]
        let end = trimmedEnd(out.text, from: start)
        var at = start
        while at < end {
            if out.shouldStop(at: at, holding: pairs.count * Self.pairSize) { break }
            let stop = find(0x26, in: out.text, at..<end) ?? end
            defer { at = stop + 1 }
            guard stop > at else { continue }
            let equals = find(0x3D, in: out.text, at..<stop)
            let name = decoded(at..<(equals ?? stop), out)
            var pair = Pair(name: name, value: equals.map { $0 + 1..<stop }, offset: at)
            if let before = last[name] {
                pairs[before].next = pairs.count
                pair.isFirst = false
            }
            last[name] = pairs.count
            pairs.append(pair)
        }
        return pairs
    }

    private static func write(_ pair: Pair, _ out: inout JSONConversion) {
        out.mark(pair.offset)
        guard let value = pair.value else { return out.writer.token("null") }
        decoded(value, out).withUnsafeBufferPointer { out.writer.string($0) }
    }

    /// The end of the text without trailing line ends, which editors and shells add.
    private static func trimmedEnd(_ text: DocumentBytes, from start: Int) -> Int {
        var end = text.count
        while end > start, text.base[end - 1] == 0x0A || text.base[end - 1] == 0x0D { end -= 1 }
        return end
    }

    private static func decoded(_ range: Range<Int>, _ out: borrowing JSONConversion) -> [UInt8] {
        PercentEncoding.decode(Array(out.slice(range)), plusIsSpace: true).bytes
    }

    private static func find(_ byte: UInt8, in text: DocumentBytes, _ range: Range<Int>) -> Int? {
        range.first { text.base[$0] == byte }
    }
}
