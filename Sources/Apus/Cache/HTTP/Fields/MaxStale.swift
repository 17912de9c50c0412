/// How stale a response the client takes (RFC 9111, 5.2.1.2).
enum MaxStale: Sendable, Equatable {
    case any
    case upTo(Duration)

    /// Nil if the client did not ask for stale responses.
    init?(_ control: CacheControl) {
        let given = control.all("max-stale")
        guard !given.isEmpty else { return nil }
        let limits = given.filter { $0.argument != .none }
        self = limits.isEmpty ? .any : .upTo(limits.map { $0.seconds ?? .zero }.min() ?? .zero)
    }

    func allows(_ staleness: Duration) -> Bool {
        switch self {
        case .any: true
        case .upTo(let limit): limit > .zero && staleness <= limit
        }
    }
}
