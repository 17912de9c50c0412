import Documents

/// Where parameters go and how they are written.
public struct ParameterEncoding: Sendable, Hashable {
    /// Where the parameters go: to the query or the body.
    public enum Destination: Sendable, Hashable {
        /// The query for GET, HEAD and DELETE; a form body for any other method.
        case methodDependent
        /// The query for GET, HEAD, DELETE, OPTIONS and TRACE; a JSON body for any other method.
        case methodDependentJSON
        /// The query, after what the URL already has.
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
        /// By a rule of your own.
        case custom(ElementNaming)
    }

    /// How a Boolean is written in a query or a form.
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

        /// Makes a rule; `elementName` returns an element's name for the array's name and the index.
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

    /// Where the parameters go: to the query or the body.
    public var destination: Destination
    /// How an array is written.
    public var arrays: ArrayStyle
    /// How a Boolean is written.
    public var booleans: BooleanStyle
    /// Whether parameters, and the members of nested objects, are sorted by name.
    ///
    /// By default they keep the order in which they were given.
    public var sortsKeys: Bool
    /// Whether JSON is written with line breaks and indentation; false by default.
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
    /// By method: the query for GET, HEAD, DELETE, OPTIONS and TRACE, else JSON.
    public static let methodDependentJSON = ParameterEncoding(.methodDependentJSON)
    /// In the URL's query, whatever the method.
    public static let query = ParameterEncoding(.query)
    /// In the body as a form (`application/x-www-form-urlencoded`), whatever the method.
    public static let form = ParameterEncoding(.form)
    /// In the body as a JSON object, whatever the method.
    public static let json = ParameterEncoding(.json)
}

extension ParameterEncoding {
    /// `a=1&b[]=2`, in the parameters' order, for a query.
    func queryText(of parameters: [Parameter]) -> String {
        text(of: parameters, escape: PercentEncoding.component)
    }

    /// `a=1&b[]=2`, in the parameters' order, for a form body, where a space is `+`.
    func formText(of parameters: [Parameter]) -> String {
        text(of: parameters, escape: PercentEncoding.form)
    }

    /// The members in the order in which they are written; equal names keep their order.
    func ordered(_ members: [Parameter]) -> [Parameter] {
        guard sortsKeys else { return members }
        return members.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element)
    }

    private func text(of parameters: [Parameter], escape: (String) -> String) -> String {
        var pairs: [(name: String, value: String)] = []
        for parameter in ordered(parameters) {
            collect(parameter.value, named: parameter.name, into: &pairs)
        }
        // Brackets are escaped like data, because the server decodes a name before it interprets it.
        return pairs.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    private func collect(
        _ value: ParameterValue,
        named name: String,
        into pairs: inout [(name: String, value: String)]
    ) {
        switch value {
        case .string(let text): pairs.append((name, text))
        case .integer(let number): pairs.append((name, String(number)))
        case .number(let number): pairs.append((name, String(number)))
        case .boolean(let flag): pairs.append((name, text(of: flag)))
        case .null: pairs.append((name, ""))
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, named: self.name(name, ofElement: index), into: &pairs)
            }
        case .object(let members):
            for member in ordered(members) {
                collect(member.value, named: "\(name)[\(member.name)]", into: &pairs)
            }
        }
    }

    private func text(of flag: Bool) -> String {
        switch booleans {
        case .numeric: flag ? "1" : "0"
        case .literal: flag ? "true" : "false"
        }
    }

    private func name(_ name: String, ofElement index: Int) -> String {
        switch arrays {
        case .brackets: "\(name)[]"
        case .repeated: name
        case .indexed: "\(name)[\(index)]"
        case .custom(let naming): naming.elementName(name, index)
        }
    }
}
