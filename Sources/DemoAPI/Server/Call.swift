import Documents
import FoundationEssentials
import HTTPServing
import HTTPTypes

/// A request that a route handles, with accessors for the handlers.
struct Call: Sendable {
    let request: HTTPRequest
    let body: IncomingBody
    /// The percent-decoded values of the `{…}` placeholders in the route's pattern.
    let parameters: [String]
    let world: DemoWorld
    let clock: DemoClock
    let index: JSON

    func parameter(_ position: Int) -> String {
        position < parameters.count ? parameters[position] : ""
    }

    /// The first parameter as an identifier; throws a 404 if it is not a number.
    func identifier(of kind: String) throws(Problem) -> Int {
        guard let id = Int(parameter(0)) else {
            throw .notFound("\(kind) `\(parameter(0))`")
        }
        return id
    }

    /// A parameter as a whole number in `range`; throws a 422 if it is anything else.
    func integer(_ position: Int = 0, in range: ClosedRange<Int>, _ name: String) throws(Problem)
        -> Int
    {
        try Self.check(Int(parameter(position)), in: range, name)
    }

    /// A parameter as a number in `range`, which may have a fraction; throws a 422 if it is anything else.
    func number(_ position: Int = 0, in range: ClosedRange<Double>, _ name: String) throws(Problem)
        -> Double
    {
        try Self.check(Double(parameter(position)), in: range, name)
    }

    func queryText(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }

    /// The names and values of the query, percent-decoded.
    var query: [(name: String, value: String)] {
        Self.target(of: request).query.split(separator: "&").map { pair in
            let sign = pair.firstIndex(of: "=") ?? pair.endIndex
            return (Self.decoded(pair[..<sign]), Self.decoded(pair[sign...].dropFirst()))
        }
    }

    /// The path and query of a request, not decoded.
    static func target(of request: HTTPRequest) -> (path: Substring, query: Substring) {
        let target = (request.path ?? "/")[...]
        guard let mark = target.firstIndex(of: "?") else { return (target, "") }
        return (target[..<mark], target[mark...].dropFirst())
    }

    private static func decoded(_ text: Substring) -> String {
        PercentEncoding.decoded(text) ?? String(text)
    }

    func queryInteger(_ name: String, default fallback: Int, in range: ClosedRange<Int>)
        throws(Problem) -> Int
    {
        guard let text = queryText(name) else { return fallback }
        return try Self.check(Int(text), in: range, name)
    }

    func queryNumber(_ name: String, default fallback: Double, in range: ClosedRange<Double>)
        throws(Problem) -> Double
    {
        guard let text = queryText(name) else { return fallback }
        return try Self.check(Double(text), in: range, name)
    }

    func page() throws(Problem) -> Page {
        Page(
            number: try queryInteger("page", default: 1, in: 1...1_000_000),
            limit: try queryInteger("limit", default: 20, in: Page.limits)
        )
    }

    /// The token of `Authorization: Bearer TOKEN`; nil if there is none.
    var bearerToken: String? {
        credentials(scheme: "bearer")
    }

    func credentials(scheme: String) -> String? {
        guard let words = request.headerFields[.authorization]?.split(separator: " ", maxSplits: 1),
            words.count == 2,
            words[0].asciiLowercased == scheme
        else { return nil }
        return String(words[1])
    }

    private static func check<Value: Comparable>(
        _ value: Value?,
        in range: ClosedRange<Value>,
        _ name: String
    ) throws(Problem) -> Value {
        guard let value, range.contains(value) else {
            throw .invalid([
                .init(name, "must be a number from \(range.lowerBound) to \(range.upperBound)")
            ])
        }
        return value
    }
}
