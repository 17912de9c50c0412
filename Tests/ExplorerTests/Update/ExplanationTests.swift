import Apus
import Documents
import FoundationEssentials
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("Why, as a picture")
struct ExplanationTests {
    private func lines(_ decisions: [CacheDecision]) -> [Explanation.Line] {
        var view = TargetState(environment: 0)
        view.decisions = decisions
        let days = DayNames(now: .sampleNow, zone: .gmt)
        return Explanation(view: view, days: days, now: .sampleNow).lines
    }

    private let stale = CacheDecision(
        outcome: .revalidate,
        rule: .stale,
        findings: [
            .considered(.fresh, holds: false), .currentAge(.seconds(240)),
            .lifetime(.seconds(60), .maxAge), .staleness(.seconds(180)),
        ]
    )

    @Test("what happened stands first, in a line")
    func headline() {
        let updated = CacheDecision(outcome: .updated, rule: .notModified, findings: [.status(304)])
        let text = lines([stale, updated]).first?.text
        #expect(text == "The server said \u{201C}not modified\u{201D}: the stored body is used.")
        #expect(lines([stale]).first?.subject == .title)
    }

    @Test("a line shows when it was stored, until when it was fresh, and now")
    func course() {
        let course = lines([stale]).compactMap { line -> (Double, Double)? in
            if case .course(let fresh, let now) = line.subject { (fresh, now) } else { nil }
        }
        #expect(course.count == 1)
        #expect(course.first?.0 == 0.25)
        #expect(course.first?.1 == 1)
        #expect(lines([stale]).contains { $0.text.contains("4 min old") })
    }

    @Test("each rule has a tick or a cross, its section, and the decision an arrow")
    func rules() {
        let lines = lines([stale])
        #expect(lines.contains { $0.subject == .fails && $0.section == CacheRule.fresh.section })
        #expect(lines.contains { $0.subject == .decision && $0.text.hasPrefix("revalidate") })
    }

    @Test("what would have avoided the request is said")
    func advice() {
        #expect(lines([stale]).last?.text.contains("more than 1 min of max-age") == true)
        let asked = CacheDecision(outcome: .mustFetch, rule: .sourceAsks)
        #expect(lines([asked]).last?.text == "s chooses a source that lets the cache answer.")
        let fresh = CacheDecision(outcome: .fresh, rule: .fresh)
        #expect(lines([fresh]).last?.subject != .detail)
    }
}
