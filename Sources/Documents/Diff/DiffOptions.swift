/// How two documents are compared.
public struct DiffOptions: Sendable {
    /// When two numbers are equal.
    public var numbers: NumberComparison
    /// Values of the left document that are not compared, nor what lies in them.
    public var ignoredLeft: NodeSet
    /// Values of the right document that are not compared, nor what lies in them.
    public var ignoredRight: NodeSet

    /// Numbers are compared by value and nothing is ignored unless said otherwise.
    public init(
        numbers: NumberComparison = .value,
        ignoredLeft: NodeSet = NodeSet(),
        ignoredRight: NodeSet = NodeSet()
    ) {
        self.numbers = numbers
        self.ignoredLeft = ignoredLeft
        self.ignoredRight = ignoredRight
    }
}
