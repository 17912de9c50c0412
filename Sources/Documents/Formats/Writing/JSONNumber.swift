/// What RFC 8259, section 6 calls a number.
enum JSONNumber {
    /// Whether a text is one.
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        var rest = text[...]
        if rest.first == 0x2D { rest = rest.dropFirst() }
        let hasZero = rest.first == 0x30
        let whole = takeDigits(&rest)
        guard whole > 0, !hasZero || whole == 1 else { return false }
        if rest.first == 0x2E {
            rest = rest.dropFirst()
            guard takeDigits(&rest) > 0 else { return false }
        }
        if rest.first == 0x65 || rest.first == 0x45 {
            rest = rest.dropFirst()
            if rest.first == 0x2B || rest.first == 0x2D { rest = rest.dropFirst() }
            guard takeDigits(&rest) > 0 else { return false }
        }
        return rest.isEmpty
    }

    private static func takeDigits<Text: Collection<UInt8>>(_ rest: inout Text) -> Int
    where Text.SubSequence == Text {
        let before = rest.count
        rest = rest.drop { $0 >= 0x30 && $0 <= 0x39 }
        return before - rest.count
    }
}
