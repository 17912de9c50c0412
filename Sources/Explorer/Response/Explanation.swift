import Apus
import Documents
import FoundationEssentials
import Terminal
import TreeView

/// Why the cache answered or did not: what happened, when, by which rules, and what would have avoided the
/// request.
///
/// ```
/// The server said "not modified": the stored body is used.
/// stored 15:22:38   age 4 min   fresh until 15:23:38   now 15:26:40
/// ━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌●
/// ✓ the method can be cached                          RFC 9111, 4
/// ✗ it is fresh                                       RFC 9111, 4.2
/// → revalidate: the stored response is stale            RFC 9111, 4.2
/// ```
struct Explanation {
    /// What a line is about.
    enum Subject: Equatable {
        /// What happened.
        case title
        /// When it was stored, until when it was fresh, and now, as fractions of the line.
        case course(fresh: Double, now: Double)
        case holds, fails
        /// What was decided, and the result.
        case decision, response
        case detail
    }

    /// A text of one line, or of several in a narrow pane.
    struct Line: Equatable {
        var subject: Subject
        var text: String
        /// The section of the rule; empty if there is none.
        var section = ""
    }

    let view: TargetState
    /// Why the cache that a team shares cannot be used now; nil if it can, or there is none.
    var sharedCacheProblem: String?
    /// What was last refused of what that cache has, with its key; nil if nothing was.
    var sharedCacheRefusal: String?
    let days: DayNames
    let now: Date

    /// The texts in the order of events.
    var lines: [Line] {
        guard view.lookup != nil || view.storage != nil || !view.decisions.isEmpty else {
            return [
                Line(subject: .title, text: "Nothing sent yet, so there is nothing to explain."),
                Line(subject: .detail, text: "Enter sends; s chooses where responses come from."),
            ]
        }
        let advice = advice.map { [Line(subject: .detail, text: $0)] } ?? []
        let shared = sharedCacheProblem.map {
            [Line(subject: .detail, text: "The shared cache is not used: \($0).")]
        }
        let refused = refusal.map {
            [Line(subject: .fails, text: "What the shared cache had was refused: \($0)")]
        }
        let parts = [
            [Line(subject: .title, text: headline)] + course, (refused ?? []) + rules + storage,
            advice,
            shared ?? [],
        ]
        return Array(
            parts.filter { !$0.isEmpty }.joined(separator: [Line(subject: .detail, text: "")])
        )
    }

    /// Why the shared cache's response to this request was refused; nil if it was not, or HTTP's rules say it.
    private var refusal: String? {
        guard case .miss(let key, _)? = view.lookup, view.decisions.isEmpty, let sharedCacheRefusal,
            let place = sharedCacheRefusal.firstRange(of: ": apus:1:"),
            sharedCacheRefusal[place.lowerBound...].contains(key.digest)
        else { return nil }
        return String(sharedCacheRefusal[..<place.lowerBound])
    }

    // MARK: What happened

    private var headline: String {
        switch view.decisions.last?.outcome {
        case .fresh: return "The stored response is fresh: nothing was sent."
        case .staleAllowed: return "The stored response is stale, but was served anyway."
        case .revalidate: return "The server was asked whether the stored response is still valid."
        case .mustFetch: return "Nothing stored could be used: the server was asked."
        case .onlyIfCached:
            return "Nothing stored may be used, and the request forbids asking the server."
        case .gatewayTimeout:
            return "The stored response must be validated, and the server cannot be reached."
        case .stored: return "The server was asked, and its response is stored."
        case .notStored: return "The server was asked, and its response is not stored."
        case .updated:
            return "The server said \u{201C}not modified\u{201D}: the stored body is used."
        case .replaced: return "The server's response took the stored one's place."
        case .forwarded: return "The server's response is shown as it is; what is stored stays."
        case .fetchAgain: return "The server was asked a second time, without conditions."
        case .failed: return "The server gave no response, and nothing stored may replace it."
        case .invalidated:
            return "The request changed something, so what was stored is no longer used."
        case .notInvalidated: return "What is stored stays as it is."
        case nil: break
        }
        switch view.lookup {
        case .hit(let response):
            return switch response.source {
            case .memory: "The cache had a response in memory."
            case .shared: "The shared cache had a response."
            default: "The cache had a response on disk."
            }
        case .miss(_, let reason): return reason.text.asSentence
        case nil where view.storage == .notStored(.policyNone):
            return CacheMissReason.policyNone.text.asSentence
        case nil: return "The cache was not asked: responses come from the server."
        }
    }

    // MARK: When

    /// When it was stored, its age and until when it was fresh, as text and as a line.
    private var course: [Line] {
        guard let times else { return [] }
        let stored = now.addingTimeInterval(-times.age)
        var pieces = ["stored \(days.clock(of: stored))"]
        pieces.append(Readable.age(.seconds(max(0, times.age))))
        if let lifetime = times.lifetime {
            let end = stored.addingTimeInterval(lifetime)
            pieces.append(
                lifetime <= 0
                    ? "fresh for 0 s"
                    : "fresh until \(days.clock(of: end)), \(Readable.span(.seconds(lifetime)))"
            )
        } else {
            pieces.append("fresh forever")
        }
        pieces.append("now \(days.clock(of: now))")
        let whole = max(times.age, times.lifetime ?? times.age * 2, 0.001)
        return [
            Line(subject: .detail, text: pieces.joined(separator: "   ")),
            Line(
                subject: .course(
                    fresh: (times.lifetime ?? whole) / whole,
                    now: times.age / whole
                ),
                text: ""
            ),
        ]
    }

    /// Seconds since it was stored, and its freshness lifetime in seconds; nil if it is fresh forever.
    private var times: (age: Double, lifetime: Double?)? {
        let findings = view.decisions.flatMap(\.findings)
        var (age, lifetime): (Double?, Double?) = (nil, nil)
        for finding in findings {
            switch finding {
            case .currentAge(let time): age = age ?? time / .seconds(1)
            case .lifetime(let time, _): lifetime = lifetime ?? time / .seconds(1)
            default: break
            }
        }
        if let age { return (age, lifetime ?? 0) }
        guard case .hit(let response)? = view.lookup, let hit = response.source.cacheHit else {
            return nil
        }
        return (
            now.timeIntervalSince(hit.stored),
            hit.expires.map { $0.timeIntervalSince(hit.stored) }
        )
    }

    // MARK: By which rules

    private var rules: [Line] {
        view.decisions.flatMap { decision -> [Line] in
            let rule = decision.rule
            let steps = decision.findings.map { finding -> Line in
                guard case .considered(let rule, let holds) = finding else {
                    return Line(subject: .detail, text: finding.description)
                }
                if rule == .methodNotCacheable, !holds {
                    return Line(
                        subject: .holds,
                        text: finding.description,
                        section: rule.section
                    )
                }
                return Line(
                    subject: holds ? .holds : .fails,
                    text: rule.summary,
                    section: rule.section
                )
            }
            let text = "\(decision.outcome.text): \(rule.summary)"
            return steps + [Line(subject: .decision, text: text, section: rule.section)]
        }
    }

    private var storage: [Line] {
        // For a target that is not cached the headline says it.
        guard let storage = view.storage, storage != .notStored(.policyNone) else { return [] }
        return [Line(subject: .response, text: "the server's response: \(storage.text(now: now))")]
    }

    // MARK: What would have avoided it

    /// What would have saved the request; nil if none was sent or nothing could.
    private var advice: String? {
        let decision = view.decisions.first {
            switch $0.outcome {
            case .revalidate, .mustFetch: true
            default: false
            }
        }
        guard let decision else { return adviceWithoutRules }
        switch decision.rule {
        case .stale: return staleAdvice(decision)
        case .responseNoCache:
            return "To save this request the server would have to send max-age without no-cache."
        case .mustRevalidate:
            return "To save this request the server would have to send a longer max-age."
        case .requestNoCache, .pragmaNoCache:
            return "Without no-cache in the request the stored response could have been used."
        case .requestMaxAge, .minFresh:
            return
                "With a less strict Cache-Control in the request the stored response could have been used."
        case .unsafeRequestSince:
            return "A request changed it since: only the server knows what it is now."
        case .nothingStored:
            if case .stored? = view.storage {
                return
                    "It was the first: the next request is answered from the cache while this response is fresh."
            }
            return nil
        case .variantMismatch, .variesOnEverything:
            return
                "What is stored is for other request fields: with the same ones it could have been used."
        case .sourceAsks: return "s chooses a source that lets the cache answer."
        default: return nil
        }
    }

    private func staleAdvice(_ decision: CacheDecision) -> String {
        for case .lifetime(let time, let source) in decision.findings {
            switch source {
            case .nothing, .heuristic:
                return "To save this request the server would have to send max-age."
            default:
                return
                    "To save this request the server would have to send more than \(Readable.span(time)) of max-age."
            }
        }
        return "To save this request the server would have to send a longer max-age."
    }

    private var adviceWithoutRules: String? {
        guard view.decisions.isEmpty else { return nil }
        switch view.lookup {
        case .hit: return nil
        case .miss(_, .expired):
            return "A longer time in the target's cache policy would have saved this request."
        case .miss(_, .policyNone):
            return "A cache policy of the target would save the next request."
        case .miss(_, .notFound):
            guard case .stored? = view.storage else { return nil }
            return "It was the first: the next request can be answered from the cache."
        case .miss: return nil
        case nil: return "s chooses a source that lets the cache answer."
        }
    }
}

extension Model {
    /// The explanation for the selected target, wrapped to this many columns.
    func explanationLines(columns: Int) -> [Explanation.Line] {
        let view = selectedView ?? TargetState(environment: workspace.environment)
        let days = DayNames(now: clock.now.wall, zone: clock.zone)
        let explanation = Explanation(
            view: view,
            sharedCacheProblem: workspace.sharedCacheProblem,
            sharedCacheRefusal: workspace.sharedCacheRefusal,
            days: days,
            now: clock.now.wall
        )
        return explanation.lines.flatMap { line in
            let taken = line.section.isEmpty ? 0 : TextWidth.columns(of: line.section) + 2
            // More rows than a sentence needs.
            let texts = Paragraph.wrap(line.text, columns: max(12, columns - 2 - taken), rows: 100)
            guard !texts.isEmpty else { return [line] }
            return texts.enumerated().map { index, text in
                Explanation.Line(
                    subject: index == 0 ? line.subject : .detail,
                    text: text,
                    section: index == 0 ? line.section : ""
                )
            }
        }
    }
}
