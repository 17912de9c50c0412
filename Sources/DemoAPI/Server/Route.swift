import FlyingFox

/// One line of the route table.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> HTTPResponse

    let method: String
    let pattern: String
    let summary: String
    /// The handler reads the request's body to its end; for all others the router throws it away.
    let readsBody: Bool
    let handler: Handler
    let segments: [String]

    /// The method `*` stands for any; in the pattern `{name}` stands for one segment, and a
    /// last `*` for any number of them.
    init(
        _ method: String,
        _ pattern: String,
        _ summary: String,
        readsBody: Bool = false,
        handler: @escaping Handler
    ) {
        self.method = method
        self.pattern = pattern
        self.summary = summary
        self.readsBody = readsBody
        self.handler = handler
        segments = pattern.split(separator: "/").map(String.init)
    }

    var json: JSON {
        ["method": .string(method), "path": .string(pattern), "summary": .string(summary)]
    }

    /// What stands for the placeholders; nil when the path is not of this pattern.
    func match(_ path: [String]) -> [String]? {
        let isOpen = segments.last == "*"
        let fixed = isOpen ? segments.count - 1 : segments.count
        guard isOpen ? path.count >= fixed : path.count == fixed else { return nil }
        var found: [String] = []
        for (segment, word) in zip(segments.prefix(fixed), path) {
            if segment.hasPrefix("{") {
                found.append(word)
            } else if segment != word {
                return nil
            }
        }
        return found
    }

    func allows(_ asked: String) -> Bool {
        method == "*" || method == asked || (method == "GET" && asked == "HEAD")
    }
}
