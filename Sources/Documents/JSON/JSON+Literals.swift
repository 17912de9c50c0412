extension JSON: ExpressibleByStringLiteral {
    /// A string.
    public init(stringLiteral value: String) { self.init(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
}

extension JSON: ExpressibleByFloatLiteral {
    /// A number in its shortest form.
    public init(floatLiteral value: Double) { self.init(value) }
}

extension JSON: ExpressibleByBooleanLiteral {
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self.init(value) }
}

extension JSON: ExpressibleByNilLiteral {
    /// The value `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByArrayLiteral {
    /// An array.
    public init(arrayLiteral elements: JSON...) { self.init(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
    /// An object with its members in this order, equal names too.
    public init(dictionaryLiteral members: (String, JSON)...) {
        self.init(members: members.map { (key: $0.0, value: $0.1) })
    }
}
