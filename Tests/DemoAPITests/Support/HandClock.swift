import DemoAPI
import Synchronization

/// A clock that moves when it is told to.
final class HandClock: Sendable {
    private let seconds: Mutex<Double>

    init(_ seconds: Double) {
        self.seconds = Mutex(seconds)
    }

    func advance(by interval: Double) {
        seconds.withLock { $0 += interval }
    }

    var demoClock: DemoClock {
        DemoClock { self.seconds.withLock { $0 } }
    }
}
