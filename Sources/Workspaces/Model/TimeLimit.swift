/// How long something may take.
enum TimeLimit: Sendable, Hashable {
    /// As long as it needs.
    case none
    case after(Duration)

    var duration: Duration? {
        if case .after(let duration) = self { duration } else { nil }
    }
}
