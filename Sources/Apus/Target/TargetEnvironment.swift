public import FoundationEssentials
public import HTTPTypes
import Synchronization

/// A set of things that many targets share: "production", "staging", "mocked".
///
/// A target that says otherwise wins, field by field and parameter by parameter. Where an absolute
/// path leads to another origin than the base, fields and parameters with the names of credentials
/// (`Authorization`, `api_key` …) stay behind.
public struct TargetEnvironment: Sendable, Hashable {
    /// What it is called; ``EnvironmentStore/use(_:)`` finds it by this.
    public var name: String
    /// The base that paths are appended to; nil for each target's own.
    public var baseURL: URL?
    /// The base while `isMocked`; nil for none, and then the targets' samples
    /// answer, if the provider's stubs are `Stubs.environments`.
    public var mockURL: URL?
    /// Whether a mock answers instead of the server.
    public var isMocked: Bool
    /// Header fields; a target's field of the same name takes their place.
    public var headerFields: HTTPFields
    /// Parameters.
    ///
    /// They go where the target's own parameters go, which win by name; to the
    /// query if it has a body that is not made of parameters, or nothing.
    public var parameters: ParameterList
    /// The time for an exchange, for targets that leave theirs at its default.
    public var timeout: Duration?
    /// How the API wraps its data; a target's own envelope takes its place.
    public var envelope: ResponseEnvelope?
    /// The cookies, for targets without a jar of their own; nil for none.
    public var cookieJar: CookieJar?

    /// Makes an environment; what is not given changes nothing.
    public init(
        _ name: String,
        baseURL: URL? = nil,
        mockURL: URL? = nil,
        isMocked: Bool = false,
        headerFields: HTTPFields = [:],
        parameters: ParameterList = [],
        timeout: Duration? = nil,
        envelope: ResponseEnvelope? = nil,
        cookieJar: CookieJar? = nil
    ) {
        self.name = name
        self.baseURL = baseURL
        self.mockURL = mockURL
        self.isMocked = isMocked
        self.headerFields = headerFields
        self.parameters = parameters
        self.timeout = timeout
        self.envelope = envelope
        self.cookieJar = cookieJar
    }

    /// The base that counts now.
    public var effectiveBaseURL: URL? { isMocked ? mockURL ?? baseURL : baseURL }
}

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

/// A target, bound to what a store says when it is sent.
public struct EnvironmentTarget<Base: TargetType>: TargetWrapper {
    /// The target that is bound.
    public let base: Base
    /// Where its environment comes from.
    public let store: EnvironmentStore

    /// Binds a target.
    public init(_ base: Base, in store: EnvironmentStore) {
        self.base = base
        self.store = store
    }

    /// The target that is bound.
    public var wrapped: any TargetType { base }
    /// The one in use now.
    public var environment: TargetEnvironment? { store.current }
    /// The target's own, or else the environment's.
    public var envelope: ResponseEnvelope? { base.envelope ?? environment?.envelope }
}

extension TargetType {
    /// This target, bound to a store's environment.
    public func bound(to store: EnvironmentStore) -> EnvironmentTarget<Self> {
        EnvironmentTarget(self, in: store)
    }
}
