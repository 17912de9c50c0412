internal import Documents

/// A named value that goes into a query, a form or a JSON body.
public struct Parameter: Sendable, Hashable {
    /// The name that the server reads.
    public var name: String
    /// The value, which an encoding writes in its own notation.
    public var value: ParameterValue

    /// Makes a parameter.
    public init(_ name: String, _ value: ParameterValue) {
        self.name = name
        self.value = value
    }
}

/// Parameters in order, written as a dictionary or an array literal.
///
/// ```swift
/// let page: ParameterList = ["q": "swift", "tags": ["a", "b"], "page": 2]
/// ```
public struct ParameterList: Sendable, Hashable, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral
{
    /// The parameters in the order in which they were given.
    public var items: [Parameter]

    /// Makes a list.
    public init(_ items: [Parameter] = []) { self.items = items }
    /// Makes a list in the order of the literal; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        items = elements.map { Parameter($0.0, $0.1) }
    }
    /// Makes a list in the order of the literal.
    public init(arrayLiteral elements: Parameter...) { items = elements }

    /// Whether the list has no parameters.
    public var isEmpty: Bool { items.isEmpty }

    /// Returns the parameters of `others` whose names are not in this list, followed by this list.
    public func overriding(_ others: ParameterList) -> ParameterList {
        guard !others.isEmpty else { return self }
        let names = Set(items.map(\.name))
        return ParameterList(others.items.filter { !names.contains($0.name) } + items)
    }
}

/// The value of a parameter; literals can express it.
public indirect enum ParameterValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number, written in decimal digits.
    case integer(Int)
    /// Any other number, in Swift's shortest exact form.
    case number(Double)
    /// A Boolean: `true` or `false` in JSON; each encoding decides what it is in a query or a form.
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
    /// Makes `.integer` of a literal such as `7`.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// Any other number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Makes `.boolean` of `true` or `false`.
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

extension ParameterValue {
    /// The value as JSON (RFC 8259): members in their order and no white space, unless `encoding` says otherwise.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest(.encoding)` for a number that JSON cannot express
    ///   (NaN, infinity).
    package func json(_ encoding: ParameterEncoding = .json) throws(ApusError) -> [UInt8] {
        var text = ParameterJSON(encoding: encoding)
        try text.add(self)
        return text.bytes
    }
}

/// Writes parameters as JSON.
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
            throw ApusError(.invalidRequest(.encoding(detail: "JSON cannot represent \(number)")))
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
