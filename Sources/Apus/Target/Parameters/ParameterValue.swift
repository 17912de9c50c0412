/// A parameter's value; literals make one.
public indirect enum ParameterValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// Any other number, in Swift's shortest exact form.
    case number(Double)
    /// A truth value.
    case boolean(Bool)
    /// Nothing: `null` in JSON, an empty value in a form.
    case null
    /// Values in order.
    case array([ParameterValue])
    /// Named values in order.
    case object([Parameter])
}

extension ParameterValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Any other number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
    /// Values in order.
    public init(arrayLiteral elements: ParameterValue...) { self = .array(elements) }
    /// Named values in order.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        self = .object(elements.map { Parameter($0.0, $0.1) })
    }
}
