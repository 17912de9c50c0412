import FlyingFox

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
                duration: try call.queryNumber("duration", default: 2, in: 0...60),
                delay: try call.queryNumber("delay", default: 0, in: 0...60)
            )
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
