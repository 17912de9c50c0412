import FlyingFox

extension Route {
    static let broken: [Route] = [
        Route("*", "/status/{code}", "that status") { call in try status(call) },
        Route("GET", "/broken-json", "JSON that breaks off in the middle") { _ in
            .text(
                "{\n  \"items\": [\n    {\"id\": 1, \"name\": \"whole\"},\n    {\"id\": 2, \"na",
                type: "application/json"
            )
        },
        Route(
            "GET",
            "/truncated",
            "half of what Content-Length promises, then the connection is cut"
        ) { _ in
            let half = [UInt8](repeating: UInt8(ascii: "."), count: 2048)
            return .stream(CutBody(pieces: [half]), count: 4096, type: "text/plain")
        },
        Route("GET", "/wrong-type", "a page that is called JSON") { _ in
            .text(page, type: "application/json")
        },
    ]

    private static func status(_ call: Call) throws -> HTTPResponse {
        // 1xx are interim: a client goes on to wait for the final answer, which FlyingFox
        // cannot send after them.
        let code = try call.integer(in: 200...999, "code")
        var fields = HTTPHeaders()
        if (300..<400).contains(code), code != 304 { fields[.location] = "/redirected" }
        if code == 401 { fields[HTTPHeader("WWW-Authenticate")] = "Bearer realm=\"demo\"" }
        if [429, 503].contains(code) { fields[HTTPHeader("Retry-After")] = "1" }
        if [204, 205, 304].contains(code) { return .empty(status: code, fields: fields) }
        return .json(
            ["status": .integer(code), "phrase": .string(StatusPhrase.of(code))],
            status: code,
            fields: fields
        )
    }
}
