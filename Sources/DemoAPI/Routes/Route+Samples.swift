import Documents
import HTTPTypes

extension Route {
    static let samples: [Route] = [
        Route("GET", "/image.png", "a picture") { _ in .bytes(SwiftPicture.png, type: "image/png")
        },
        Route("GET", "/html", "a page") { _ in .text(page, type: "text/html; charset=utf-8") },
        Route("GET", "/text", "UTF-8 text with wide and combined letters") { _ in .text(letters) },
        Route("GET", "/xml", "an XML document") { _ in .text(document, type: "application/xml") },
    ]

    static let page = """
        <!DOCTYPE html>
        <html lang="en">
          <head><meta charset="utf-8"><title>Swifts</title></head>
          <body><h1>Swifts</h1><p>They sleep on the wing.</p></body>
        </html>

        """

    private static let letters = """
        The swift, Apus apus, is hardly ever seen to land.
        Der Mauersegler schläft im Flug.
        アマツバメは飛びながら眠る。
        Стриж спит на лету. 🐦 e\u{301} (two code points), é (one)

        """

    private static let document = """
        <?xml version="1.0" encoding="UTF-8"?>
        <birds>
          <bird id="1"><name>Common swift</name><latin>Apus apus</latin></bird>
          <bird id="2"><name>Alpine swift</name><latin>Tachymarptis melba</latin></bird>
        </birds>

        """
}

extension Route {
    static let timing: [Route] = [
        Route("*", "/delay/{seconds}", "answers after that long (at most 60)") { call in
            let seconds = try call.number(in: 0...60, "seconds")
            try await Task.sleep(for: .seconds(seconds))
            return .json(["delayed": .number("\(seconds)")])
        },
        Route("GET", "/stream/{n}", "n JSON lines, one chunk each, interval seconds apart") {
            call in
            let stream = LineStream(
                count: try call.integer(in: 0...100_000, "n"),
                interval: try call.queryNumber("interval", default: 0.1, in: 0...10),
                clock: call.clock
            )
            return .stream(stream, count: nil, type: "application/x-ndjson")
        },
        Route("GET", "/drip", "bytes spread over duration seconds, after delay") { call in
            let drip = DripBody(
                count: try call.queryInteger("bytes", default: 20, in: 0...10_000_000),
                duration: try call.queryNumber("duration", default: 2, in: 0...60)
            )
            // Before the head, because a response without bytes ends with it.
            let delay = try call.queryNumber("delay", default: 0, in: 0...60)
            try await Task.sleep(for: .seconds(delay))
            return .stream(drip, count: drip.count, type: "application/octet-stream")
        },
        Route("GET", "/big", "a JSON array of megabytes MiB; chunked=1 hides its length") { call in
            let size = try call.queryNumber("megabytes", default: 10, in: 0.001...4096)
            let body = BigBody(count: max(BigBody.smallestSize, Int(size * 1_048_576)))
            let isChunked = call.queryText("chunked") == "1"
            return .stream(body, count: isChunked ? nil : body.count, type: "application/json")
        },
        Route("GET", "/bytes/{n}", "n octets") { call in
            let count = try call.integer(in: 0...10_000_000, "n")
            return .bytes(
                [UInt8](repeating: UInt8(ascii: "a"), count: count),
                type: "application/octet-stream"
            )
        },
    ]
}

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

    private static func status(_ call: Call) throws -> DemoResponse {
        // 1xx are interim: a client keeps waiting for the final response.
        let code = try call.integer(in: 200...999, "code")
        var fields = HTTPFields()
        if (300..<400).contains(code), code != 304 { fields[.location] = "/redirected" }
        if code == 401 { fields[.wwwAuthenticate] = "Bearer realm=\"demo\"" }
        if [429, 503].contains(code) { fields[.retryAfter] = "1" }
        if [204, 205, 304].contains(code) { return .empty(status: code, fields: fields) }
        return .json(
            ["status": JSON(code), "phrase": JSON(DemoResponse.phrase(of: code))],
            status: code,
            fields: fields
        )
    }
}
