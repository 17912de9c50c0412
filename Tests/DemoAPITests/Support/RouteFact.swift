import Testing

/// What a route is known to answer.
struct RouteFact: Sendable, CustomTestStringConvertible {
    let method: String
    let target: String
    let status: Int
    let contentType: String?
    /// Stands somewhere in the body.
    let words: String
    let body: String?

    init(
        _ method: String,
        _ target: String,
        _ status: Int,
        _ contentType: String?,
        _ words: String = "",
        body: String? = nil
    ) {
        self.method = method
        self.target = target
        self.status = status
        self.contentType = contentType
        self.words = words
        self.body = body
    }

    var testDescription: String { "\(method) \(target)" }
}
