import DemoAPI
import TestSupport
import Testing

@Suite("The routes of the demo API")
struct RouteTests {
    private static let json = "application/json"
    private static let problem = "application/problem+json"
    private static let octets = "application/octet-stream"

    static let facts: [RouteFact] = data + behaviour + samples + refusals

    private static let data: [RouteFact] = [
        .init("GET", "/", 200, json, "\"path\": \"/users/{id}\""),
        .init("GET", "/users", 200, json, "\"next\": \"/users?page=2&limit=20\""),
        .init("GET", "/users?page=3&limit=20", 200, json, "\"next\": null"),
        .init("GET", "/users?q=LOVE", 200, json, "\"total\": 1"),
        .init("GET", "/users?q=a%20b&limit=1", 200, json, "&q=a%20b\""),
        .init("GET", "/users/7", 200, json, "\"name\": \"Ada Lovelace\""),
        .init("PATCH", "/users/7", 200, json, "\"role\": \"admin\"", body: #"{"role":"admin"}"#),
        .init("DELETE", "/users/7", 204, nil),
        .init("GET", "/orders?status=paid", 200, json, "\"status\": \"paid\""),
        .init("GET", "/orders/1001", 200, json, "\"currency\": \"EUR\""),
        .init(
            "POST",
            "/orders",
            201,
            json,
            "\"id\": 1041",
            body: #"{"user_id":1,"lines":[{"product_id":2,"quantity":3}]}"#
        ),
        .init(
            "PATCH",
            "/orders/1001",
            200,
            json,
            "\"status\": \"cancelled\"",
            body: #"{"status":"cancelled"}"#
        ),
        .init("DELETE", "/orders/1001", 204, nil),
        .init("GET", "/products?q=lamp", 200, json, "\"name\": \"Desk lamp\""),
        .init("GET", "/products/1", 200, json, "\"sku\": \"AP-4007\""),
        .init(
            "POST",
            "/products",
            201,
            json,
            "\"price\": 12.35",
            body: #"{"name":"Kite","price":12.345}"#
        ),
        .init(
            "PUT",
            "/products/3",
            200,
            json,
            "\"price\": 1.00",
            body: #"{"name":"K","price":1}"#
        ),
        .init("DELETE", "/products/3", 204, nil),
    ]

    private static let behaviour: [RouteFact] = [
        .init("GET", "/delay/0.01", 200, json, "\"delayed\": 0.01"),
        .init("GET", "/stream/3?interval=0", 200, "application/x-ndjson", "{\"line\":3,\"of\":3,"),
        .init("GET", "/drip?duration=0.05&bytes=7", 200, octets, "*******"),
        .init("GET", "/status/418", 418, json, "I'm a teapot"),
        .init("GET", "/status/204", 204, nil),
        .init("DELETE", "/status/503", 503, json, "Service Unavailable"),
        .init("GET", "/etag", 200, json, "\"edition\": 1"),
        .init("GET", "/cache/60", 200, json, "\"max_age\": 60"),
        .init("GET", "/redirect/2", 302, nil),
        .init("GET", "/redirected", 200, json, "\"redirected\": true"),
        .init("GET", "/bytes/5", 200, octets, "aaaaa"),
        .init("GET", "/headers", 200, json, "\"Host\": \"demo.test\""),
        .init("GET", "/echo/a?x=1&x=2", 200, json, "\"url\": \"http://demo.test/echo/a?x=1&x=2\""),
        .init("PATCH", "/echo", 200, json, "\"text\": \"hällo\"", body: "hällo"),
        .init("PUT", "/upload", 200, json, "\"crc32\": \"cbf43926\"", body: "123456789"),
        .init("GET", "/big?megabytes=0.001", 200, json, "\"Ada Lovelace\""),
    ]

    private static let samples: [RouteFact] = [
        .init("GET", "/broken-json", 200, json, "{\"id\": 2, \"na"),
        .init("GET", "/wrong-type", 200, json, "<!DOCTYPE html>"),
        .init("GET", "/image.png", 200, "image/png", "PNG"),
        .init("GET", "/html", 200, "text/html; charset=utf-8", "<h1>Swifts</h1>"),
        .init("GET", "/text", 200, "text/plain; charset=utf-8", "アマツバメ"),
        .init("GET", "/xml", 200, "application/xml", "<latin>Apus apus</latin>"),
    ]

    private static let refusals: [RouteFact] = [
        .init("GET", "/users/4711", 404, problem, "There is no user 4711."),
        .init("GET", "/users/x", 404, problem, "There is no user `x`."),
        .init("GET", "/users?limit=0", 422, problem, "`limit` must be a number from 1 to 100"),
        .init("GET", "/userz", 404, problem, "\"near\": [\n    \"/users\""),
        .init("DELETE", "/users", 405, problem, "not DELETE"),
        .init("POST", "/users", 400, problem, "not JSON", body: "{"),
        .init("POST", "/users", 422, problem, "\"field\": \"email\"", body: #"{"name":"Nobody"}"#),
        .init(
            "POST",
            "/orders",
            422,
            problem,
            "lines[0].product_id",
            body: #"{"user_id":1,"lines":[{"product_id":99,"quantity":1}]}"#
        ),
        .init("PATCH", "/products/1", 422, problem, "negative", body: #"{"stock":-1}"#),
        .init("GET", "/orders?status=lost", 422, problem, "placed, paid, packed"),
        .init("GET", "/me", 401, problem, "POST /verify"),
        .init("GET", "/bearer", 401, problem, "bearer token"),
        .init("GET", "/basic-auth/ada/lovelace", 401, problem, "password"),
        .init("GET", "/status/100", 422, problem, "from 200 to 999"),
    ]

    @Test("response with their status, their type and their content", arguments: facts)
    func answers(_ fact: RouteFact) async throws {
        let answer = try await DemoServer.answer(fact.method, fact.target, body: fact.body)
        #expect(answer.status == fact.status)
        #expect(answer["Content-Type"] == fact.contentType)
        #expect(answer.isComplete)
        #expect(fact.words.isEmpty || answer.text.contains(fact.words), "\(answer.text)")
        #expect(answer["Date"] != nil)
    }

    @Test(
        "response HEAD with the head of GET and no body",
        arguments: ["/", "/bytes/1024", "/gzip", "/image.png", "/html", "/big?megabytes=3"]
    )
    func head(_ target: String) async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let head = try connection.answer("HEAD", target)
                // A body that was sent all the same would be read as this response's head.
                let whole = try connection.answer("GET", target)
                #expect(head.status == 200 && whole.status == 200)
                #expect(head["Content-Length"] == whole["Content-Length"])
                #expect(head["Content-Length"] == "\(whole.body.count)")
                #expect(head["Content-Type"] == whole["Content-Type"])
            }
        }
    }

    @Test("name the methods that there are when another is used")
    func allow() async throws {
        let answer = try await DemoServer.answer("POST", "/me")
        #expect(answer["Allow"] == "GET, PATCH, HEAD")
    }

    @Test("throw away the body of a request that they refuse, so that the connection goes on")
    func refusedBody() async throws {
        try await DemoServer.running { _, port in
            try await talk(to: port) { connection in
                let body = String(repeating: "GET /status/500 HTTP/1.1\r\n", count: 20_000)
                try #expect(connection.answer("POST", "/nowhere", body: body).status == 404)
                try #expect(connection.answer("GET", "/users/1").status == 200)
            }
        }
    }

    @Test("tell the fields in the order in which they came, repeated ones too")
    func fieldOrder() async throws {
        let fields = ["X-B: 1", "x-a: 2", "X-B: 3"]
        let echo = try await DemoServer.answer("GET", "/echo", fields)
        let names = echo.text.split(separator: "\"name\": \"").dropFirst().map {
            $0.prefix { $0 != "\"" }
        }
        #expect(names == ["Host", "X-B", "x-a", "X-B"])
        let headers = try await DemoServer.answer("GET", "/headers", fields)
        #expect(headers.text.contains(#""X-B": "1, 3""#))
    }

    @Test("refuse a head that is larger than any client's, and read one that is not in no time")
    func largeHead() async throws {
        let line = "X-Filler: " + String(repeating: "a", count: 1_000)
        let large = try await DemoServer.answer("GET", "/", Array(repeating: line, count: 60))
        #expect(large.status == 200)
        let tooLarge = try await DemoServer.answer("GET", "/", Array(repeating: line, count: 80))
        #expect(tooLarge.status == 431)
    }
}
