internal import Documents

extension ParameterValue {
    /// The value as JSON (RFC 8259), members in their order, no white space.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest(.encoding)` for a
    ///   number that JSON has no form for (NaN, infinity).
    package func json() throws(ApusError) -> [UInt8] {
        var out: [UInt8] = []
        try write(to: &out)
        return out
    }

    private func write(to out: inout [UInt8]) throws(ApusError) {
        switch self {
        case .string(let text): QuotedText.append(text, to: &out)
        case .integer(let number): out.append(contentsOf: String(number).utf8)
        case .number(let number): try Self.write(number, to: &out)
        case .boolean(let flag): out.append(contentsOf: (flag ? "true" : "false").utf8)
        case .null: out.append(contentsOf: "null".utf8)
        case .array(let elements): try Self.write(elements, to: &out)
        case .object(let members): try Self.write(members, to: &out)
        }
    }

    private static func write(_ number: Double, to out: inout [UInt8]) throws(ApusError) {
        guard number.isFinite else {
            throw ApusError(.invalidRequest(.encoding(detail: "JSON has no form for \(number)")))
        }
        out.append(contentsOf: String(number).utf8)
    }

    private static func write(_ elements: [ParameterValue], to out: inout [UInt8]) throws(ApusError)
    {
        out.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            try element.write(to: &out)
        }
        out.append(UInt8(ascii: "]"))
    }

    private static func write(_ members: [Parameter], to out: inout [UInt8]) throws(ApusError) {
        out.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            QuotedText.append(member.name, to: &out)
            out.append(UInt8(ascii: ":"))
            try member.value.write(to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }
}
