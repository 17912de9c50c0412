import Apus
import Documents

/// A decision of the HTTP cache as a JSON object.
///
/// Version 1: `outcome` (`fresh`, `revalidate`, `mustFetch` …), `rule` (its stable name), `section`
/// (where it is written: "RFC 9111, 4.2"), `summary` (one line with the numbers) and `findings`, what
/// was looked at, a line each.
enum DecisionJSON {
    static func value(of decision: CacheDecision) -> JSON {
        JSON(members: [
            ("outcome", JSON("\(decision.outcome)")),
            ("rule", JSON(decision.rule.rawValue)),
            ("section", JSON(decision.rule.section)),
            ("summary", JSON(decision.description)),
            ("findings", JSON(decision.findings.map { JSON($0.description) })),
        ])
    }
}
