import Synchronization

/// The parts of a provider between a target and its response, other than transport and cache.
///
/// A provider without any of these parts has no pipeline.
final class Pipeline: Sendable {
    let plugins: [any Plugin]
    /// For each plugin, whether it only observes.
    let areObserving: [Bool]
    /// The plugins that may change something.
    let actingPlugins: [any Plugin]
    let interceptors: [any Interceptor]
    let stubs: Stubs
    let coalescing: Coalescing
    let limits: HookLimits
    let clock: any Clock<Duration>
    let timers: TimerQueue
    /// The running calls that may be shared.
    let calls = SingleFlight<ServerCall.Fingerprint, ServerCall.Outcome, ExchangeEvent> { note in
        if case .willSend = note { true } else { false }
    }
    /// Calls of plugins that go on after the exchange has ended.
    let lateEnds = BackgroundTasks()
    private let lastID = Atomic<UInt64>(0)

    init(
        plugins: [any Plugin],
        interceptors: [any Interceptor],
        stubs: Stubs,
        coalescing: Coalescing,
        limits: HookLimits,
        clock: any Clock<Duration>
    ) {
        self.plugins = plugins
        areObserving = plugins.map { $0 is any ObservingPlugin }
        actingPlugins = plugins.filter { !($0 is any ObservingPlugin) }
        self.interceptors = interceptors
        self.stubs = stubs
        self.coalescing = coalescing
        self.limits = limits
        self.clock = clock
        timers = TimerQueue(clock)
    }

    func nextID() -> ExchangeID {
        ExchangeID(lastID.add(1, ordering: .relaxed).newValue)
    }
}
