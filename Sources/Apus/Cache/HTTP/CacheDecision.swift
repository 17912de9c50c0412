import Secrets

/// What an HTTP cache decided, and why.
///
/// ```
/// request ──reuse──▶ decision ──(revalidate)──▶ response ──▶ decision ──store──▶ decision
/// ```
public struct CacheDecision: Sendable, Hashable {
    /// The outcome of a decision.
    public enum Outcome: Sendable, Hashable {
        /// The stored response is served because it is fresh.
        case fresh
        /// The stored response is served although it is stale.
        case staleAllowed
        /// The stored response is validated with the origin.
        case revalidate
        /// The origin is asked for the response.
        case mustFetch
        /// The cache answers 504: it must not ask the origin and has nothing to serve.
        case onlyIfCached
        /// The cache answers 504: the stored response must be validated, and the origin cannot be reached.
        case gatewayTimeout
        /// The response is stored.
        case stored
        /// The response is not stored.
        case notStored
        /// The stored response is current, and its fields are updated.
        case updated
        /// The response replaces the stored one.
        case replaced
        /// The response is delivered to the caller unchanged.
        case forwarded
        /// The origin is asked again, without conditions.
        case fetchAgain
        /// The failure is delivered to the caller.
        case failed
        /// Stored responses are invalidated.
        case invalidated
        /// The stored responses are unchanged.
        case notInvalidated
    }

    /// What the cache does.
    public let outcome: Outcome
    /// The rule that decided.
    public let rule: CacheRule
    /// The facts and rules that were considered, in order.
    public internal(set) var findings: [CacheFinding]

    /// Makes a decision.
    public init(outcome: Outcome, rule: CacheRule, findings: [CacheFinding] = []) {
        self.outcome = outcome
        self.rule = rule
        self.findings = findings
    }
}

extension CacheDecision: CustomStringConvertible {
    /// One line: the outcome, the rule with its section, and the most important numbers.
    public var description: String {
        let numbers = findings.filter(\.isSummarized).map(\.description)
        let end = numbers.isEmpty ? "" : "; " + numbers.joined(separator: ", ")
        return "\(outcome.text): \(rule.summary) (\(rule.section))\(end)"
    }

    /// A line for each finding in order, and one for the outcome.
    public var lines: [String] {
        findings.map(\.description) + ["\(outcome.text): \(rule.summary) (\(rule.section))"]
    }
}

extension CacheDecision {
    /// A message that the response is stale and why it is served; nil for any other outcome.
    package var staleText: String? {
        guard outcome == .staleAllowed else { return nil }
        let staleness = findings.lazy.compactMap { finding -> String? in
            if case .staleness = finding { finding.description } else { nil }
        }.first
        let from = "the response is from the cache"
        return "\(staleness.map { "\(from), \($0)" } ?? from): \(rule.summary) (\(rule.section))"
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
        case .gatewayTimeout: "504, the origin cannot be reached"
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

/// A fact or rule that a decision is based on.
public enum CacheFinding: Sendable, Hashable {
    /// Whose field a directive is from.
    public enum Party: String, Sendable, Hashable {
        /// The request's.
        case request
        /// The stored response's.
        case response
    }

    /// A rule that was considered, and whether it applies.
    case considered(CacheRule, holds: Bool)
    /// The request's method.
    case method(String)
    /// The response's status.
    case status(Int)
    /// The number of responses stored for the URL, and of those that match the request.
    case candidates(stored: Int, matching: Int)
    /// A directive, with its argument.
    case directive(String, of: Party)
    /// A field of a condition.
    case field(name: String, value: String)
    /// The time of receipt minus `Date`, at least 0.
    case apparentAge(Duration)
    /// The value of `Age`.
    case ageField(Duration)
    /// The time from sending the request to receiving the head.
    case responseDelay(Duration)
    /// The age at receipt.
    case correctedInitialAge(Duration)
    /// The time since receipt.
    case residentTime(Duration)
    /// The age of the response now: its corrected initial age plus the resident time.
    case currentAge(Duration)
    /// The freshness lifetime, and where it comes from.
    case lifetime(Duration, FreshnessSource)
    /// How much longer the response is fresh.
    case freshFor(Duration)
    /// How long the response has been stale.
    case staleness(Duration)
    /// A URL whose stored responses are invalidated.
    case invalidated(String)
    /// The start of the digest of the request's account (empty for none), the names of the account's parts,
    /// and the accounts that have stored responses.
    case accounts(String, by: [String], stored: [String])
    /// What came of asking the shared store, in words.
    case shared(String)
}

extension CacheFinding: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        // “Does not apply: only GET …” reads like a refusal of a GET.
        case .considered(.methodNotCacheable, false):
            "the method may be cached (\(CacheRule.methodNotCacheable.section))"
        case .considered(let rule, let holds):
            "\(holds ? "applies" : "does not apply"): \(rule.summary) (\(rule.section))"
        case .method(let method): "method \(method)"
        case .status(let status): "status \(status)"
        case .candidates(let stored, let matching):
            "\(matching) of \(stored) stored responses match"
        case .directive(let text, let party): "\(party.rawValue) has \(text)"
        case .field(let name, let value): "\(name): \(value)"
        case .apparentAge(let time): "apparent age \(time.secondsText)"
        case .ageField(let time): "Age field \(time.secondsText)"
        case .responseDelay(let time): "response delay \(time.secondsText)"
        case .correctedInitialAge(let time): "corrected initial age \(time.secondsText)"
        case .residentTime(let time): "in the cache for \(time.secondsText)"
        case .currentAge(let time): "age \(time.secondsText)"
        case .lifetime(let time, let source): "lifetime \(time.secondsText) by \(source.text)"
        case .freshFor(let time): "fresh for \(time.secondsText)"
        case .staleness(let time): "stale by \(time.secondsText)"
        case .invalidated(let url): "invalidates \(url)"
        case .accounts(let own, let names, let others):
            "\(Self.text(account: own))\(names.isEmpty ? "" : " by \(names.joined(separator: ", "))")"
                + ", stored for \(others.map(Self.text(account:)).joined(separator: ", "))"
        case .shared(let text): "shared cache \(text)"
        }
    }

    private static func text(account: String) -> String {
        account.isEmpty ? "no account" : "account \(account)"
    }

    /// The finding with secrets masked.
    fileprivate func masked(by mask: CredentialMask) -> CacheFinding {
        switch self {
        case .method(let method): .method(mask.masking(text: method))
        case .directive(let text, let party): .directive(mask.masking(line: text), of: party)
        case .field(let name, let value): .field(name: name, value: mask.masking(line: value))
        case .invalidated(let url): .invalidated(mask.masking(url: url))
        default: self
        }
    }

    /// Whether the decision's one-line description includes it.
    var isSummarized: Bool {
        switch self {
        case .currentAge, .lifetime, .freshFor, .staleness, .status, .invalidated, .accounts: true
        default: false
        }
    }
}

extension Duration {
    /// In seconds, with at most three decimals.
    fileprivate var secondsText: String {
        let milliseconds = components.attoseconds / 1_000_000_000_000_000
        let whole = components.seconds
        guard milliseconds != 0 else { return "\(whole) s" }
        let sign = whole < 0 || milliseconds < 0 ? "-" : ""
        var decimals = String(String(1000 + milliseconds.magnitude).dropFirst())
        while decimals.last == "0" { decimals.removeLast() }
        return "\(sign)\(whole.magnitude).\(decimals) s"
    }
}

/// The findings of a decision that is being made.
struct DecisionLog {
    private(set) var findings: [CacheFinding] = []
    /// Masks the request's secrets, because decisions are shown and printed unchanged, often where the
    /// request is no longer known.
    private let mask: CredentialMask

    init(_ mask: CredentialMask) { self.mask = mask }

    mutating func note(_ finding: CacheFinding) { findings.append(finding.masked(by: mask)) }

    /// Notes a rule and returns whether it holds.
    mutating func consider(_ rule: CacheRule, _ holds: Bool) -> Bool {
        findings.append(.considered(rule, holds: holds))
        return holds
    }

    /// Notes the directives with this name, if there are any.
    mutating func note(_ name: String, in control: CacheControl, of party: CacheFinding.Party) {
        for directive in control.all(name) { note(.directive(directive.text, of: party)) }
    }

    func decide(_ outcome: CacheDecision.Outcome, _ rule: CacheRule) -> CacheDecision {
        CacheDecision(outcome: outcome, rule: rule, findings: findings)
    }
}

/// Where a freshness lifetime comes from (RFC 9111, 4.2.1).
public enum FreshnessSource: String, Sendable, Hashable, CaseIterable {
    /// `max-age`.
    case maxAge
    /// `s-maxage`, for a shared cache.
    case sharedMaxAge
    /// An invalid `max-age`: stale.
    case invalidMaxAge
    /// `Expires` minus `Date`.
    case expires
    /// An invalid `Expires`: stale.
    case invalidExpires
    /// A tenth of the time since `Last-Modified` (RFC 9111, 4.2.2).
    case heuristic
    /// None: stale.
    case nothing

    /// The source in a few words.
    public var text: String {
        switch self {
        case .maxAge: "max-age"
        case .sharedMaxAge: "s-maxage"
        case .invalidMaxAge: "an invalid max-age"
        case .expires: "Expires"
        case .invalidExpires: "an invalid Expires"
        case .heuristic: "Last-Modified"
        case .nothing: "nothing"
        }
    }
}
