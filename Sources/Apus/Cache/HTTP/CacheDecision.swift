/// What an HTTP cache decided, and why.
///
/// ```
/// request ──reuse──▶ decision ──(revalidate)──▶ answer ──▶ decision ──store──▶ decision
/// ```
public struct CacheDecision: Sendable, Hashable {
    /// What is done.
    public enum Outcome: Sendable, Hashable {
        /// The stored response answers: it is fresh.
        case fresh
        /// The stored response answers although it is stale.
        case staleAllowed
        /// The origin is asked whether the stored response is still the current one.
        case revalidate
        /// The origin is asked for the response.
        case mustFetch
        /// The cache answers 504: it must not ask the origin and has nothing that may be used.
        case onlyIfCached
        /// The cache answers 504: what is stored must be validated, and the origin cannot be reached.
        case gatewayTimeout
        /// The answer is kept.
        case stored
        /// The answer is not kept.
        case notStored
        /// The stored response is the current one; its fields are brought up to date.
        case updated
        /// The answer takes the stored response's place.
        case replaced
        /// The answer goes to the caller as it is.
        case forwarded
        /// The origin is asked again, without conditions.
        case fetchAgain
        /// The failure goes to the caller.
        case failed
        /// Stored responses are not used any more.
        case invalidated
        /// The stored responses stay as they are.
        case notInvalidated
    }

    /// What is done.
    public let outcome: Outcome
    /// The rule that decided.
    public let rule: CacheRule
    /// What was looked at, in that order.
    public let findings: [CacheFinding]

    /// Makes a decision.
    public init(outcome: Outcome, rule: CacheRule, findings: [CacheFinding] = []) {
        self.outcome = outcome
        self.rule = rule
        self.findings = findings
    }
}

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

extension CacheDecision {
    /// That the answer is stale and why it is served all the same; nil for an answer that is not.
    package var staleText: String? {
        guard outcome == .staleAllowed else { return nil }
        let staleness = findings.lazy.compactMap { finding -> String? in
            if case .staleness = finding { finding.description } else { nil }
        }.first
        let from = "the answer is from the cache"
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

/// Something that a decision rests on.
public enum CacheFinding: Sendable, Hashable {
    /// Whose field a directive comes from.
    public enum Party: String, Sendable, Hashable {
        /// The request's.
        case request
        /// The stored response's.
        case response
    }

    /// A rule that was looked at, and whether it holds here.
    case considered(CacheRule, holds: Bool)
    /// The request's method.
    case method(String)
    /// The answer's status.
    case status(Int)
    /// How many responses are stored for the URL, and how many of them fit the request.
    case candidates(stored: Int, matching: Int)
    /// A directive, with its argument.
    case directive(String, of: Party)
    /// A field that a condition rests on.
    case field(name: String, value: String)
    /// The time received minus `Date`, at least 0.
    case apparentAge(Duration)
    /// What `Age` says.
    case ageField(Duration)
    /// The time from asking to receiving.
    case responseDelay(Duration)
    /// The age when it was received.
    case correctedInitialAge(Duration)
    /// The time since it was received.
    case residentTime(Duration)
    /// The age now.
    case currentAge(Duration)
    /// How long it is fresh, and what says so.
    case lifetime(Duration, FreshnessSource)
    /// How much longer it is fresh.
    case freshFor(Duration)
    /// For how long it has been stale.
    case staleness(Duration)
    /// A URL whose stored responses are invalidated.
    case invalidated(String)
    /// The request's account, by the start of its digest (empty for nobody's), what tells it, and
    /// those that answers are stored for.
    case accounts(String, by: [String], stored: [String])
}

extension CacheFinding: CustomStringConvertible {
    /// One line.
    public var description: String {
        switch self {
        case .considered(let rule, let holds):
            "\(holds ? "applies" : "does not apply"): \(rule.summary) (\(rule.section))"
        case .method(let method): "method \(method)"
        case .status(let status): "status \(status)"
        case .candidates(let stored, let matching): "\(matching) of \(stored) stored match"
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
        }
    }

    private static func text(account: String) -> String {
        account.isEmpty ? "nobody" : "account \(account)"
    }

    /// Without the secrets in its texts.
    fileprivate func masked(by mask: CredentialMask) -> CacheFinding {
        switch self {
        case .method(let method): .method(mask.masking(text: method))
        case .directive(let text, let party): .directive(mask.masking(line: text), of: party)
        case .field(let name, let value): .field(name: name, value: mask.masking(line: value))
        case .invalidated(let url): .invalidated(mask.masking(url: url))
        default: self
        }
    }

    /// Whether the line for the whole decision shows it.
    var isSummarised: Bool {
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

/// A decision while it is made.
struct DecisionLog {
    private(set) var findings: [CacheFinding] = []
    /// Takes the request's secrets out of what is noted: decisions are shown and printed as they
    /// are, often where nobody knows the request any more.
    private let mask: CredentialMask

    init(_ mask: CredentialMask) { self.mask = mask }

    mutating func note(_ finding: CacheFinding) { findings.append(finding.masked(by: mask)) }

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

/// What says how long a response is fresh (RFC 9111, 4.2.1).
public enum FreshnessSource: String, Sendable, Hashable, CaseIterable {
    /// `max-age`.
    case maxAge
    /// `s-maxage`, for a shared cache.
    case sharedMaxAge
    /// A `max-age` that is no number: stale.
    case invalidMaxAge
    /// `Expires` minus `Date`.
    case expires
    /// An `Expires` that is no date: stale.
    case invalidExpires
    /// A tenth of the time since `Last-Modified` (RFC 9111, 4.2.2).
    case heuristic
    /// Nothing: stale.
    case nothing

    /// In a few words.
    public var text: String {
        switch self {
        case .maxAge: "max-age"
        case .sharedMaxAge: "s-maxage"
        case .invalidMaxAge: "a max-age that cannot be read"
        case .expires: "Expires"
        case .invalidExpires: "an Expires that is no date"
        case .heuristic: "Last-Modified"
        case .nothing: "nothing"
        }
    }
}
