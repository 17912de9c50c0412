extension Collection<UInt8> where Index == Int {
    /// The bytes with other bytes in place of some of their ranges, which are in order and do not overlap.
    package func replacing(_ parts: [(range: Range<Int>, bytes: [UInt8])]) -> [UInt8] {
        var (result, done) = ([UInt8](), startIndex)
        for part in parts {
            result += self[done..<part.range.lowerBound]
            result += part.bytes
            done = part.range.upperBound
        }
        return result + self[done...]
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The text with each range replaced by a mask; overlapping ranges get one mask.
    func replacing(
        _ ranges: [Range<Int>],
        with mask: (Range<Int>, UnsafeBufferPointer<UInt8>) -> String
    ) -> [UInt8] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            // A range may begin in another one and end after it.
            if let last = merged.last, range.lowerBound < last.upperBound {
                let end = Swift.max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound..<end
            } else {
                merged.append(range)
            }
        }
        return replacing(merged.map { ($0, Array(mask($0, self).utf8)) })
    }
}

extension String {
    /// The same for ranges of the text's UTF-8.
    func replacing(
        _ ranges: [Range<Int>],
        with mask: (Range<Int>, UnsafeBufferPointer<UInt8>) -> String
    ) -> String {
        guard !ranges.isEmpty else { return self }
        var text = self
        return text.withUTF8 { String(decoding: $0.replacing(ranges, with: mask), as: UTF8.self) }
    }
}
