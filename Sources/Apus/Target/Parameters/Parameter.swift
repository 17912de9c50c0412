/// A named value that goes into a query, a form or a JSON body.
public struct Parameter: Sendable, Hashable {
    /// The name, as the server is to read it.
    public var name: String
    /// The value.
    public var value: ParameterValue

    /// Makes a parameter.
    public init(_ name: String, _ value: ParameterValue) {
        self.name = name
        self.value = value
    }
}
