import Documents
import FoundationEssentials
import HTTPServing
import HTTPTypes

/// Finds the route of a request, and completes every response: problems, and the fields that all responses
/// have.
struct Router: Sendable {
    private let routes: [Route]
    private let world: DemoWorld
    private let clock: DemoClock
    private let index: JSON

    init(world: DemoWorld, clock: DemoClock) {
        routes = Route.all
        self.world = world
        self.clock = clock
        index = JSON(routes.map(\.json))
    }

    func answer(_ request: IncomingRequest, _ writer: ResponseWriter) async throws {
        var response = try await response(to: request)
        response.fields[.date] = Moment.httpDate(clock.now)
        response.fields[.server] = "apus-demo"
        try await response.send(writer)
    }

    private func response(to request: IncomingRequest) async throws -> DemoResponse {
        do {
            let (route, parameters) = try await found(request)
            let call = Call(
                request: request.head,
                body: request.body,
                parameters: parameters,
                world: world,
                clock: clock,
                index: index
            )
            return try await route.handler(call)
        } catch let problem as Problem {
            return problem.response
        } catch let fault as HTTPError {
            // The request is not valid HTTP.
            throw fault
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return Problem(status: 500, detail: "\(error)").response
        }
    }

    private func found(_ request: IncomingRequest) async throws -> (Route, [String]) {
        do {
            let found = try find(request)
            if !found.0.readsBody { try await discardBody(of: request) }
            return found
        } catch let problem as Problem {
            try await discardBody(of: request)
            throw problem
        }
    }

    private func find(_ request: IncomingRequest) throws(Problem) -> (Route, [String]) {
        let path = Self.segments(request)
        var allowed: [String] = []
        for route in routes {
            guard let parameters = route.match(path) else { continue }
            if route.allows(request.head.method.rawValue) { return (route, parameters) }
            allowed.append(route.method)
        }
        if allowed.isEmpty { throw unknown(path) }
        if allowed.contains("GET") { allowed.append("HEAD") }
        var fields = HTTPFields()
        fields[.allow] = allowed.joined(separator: ", ")
        throw Problem(
            status: 405,
            detail: """
                This route allows \(allowed.joined(separator: ", ")), \
                not \(request.head.method.rawValue).
                """,
            fields: fields
        )
    }

    private func unknown(_ path: [String]) -> Problem {
        let asked = "/" + path.joined(separator: "/")
        let ranked = Set(routes.map(\.pattern))
            .map { (pattern: $0, distance: Suggestion.distance(asked, $0)) }
            .sorted { ($0.distance, $0.pattern) < ($1.distance, $1.pattern) }
        return Problem(
            status: 404,
            detail: "There is no route \(asked). GET / lists them all.",
            near: ranked.prefix(3).map(\.pattern)
        )
    }

    /// Reads the rest of a body, so that the connection can be used for the next request.
    private func discardBody(of request: IncomingRequest) async throws {
        for try await _ in request.body {}
    }

    private static func segments(_ request: IncomingRequest) -> [String] {
        Call.target(of: request.head).path.split(separator: "/").map {
            PercentEncoding.decoded($0) ?? String($0)
        }
    }
}

/// An entry of the route table.
struct Route: Sendable {
    typealias Handler = @Sendable (Call) async throws -> DemoResponse

    let method: String
    let pattern: String
    let summary: String
    /// Whether the handler reads the request's body to its end; if not, the router discards the body.
    let readsBody: Bool
    let handler: Handler
    let segments: [String]

    /// The method `*` matches any method; in the pattern, `{name}` matches one segment, and a `*` at the end
    /// any number of them.
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
        ["method": JSON(method), "path": JSON(pattern), "summary": JSON(summary)]
    }

    /// The values of the placeholders; nil if the path does not match the pattern.
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

extension Route {
    /// The route table, in the order of the index.
    static var all: [Route] {
        [Route("GET", "/", "lists all routes") { call in index(call) }]
            + users + orders + products + accounts + timing + caching + authorization + inspection
            + samples + broken
    }

    private static func index(_ call: Call) -> DemoResponse {
        .json(["name": "Apus demo API", "version": "1", "routes": call.index])
    }
}
