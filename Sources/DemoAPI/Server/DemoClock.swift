import FoundationEssentials

/// Where the demo server takes the time of day from.
package struct DemoClock: Sendable {
    private let read: @Sendable () -> Double

    /// - Parameter now: gives seconds since 1970.
    package init(now: @escaping @Sendable () -> Double) {
        read = now
    }

    /// The machine's clock.
    package static let system = DemoClock { Date.now.timeIntervalSince1970 }

    /// A clock that stands still.
    package static func fixed(_ seconds: Double) -> DemoClock {
        DemoClock { seconds }
    }

    /// Seconds since 1970.
    var now: Double { read() }
}
