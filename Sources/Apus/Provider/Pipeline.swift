import Synchronization

/// What a provider puts between a target and its answer beyond transport and cache.
///
/// A provider that has nothing of it has no pipeline.
final class Pipeline: Sendable {
    let plugins: [any Plugin]
    /// Whether each of them only looks on.
    let areObserving: [Bool]
    /// Those that may change something.
    let actingPlugins: [any Plugin]
    let interceptors: [any Interceptor]
    let stubs: Stubs
    let coalescing: Coalescing
    let limits: HookLimits
    let clock: any Clock<Duration>
    let timers: TimerQueue
    /// The calls under way that may be shared.
    let calls = SingleFlight<ServerCall.Fingerprint, ServerCall.Outcome, ExchangeEvent> { note in
        if case .willSend = note { true } else { false }
    }
    /// What is told to plugins after an exchange's own end.
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
