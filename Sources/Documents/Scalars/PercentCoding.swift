/// Percent-encoded bytes of RFC 3986, section 2.1.
enum PercentCoding {
    /// The bytes that a text stands for; a `%` without two digits stays as it is.
    static func decode(
        _ text: some Collection<UInt8>,
        plusIsBlank: Bool
    ) -> (bytes: [UInt8], firstFault: Int?) {
        let text = Array(text)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var firstFault: Int?
        var at = 0
        while at < text.count {
            let byte = text[at]
            at += 1
            guard byte == 0x25 else {
                bytes.append(plusIsBlank && byte == 0x2B ? 0x20 : byte)
                continue
            }
            if at + 1 < text.count, let high = HexDigit.value(text[at]),
                let low = HexDigit.value(text[at + 1])
            {
                bytes.append(UInt8(high) << 4 | UInt8(low))
                at += 2
            } else {
                firstFault = firstFault ?? at - 1
                bytes.append(byte)
            }
        }
        return (bytes, firstFault)
    }
}
