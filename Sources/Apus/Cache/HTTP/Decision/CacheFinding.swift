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
}
