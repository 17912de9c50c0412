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
    }

    /// How a truth value is written in a query or a form.
    public enum BooleanStyle: Sendable, Hashable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal
    }

    /// Where they go.
    public var destination: Destination
    /// How an array is written.
    public var arrays: ArrayStyle
    /// How a truth value is written.
    public var booleans: BooleanStyle

    /// Makes an encoding.
    public init(
        _ destination: Destination = .methodDependent,
        arrays: ArrayStyle = .brackets,
        booleans: BooleanStyle = .numeric
    ) {
        self.destination = destination
        self.arrays = arrays
        self.booleans = booleans
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
