import Apus
import FoundationEssentials

/// How long a cached answer is still served without asking, as its pane shows it.
struct ShownFreshness {
    /// Seconds until it is stale, negative since then; nil for never.
    let left: Double?
    /// Seconds from fresh to stale; 0 if that is not known.
    let lifetime: Double

    var isFresh: Bool { left.map { $0 > 0 } ?? true }

    /// By the rules of HTTP where they decided, else by the entry's own end.
    init(_ response: Response, _ hit: CacheHit, now: Date) {
        guard let decision = response.decision else {
            left = hit.expires.map { $0.timeIntervalSince(now) }
            lifetime = hit.expires.map { $0.timeIntervalSince(hit.stored) } ?? 0
            return
        }
        var (left, lifetime) = (0.0, 0.0)
        for finding in decision.findings {
            switch finding {
            case .freshFor(let time): left = time / .seconds(1)
            case .staleness(let time): left = -(time / .seconds(1))
            case .lifetime(let time, _): lifetime = time / .seconds(1)
            default: break
            }
        }
        self.left = left - max(0, now.timeIntervalSince(hit.read))
        self.lifetime = lifetime
    }
}
