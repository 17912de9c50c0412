extension DocumentBytes {
    /// A range as text of at most `limit` bytes, without half a character at its end.
    ///
    /// What is not UTF-8 becomes U+FFFD.
    func cutText(_ range: Range<Int>, limit: Int) -> (text: String, isCut: Bool) {
        guard range.count > limit else { return (string(in: range), false) }
        var end = range.lowerBound + max(0, limit)
        // At most three steps back: what is longer is no UTF-8 and may be cut anywhere.
        let earliest = max(range.lowerBound, end - 3)
        while end > earliest && base[end] & 0xC0 == 0x80 { end -= 1 }
        return (string(in: range.lowerBound..<end), true)
    }

    /// The nearest place at or after `offset` where a character begins.
    func characterStart(from offset: Int, in range: Range<Int>) -> Int {
        var at = min(max(offset, range.lowerBound), range.upperBound)
        let latest = min(range.upperBound, at + 3)
        while at > range.lowerBound && at < latest && base[at] & 0xC0 == 0x80 { at += 1 }
        return at
    }
}
