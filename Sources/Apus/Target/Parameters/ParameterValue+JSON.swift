internal import Documents

extension ParameterValue {
    /// The value as JSON (RFC 8259): members in their order, no white space,
    /// unless `encoding` says otherwise.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest(.encoding)` for a
    ///   number that JSON has no form for (NaN, infinity).
    package func json(_ encoding: ParameterEncoding = .json) throws(ApusError) -> [UInt8] {
        var text = ParameterJSON(encoding: encoding)
        try text.add(self)
        return text.bytes
    }
}

/// JSON that is being written from parameters.
private struct ParameterJSON {
    let encoding: ParameterEncoding
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(encoding: ParameterEncoding) { self.encoding = encoding }

    mutating func add(_ value: ParameterValue) throws(ApusError) {
        switch value {
        case .string(let text): QuotedText.append(text, to: &bytes)
        case .integer(let number): add(String(number))
        case .number(let number): try add(number)
        case .boolean(let flag): add(flag ? "true" : "false")
        case .null: add("null")
        case .array(let elements):
            try add(elements, between: "[", "]") { (text, element) throws(ApusError) in
                try text.add(element)
            }
        case .object(let members):
            let members = encoding.ordered(members)
            try add(members, between: "{", "}") { (text, member) throws(ApusError) in
                QuotedText.append(member.name, to: &text.bytes)
                text.add(text.encoding.isPretty ? ": " : ":")
                try text.add(member.value)
            }
        }
    }

    private mutating func add(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private mutating func add(_ number: Double) throws(ApusError) {
        guard number.isFinite else {
            throw ApusError(.invalidRequest(.encoding(detail: "JSON has no form for \(number)")))
        }
        add(String(number))
    }

    private mutating func add<Item>(
        _ items: [Item],
        between opening: String,
        _ closing: String,
        write: (inout ParameterJSON, Item) throws(ApusError) -> Void
    ) throws(ApusError) {
        add(opening)
        depth += 1
        for (index, item) in items.enumerated() {
            if index > 0 { add(",") }
            breakLine()
            try write(&self, item)
        }
        depth -= 1
        if !items.isEmpty { breakLine() }
        add(closing)
    }

    private mutating func breakLine() {
        guard encoding.isPretty else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: depth * 2))
    }
}
