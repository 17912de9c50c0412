/// Values and keys that a resumed parse kept although they are not as RFC 8259 wants.
extension Document {
    func irregularEnd(of value: Node) -> Int { value.payload + 1 }
    func irregularKey(from start: Int, before offset: Int) -> Range<Int> { start..<offset }
}
