/// A decision while it is made.
struct DecisionLog {
    private(set) var findings: [CacheFinding] = []

    mutating func note(_ finding: CacheFinding) { findings.append(finding) }

    /// Notes that a rule was looked at; gives back whether it holds.
    mutating func consider(_ rule: CacheRule, _ holds: Bool) -> Bool {
        findings.append(.considered(rule, holds: holds))
        return holds
    }

    /// Notes the directives of that name, if there are any.
    mutating func note(_ name: String, in control: CacheControl, of party: CacheFinding.Party) {
        for directive in control.all(name) { note(.directive(directive.text, of: party)) }
    }

    func decide(_ outcome: CacheDecision.Outcome, _ rule: CacheRule) -> CacheDecision {
        CacheDecision(outcome: outcome, rule: rule, findings: findings)
    }
}
