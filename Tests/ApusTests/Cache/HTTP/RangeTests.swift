import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

struct RangeTests {
    static let whole: [(String, String)] = [("Cache-Control", "max-age=60"), ("ETag", "\"a\"")]

    private func plan(
        _ stored: [StoredHead],
        _ request: [(String, String)],
        after seconds: Double = 0
    ) -> ReusePlan {
        HTTPCacheRules().reuse(
            of: stored,
            for: .make(.get, request),
            at: CacheModel.start + seconds
        )
    }

    @Test(
        "a stored whole answers one range with exactly its bytes",
        arguments: [
            ("bytes=0-1", 0..<2), ("bytes=8-", 8..<10), ("bytes=-3", 7..<10),
            ("bytes=0-99", 0..<10),
            ("bytes=-99", 0..<10), ("BYTES=2-2", 2..<3), ("bytes=0-9223372036854775807", 0..<10),
        ]
    )
    func slice(_ range: String, _ bytes: Range<Int>) throws {
        let plan = plan([.make(Self.whole)], [("Range", range)])
        guard case .answer(let answer) = plan.action else { throw CancellationError() }
        #expect(answer.body == .slice(bytes))
        #expect(answer.response.status == .partialContent)
        let value = "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/10"
        #expect(answer.response.headerFields[.contentRange] == value)
        #expect(answer.response.headerFields[.contentLength] == "\(bytes.count)")
    }

    @Test(
        "every other range goes to the origin",
        arguments: [
            "bytes=0-1,3-4", "bytes=10-", "bytes=5-2", "lines=1-2", "bytes=", "bytes=-", "bytes=-0",
            "bytes=a-b", "bytes=0-1x", "bytes=99999999999999999999-",
        ]
    )
    func others(_ range: String) {
        #expect(plan([.make(Self.whole)], [("Range", range)]).action == .fetch)
    }

    @Test("the range of a coded body goes to the origin")
    func coded() {
        let stored = StoredHead.make(Self.whole + [("Content-Encoding", "gzip")])
        #expect(plan([stored], [("Range", "bytes=0-1")]).action == .fetch)
    }

    @Test("the range of a stale whole goes to the origin as it is")
    func stale() {
        let plan = plan([.make(Self.whole)], [("Range", "bytes=0-1")], after: 61)
        #expect(plan.action == .fetch)
    }

    @Test(
        "If-Range must name the stored version strongly",
        arguments: [("\"a\"", true), ("\"b\"", false), ("W/\"a\"", false), (httpDate(0), false)]
    )
    func ifRange(_ condition: String, _ isAnswered: Bool) {
        let request = [("Range", "bytes=0-1"), ("If-Range", condition)]
        #expect((plan([.make(Self.whole)], request).action != .fetch) == isAnswered)
    }

    @Test("a stored part answers what is in it, and never the whole")
    func part() throws {
        let part = StoredHead.make(
            status: 206,
            Self.whole,
            content: .part(ContentRange(bytes: 4..<8, total: 10))
        )
        #expect(plan([part], []).action == .fetch)
        #expect(plan([part], [("Range", "bytes=3-5")]).action == .fetch)
        #expect(plan([part], [("Range", "bytes=6-")]).action == .fetch)
        let inside = plan([part], [("Range", "bytes=5-6")])
        guard case .answer(let answer) = inside.action else { throw CancellationError() }
        #expect(answer.body == .slice(1..<3))
        #expect(answer.response.headerFields[.contentRange] == "bytes 5-6/10")
    }

    @Test(
        "a part that ends behind the whole that the next one tells of is neither joined nor completed"
    )
    func contradictingParts() {
        let rules = HTTPCacheRules()
        let long = StoredHead.make(
            status: 206,
            Self.whole,
            content: .part(ContentRange(bytes: 0..<100, total: nil))
        )
        let short = StoredHead.make(
            id: 2,
            status: 206,
            Self.whole,
            content: .part(ContentRange(bytes: 0..<5, total: 10))
        )
        #expect(rules.combination(of: short, with: [long], for: .make(.get, [])) == nil)
        // One that was joined before cannot be completed by a range that ends before it begins.
        let joined = StoredHead.make(
            status: 206,
            Self.whole,
            content: .part(ContentRange(bytes: 0..<100, total: 10))
        )
        #expect(plan([joined], []).action == .fetch)
    }

    @Test("a 206 is stored only as a part, and only if the store can")
    func storing() {
        let response = HTTPResponse.make(206, Self.whole + [("Content-Range", "bytes 4-7/10")])
        var rules = HTTPCacheRules()
        for storesParts in [false, true] {
            rules.storesParts = storesParts
            let plan = rules.storing(
                response,
                to: .make(.get, [("Range", "bytes=4-7")]),
                length: 4,
                requestTime: CacheModel.start,
                responseTime: CacheModel.start
            )
            let part = StoredHead.Content.part(ContentRange(bytes: 4..<8, total: 10))
            #expect(plan.stored?.content == (storesParts ? part : nil))
            #expect(!plan.removesOlder)
        }
    }

    @Test(
        "a Content-Range that is not one range of bytes is none",
        arguments: [
            "bytes */10", "bytes 5-2/10", "bytes 0-10/10", "lines 0-1/2", "bytes 0-1", "x",
            "bytes +0-1/2", "bytes 0-+1/2", "bytes 0-1/+2", "bytes 0-9223372036854775807/*",
        ]
    )
    func contentRange(_ value: String) {
        #expect(ContentRange(value) == nil)
    }
}
