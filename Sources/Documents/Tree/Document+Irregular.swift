/// Values and keys that a resumed parse kept although they are not as RFC 8259 wants.
extension Document {
    private var lenient: LenientText { LenientText(base: bytes.base, end: bytes.count) }

    /// Behind a value that only a lenient reader takes.
    func irregularEnd(from start: Int) -> Int {
        switch bytes.base[start] {
        case 0x22, 0x27: lenient.stringEnd(from: start, isKey: false) ?? bytes.count
        default: lenient.wordEnd(from: start)
        }
    }

    /// What an irregular string holds, without the quotes it has.
    func irregularContent(of range: Range<Int>) -> Range<Int> { lenient.content(of: range) }

    /// A key that only a lenient reader takes, without the quotes it has.
    func irregularKey(from start: Int, before offset: Int) -> Range<Int> {
        let end = lenient.keyEnd(from: start) ?? offset
        return lenient.content(of: start..<max(start + 1, min(end, offset)))
    }
}
