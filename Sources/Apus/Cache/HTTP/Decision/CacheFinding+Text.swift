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
        }
    }

    /// Whether the line for the whole decision shows it.
    var isSummarised: Bool {
        switch self {
        case .currentAge, .lifetime, .freshFor, .staleness, .status, .invalidated: true
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
