/// Where parameters go and how they are written.
public struct ParameterEncoding: Sendable, Hashable {
    /// Where they go.
    public enum Destination: Sendable, Hashable {
        /// The query for GET, HEAD and DELETE; a form body for any other method.
        case methodDependent
        /// The query; what the URL already has stays before them.
        case query
        /// The body, as `application/x-www-form-urlencoded`.
        case form
        /// The body, as a JSON object.
        case json
    }

    /// How an array is written in a query or a form.
    public enum ArrayStyle: Sendable, Hashable {
        /// `k[]=1&k[]=2`
        case brackets
        /// `k=1&k=2`
        case repeated
        /// `k[0]=1&k[1]=2`
        case indexed
        /// As a rule of one's own says.
        case custom(ElementNaming)
    }

    /// How a truth value is written in a query or a form.
    public enum BooleanStyle: Sendable, Hashable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal
    }

    /// A rule for the names of an array's elements.
    ///
    /// Two rules are equal if they have the same name.
    public struct ElementNaming: Sendable, Hashable {
        /// The rule's name.
        public let name: String
        let elementName: @Sendable (_ key: String, _ index: Int) -> String

        /// Makes a rule; `elementName` gives an element's name from the array's
        /// name and the index.
        public init(
            _ name: String,
            elementName: @escaping @Sendable (_ key: String, _ index: Int) -> String
        ) {
            self.name = name
            self.elementName = elementName
        }

        /// Whether two rules have the same name.
        public static func == (a: ElementNaming, b: ElementNaming) -> Bool { a.name == b.name }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// Where they go.
    public var destination: Destination
    /// How an array is written.
    public var arrays: ArrayStyle
    /// How a truth value is written.
    public var booleans: BooleanStyle
    /// Whether parameters, and the members of nested objects, are sorted by name.
    ///
    /// Default no: they stay in the order that they were given in.
    public var sortsKeys: Bool
    /// Whether JSON is written with line ends and indents.
    ///
    /// Default no.
    public var isPretty: Bool

    /// Makes an encoding.
    public init(
        _ destination: Destination = .methodDependent,
        arrays: ArrayStyle = .brackets,
        booleans: BooleanStyle = .numeric,
        sortsKeys: Bool = false,
        isPretty: Bool = false
    ) {
        self.destination = destination
        self.arrays = arrays
        self.booleans = booleans
        self.sortsKeys = sortsKeys
        self.isPretty = isPretty
    }

    /// By method: the query for GET, HEAD and DELETE, else a form.
    public static let methodDependent = ParameterEncoding()
    /// The query.
    public static let query = ParameterEncoding(.query)
    /// A form body.
    public static let form = ParameterEncoding(.form)
    /// A JSON body.
    public static let json = ParameterEncoding(.json)
}
