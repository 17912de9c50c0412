import Apus
import FoundationEssentials
import Testing

@testable import Explorer

@Suite("The freshness of a cached response, as it is shown")
struct ShownFreshnessTests {
    private func shown(_ decision: CacheDecision?, secondsLater: Double = 0) -> ShownFreshness? {
        var response = Response.make("{}", source: .makeDisk(storedAgo: 240, expiresIn: 60))
        response.decision = decision
        return response.source.cacheHit.map {
            ShownFreshness(response, $0, now: $0.read.addingTimeInterval(secondsLater))
        }
    }

    @Test("without HTTP's rules the entry's own end counts")
    func own() throws {
        let freshness = try #require(shown(nil))
        #expect(freshness.isFresh)
        #expect(freshness.lifetime == 300)
    }

    @Test("with HTTP's rules what they found counts, and time goes on")
    func http() throws {
        let decision = CacheDecision(
            outcome: .fresh,
            rule: .fresh,
            findings: [.lifetime(.seconds(60), .maxAge), .freshFor(.seconds(10))]
        )
        #expect(try #require(shown(decision, secondsLater: 4)).left == 6)
        #expect(try #require(shown(decision, secondsLater: 4)).lifetime == 60)
        #expect(!(try #require(shown(decision, secondsLater: 11)).isFresh))
    }

    @Test("what had to be validated is stale, not fresh for ever")
    func validated() throws {
        let decision = CacheDecision(
            outcome: .updated,
            rule: .notModified,
            findings: [.lifetime(.zero, .nothing), .staleness(.seconds(1))]
        )
        let freshness = try #require(shown(decision, secondsLater: 2))
        #expect(!freshness.isFresh)
        #expect(freshness.left == -3)
    }
}
