extension CacheDecision: CustomStringConvertible {
    /// One line: the outcome, the rule with its section, and the numbers that matter most.
    public var description: String {
        let numbers = findings.filter(\.isSummarised).map(\.description)
        let end = numbers.isEmpty ? "" : "; " + numbers.joined(separator: ", ")
        return "\(outcome.text): \(rule.summary) (\(rule.section))\(end)"
    }

    /// A line for each finding in its order, and the outcome last.
    public var lines: [String] {
        findings.map(\.description) + ["\(outcome.text): \(rule.summary) (\(rule.section))"]
    }
}

extension CacheDecision.Outcome {
    /// In a few words.
    public var text: String {
        switch self {
        case .fresh: "fresh"
        case .staleAllowed: "stale, but allowed"
        case .revalidate: "revalidate"
        case .mustFetch: "fetch"
        case .onlyIfCached: "504, not in the cache"
        case .stored: "stored"
        case .notStored: "not stored"
        case .updated: "updated"
        case .replaced: "replaced"
        case .forwarded: "forwarded"
        case .fetchAgain: "fetch again without conditions"
        case .failed: "failed"
        case .invalidated: "invalidated"
        case .notInvalidated: "not invalidated"
        }
    }
}
