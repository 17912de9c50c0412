/// A clock that is always later already: pauses are written down, not waited for.
struct HastyClock: Clock {
    typealias Duration = Swift.Duration

    struct Instant: InstantProtocol {
        var offset = Swift.Duration.zero

        func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }
        func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
        static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    private let log: HookLog

    init(_ log: HookLog) { self.log = log }

    var now: Instant { Instant() }
    var minimumResolution: Swift.Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        log.add("\(deadline.offset)")
    }
}
