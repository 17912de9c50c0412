import HTTPTypes
import Testing

@testable import Apus

/// What the caller gets when the origin fails.
struct FailureTests {
    struct Case: Sendable, CustomTestStringConvertible {
        /// The stored response's directives.
        let response: String
        var request = ""
        /// Nil for no response at all.
        let status: Int?
        let pause: Double
        let source: CacheModel.Source
        let hasValidator: Bool

        init(
            _ response: String,
            request: String = "a",
            status: Int? = nil,
            after pause: Double = 3,
            validator: Bool = false,
            _ source: CacheModel.Source
        ) {
            self.response = response
            self.request = request
            self.status = status
            self.pause = pause
            self.source = source
            hasValidator = validator
        }

        var testDescription: String {
            "\(response); \(request); \(status ?? 0) after \(pause), \(hasValidator)"
        }
    }

    static let cases: [Case] =
        [true, false].flatMap { validator in
            [
                Case("max-age=2", validator: validator, .cache),
                Case("max-age=2, must-revalidate", validator: validator, .failed),
                Case("max-age=2, no-cache", validator: validator, .failed),
                Case("max-age=2, proxy-revalidate", validator: validator, .cache),
                Case("max-age=2, s-maxage=2", validator: validator, .cache),
                Case("max-age=2, stale-if-error=60", validator: validator, .cache),
                Case("max-age=2, stale-if-error=60", after: 63, validator: validator, .failed),
                Case("max-age=2", request: "no-cache", validator: validator, .failed),
                Case("max-age=2", request: "max-age=1", validator: validator, .failed),
                Case(
                    "max-age=2",
                    request: "stale-if-error=9",
                    status: 503,
                    validator: validator,
                    .cache
                ),
                Case(
                    "max-age=2",
                    request: "stale-if-error=9",
                    status: 503,
                    after: 12,
                    validator: validator,
                    .origin
                ),
            ]
        }
        + [500, 502, 503, 504].flatMap { status in
            [
                Case("max-age=2", status: status, .origin),
                Case("max-age=2, stale-if-error=60", status: status, .cache),
                Case("max-age=2, stale-if-error=60", status: status, validator: true, .cache),
                Case("max-age=2, stale-if-error=60", status: status, after: 63, .origin),
                Case("max-age=2, stale-if-error=60, must-revalidate", status: status, .origin),
                Case("max-age=2, stale-if-error=x", status: status, .origin),
            ]
        }
        + [
            Case("max-age=2, stale-if-error=60", status: 404, .origin),
            Case("max-age=2, stale-if-error=60", status: 501, validator: true, .origin),
        ]

    @Test("a stale response stands in where it may", arguments: cases)
    func standIn(_ test: Case) {
        var cache = CacheModel()
        // Without a validator a response that is always asked about would not be stored.
        let tag = test.hasValidator || test.response.contains("no-cache") ? [("ETag", "\"a\"")] : []
        cache.send(response: .make(200, [("Cache-Control", test.response)] + tag))
        let source = cache.send(
            [("Cache-Control", test.request)],
            after: test.pause,
            response: test.status.map { .make($0) }
        )
        #expect(source == test.source)
        #expect(cache.stored.count == (test.status == 404 ? 0 : 1))
    }

    @Test("an empty cache has nothing that stands in")
    func empty() {
        var cache = CacheModel()
        #expect(cache.send(response: nil) == .failed)
    }
}
