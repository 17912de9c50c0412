/// The spellings of a character that are equal by Unicode's simple case folding.
enum CaseVariants {
    /// Characters that no case mapping of their partners leads to, with one partner each.
    private static let oneWay: [(UInt32, UInt32)] = [
        (0xB5, 0x3BC), (0x17F, 0x73), (0x345, 0x3B9), (0x3C2, 0x3C3), (0x3D0, 0x3B2),
        (0x3D1, 0x3B8), (0x3D5, 0x3C6), (0x3D6, 0x3C0), (0x3F0, 0x3BA), (0x3F1, 0x3C1),
        (0x3F4, 0x3B8), (0x3F5, 0x3B5), (0x1C80, 0x432), (0x1C81, 0x434), (0x1C82, 0x43E),
        (0x1C83, 0x441), (0x1C84, 0x442), (0x1C85, 0x442), (0x1C86, 0x44A), (0x1C87, 0x463),
        (0x1C88, 0xA64B), (0x1E9B, 0x1E61), (0x1E9E, 0xDF), (0x1FBE, 0x3B9), (0x2126, 0x3C9),
        (0x212A, 0x6B), (0x212B, 0xE5),
    ]

    /// A character and its other spellings, at most four in all.
    static func all(of scalar: Unicode.Scalar) -> [UInt32] {
        // The dotted and the dotless i of Turkish fold to themselves.
        if scalar.value == 0x130 || scalar.value == 0x131 { return [scalar.value] }
        var found = [scalar.value]
        var next = 0
        while next < found.count {
            for other in mappings(of: found[next]) where !found.contains(other) {
                found.append(other)
            }
            next += 1
        }
        return found
    }

    private static func mappings(of value: UInt32) -> [UInt32] {
        guard let properties = Unicode.Scalar(value)?.properties else { return [] }
        let mapped = [
            properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
        ]
        let single = mapped.map(\.unicodeScalars).filter { $0.count == 1 }.map { $0.first?.value }
        let others = oneWay.filter { $0.1 == value }.map { $0.0 }
        // A dotted capital I becomes "i" and a dot: no single character, and none is reached here.
        return single.compactMap { $0 } + others
    }
}
