/// Parameters in order, written as a dictionary or an array literal.
///
/// ```swift
/// let page: ParameterList = ["q": "swift", "tags": ["a", "b"], "page": 2]
/// ```
public struct ParameterList: Sendable, Hashable, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral
{
    /// The parameters.
    public var items: [Parameter]

    /// Makes a list.
    public init(_ items: [Parameter] = []) { self.items = items }
    /// Named values, in the order of the literal; a name may come twice.
    public init(dictionaryLiteral elements: (String, ParameterValue)...) {
        items = elements.map { Parameter($0.0, $0.1) }
    }
    /// Parameters in order.
    public init(arrayLiteral elements: Parameter...) { items = elements }

    /// Whether there is none.
    public var isEmpty: Bool { items.isEmpty }

    /// These parameters, and those of `others` whose names are not among them,
    /// `others` first.
    public func overriding(_ others: ParameterList) -> ParameterList {
        guard !others.isEmpty else { return self }
        let names = Set(items.map(\.name))
        return ParameterList(others.items.filter { !names.contains($0.name) } + items)
    }
}
