import Documents
import HTTPTypes

extension Route {
    static let caching: [Route] = [
        Route(
            "GET",
            "/etag",
            "an ETag; 304 when If-None-Match has it; a new edition every tenth time"
        ) { call in
            let edition = await call.world.taggedEdition()
            let body: JSON = [
                "edition": JSON(edition), "text": "The same until the edition changes.",
            ]
            var fields: HTTPFields = [.eTag: "\"edition-\(edition)\"", .cacheControl: "no-cache"]
            let known = (call.request.headerFields[.ifNoneMatch] ?? "")
                .split(separator: ",").map { $0.drop(while: \.isWhitespace) }
            if known.contains(where: { $0 == "*" || $0.hasSuffix("\"edition-\(edition)\"") }) {
                // The length of the body that a 200 would have (RFC 9110, section 8.6).
                fields[.contentLength] = String(body.pretty.count)
                return .empty(status: 304, fields: fields)
            }
            return .json(body, fields: fields)
        },
        Route("GET", "/cache/{seconds}", "may be cached that long: Cache-Control, Expires") {
            call in
            let seconds = try call.integer(in: 0...31_536_000, "seconds")
            let now = call.clock.now
            let fields: HTTPFields = [
                .cacheControl: "public, max-age=\(seconds)",
                .expires: Moment.httpDate(now + Double(seconds)),
            ]
            let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
            return .json(
                [
                    "id": JSON(number), "at": JSON(Moment.timestamp(now)),
                    "max_age": JSON(seconds),
                ],
                fields: fields
            )
        },
        Route("GET", "/gzip", "compressed JSON") { _ in
            let text: JSON = [
                "compressed": true,
                "lines": JSON(
                    (1...100).map {
                        ["line": JSON($0), "text": "The same words again and again."]
                    }
                ),
            ]
            return .bytes(
                Zlib.compress(text.pretty, as: .gzip),
                type: "application/json",
                fields: [.contentEncoding: "gzip", .vary: "Accept-Encoding"]
            )
        },
        Route("GET", "/redirect/{n}", "n redirects, one after another") { call in
            let count = try call.integer(in: 1...100, "n")
            let target = count == 1 ? "/redirected" : "/redirect/\(count - 1)"
            return .empty(status: 302, fields: [.location: target])
        },
        Route("GET", "/redirected", "where the redirects end") { _ in .json(["redirected": true]) },
    ]
}
