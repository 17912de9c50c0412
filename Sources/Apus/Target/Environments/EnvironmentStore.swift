import Synchronization

/// The environments of a program, and which of them is in use.
///
/// Each request reads the one in use once, when it is put together: a change
/// holds for the next request and never for half of one. From any thread.
public final class EnvironmentStore: Sendable {
    private struct State {
        var environments: [TargetEnvironment]
        var index: Int
    }

    private let state: Mutex<State>

    /// Makes a store with one environment in use, and others to change to.
    public init(_ current: TargetEnvironment, others: [TargetEnvironment] = []) {
        state = Mutex(State(environments: [current] + others, index: 0))
    }

    /// The environment in use.
    public var current: TargetEnvironment {
        state.withLock { $0.environments[$0.index] }
    }

    /// All of them, in the order that they were added.
    public var all: [TargetEnvironment] { state.withLock { $0.environments } }

    /// Changes to the environment of this name; false if there is none.
    @discardableResult
    public func use(_ name: String) -> Bool {
        state.withLock { state in
            guard let index = state.environments.firstIndex(where: { $0.name == name }) else {
                return false
            }
            state.index = index
            return true
        }
    }

    /// Adds an environment, or replaces the one of its name.
    public func add(_ environment: TargetEnvironment) {
        state.withLock { state in
            let index = state.environments.firstIndex { $0.name == environment.name }
            if let index {
                state.environments[index] = environment
            } else {
                state.environments.append(environment)
            }
        }
    }

    /// Changes the environment in use.
    ///
    /// `change` must not use the store.
    public func update(_ change: (inout TargetEnvironment) -> Void) {
        state.withLock { change(&$0.environments[$0.index]) }
    }
}
