import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

struct CacheDecisionTests {
    @Test("a decision tells its rule and numbers in one line")
    func line() {
        let plan = HTTPCacheRules().reuse(
            of: [.make([("Cache-Control", "max-age=60"), ("ETag", "\"a\"")])],
            for: .make(),
            at: CacheModel.start + 12.25
        )
        #expect(
            "\(plan.decision)"
                == "fresh: age is under the lifetime (RFC 9111, 4.2); "
                + "age 12.25 s, lifetime 60 s by max-age, fresh for 47.75 s"
        )
    }

    @Test("a decision lists what was looked at in its order")
    func list() {
        let request = HTTPRequest.make(.get, [("Cache-Control", "max-stale=5")])
        let plan = HTTPCacheRules().reuse(
            of: [.make([("Cache-Control", "max-age=60"), ("Age", "3"), ("ETag", "\"a\"")])],
            for: request,
            at: CacheModel.start + 70
        )
        #expect(
            plan.decision.lines == [
                "method GET",
                "the method may be cached (RFC 9111, 4)",
                "does not apply: only the origin can check the precondition (RFC 9111, 4.3.2)",
                "1 of 1 stored responses match",
                "apparent age 0 s",
                "Age field 3 s",
                "response delay 0 s",
                "corrected initial age 3 s",
                "in the cache for 70 s",
                "age 73 s",
                "lifetime 60 s by max-age",
                "stale by 13 s",
                "does not apply: a later request may have changed it (RFC 9111, 4.4)",
                "does not apply: response says no-cache (RFC 9111, 5.2.2.4)",
                "does not apply: request says no-cache (RFC 9111, 5.2.1.4)",
                "does not apply: request says Pragma: no-cache (RFC 9111, 5.4)",
                "applies: age has reached the lifetime (RFC 9111, 4.2)",
                "does not apply: response says must-revalidate (RFC 9111, 5.2.2.2)",
                "request has max-stale=5",
                "does not apply: within the request's max-stale (RFC 9111, 5.2.1.2)",
                "If-None-Match: \"a\"",
                "revalidate: age has reached the lifetime (RFC 9111, 4.2)",
            ]
        )
    }

    @Test("no text of a decision has a secret of the request")
    func secrets() async throws {
        let (secret, escaped) = ("s3cret/of+9", "s3cret%2Fof%2B9")
        let tag = ("ETag", "\"\(secret)\"")
        let bench = try HTTPBench([
            .ok([("Cache-Control", "max-age=9, stale-if-error=\"\(secret)\""), tag]), .status(503),
            .notModified([tag]),
            .ok([("Location", "/b?key=\(escaped)"), ("Content-Location", "/c/\(escaped)")]),
        ])
        let old = ("Cache-Control", "max-age=0, max-stale=\"\(secret)\", x=\"\(secret)\"")
        // One account: a known secret in a field tells accounts apart.
        let asking = [old, ("If-None-Match", "\"\(secret)\"")]
        let sent: [(HTTPRequest.Method, [(String, String)])] = [
            (.get, asking), (.get, asking), (.get, asking), (.post, []),
        ]
        var options = TransportOptions()
        options.secretTexts = [Secret(secret)]
        var decisions: [CacheDecision] = []
        for (method, fields) in sent {
            bench.bench.clock.advance(by: 20)
            let target = MultiTarget(
                TestTarget(
                    base: HTTPBench.url,
                    path: "/p/\(secret)",
                    method: method,
                    task: .parameters([Parameter("api_key", .string(secret))], encoding: .query),
                    headerFields: HTTPFields(pairs: fields),
                    cachePolicy: .http,
                    options: options
                )
            )
            for await event in bench.provider.events(for: target, from: .cacheIfPossible) {
                if case .decided(let decision) = event { decisions.append(decision) }
                guard case .response(let response) = event else { continue }
                decisions += response.decision.map { [$0] } ?? []
                let forecast = await bench.bench.cache.forecast(
                    for: response.request,
                    policy: .http
                )
                if case .http(let decision) = forecast { decisions.append(decision) }
            }
        }
        let lines = decisions.flatMap { $0.lines + [$0.description] }
        for text in ["If-None-Match: ", "request has ", "response has ", "invalidates ", "ETag: "] {
            #expect(lines.contains { $0.contains(text) }, "\(text)")
        }
        #expect(lines.filter { $0.contains(secret) || $0.contains(escaped) } == [])
    }

    @Test("every rule names its section and has words of its own")
    func rules() {
        #expect(CacheRule.allCases.allSatisfy { $0.section.hasPrefix("RFC ") })
        #expect(Set(CacheRule.allCases.map(\.summary)).count == CacheRule.allCases.count)
    }
}
