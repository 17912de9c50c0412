public import FoundationEssentials
public import HTTPTypes
import Synchronization

/// Settings that many targets share: "production", "staging", "mocked".
///
/// A target's own settings win, field by field and parameter by parameter. If an absolute path leads to an
/// origin other than the base, fields and parameters with the names of credentials (`Authorization`,
/// `api_key` …) are left out.
public struct TargetEnvironment: Sendable, Hashable {
    /// The name, by which ``EnvironmentStore/use(_:)`` finds the environment.
    public var name: String
    /// The base URL for paths; nil for each target's own.
    public var baseURL: URL?
    /// The base URL while `isMocked`; nil for none.
    ///
    /// Without one, the targets' samples are the responses, if the provider's stubs are `Stubs.environments`.
    public var mockURL: URL?
    /// Whether a mock responds instead of the server.
    public var isMocked: Bool
    /// Header fields; a target's field of the same name replaces them.
    public var headerFields: HTTPFields
    /// Parameters; a target's parameter of the same name replaces them.
    ///
    /// They go where the target's own parameters go, or to the query if the target has none or has a body
    /// that is not made of parameters.
    public var parameters: ParameterList
    /// The timeout of an exchange, for targets that leave theirs at its default.
    public var timeout: Duration?
    /// How the API wraps its data; a target's own envelope replaces it.
    public var envelope: ResponseEnvelope?
    /// The cookie jar, for targets without their own; nil for none.
    public var cookieJar: CookieJar?

    /// Makes an environment; arguments that are left out change nothing.
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

    /// The base URL in effect: `mockURL` while `isMocked`, if there is one, else `baseURL`.
    public var effectiveBaseURL: URL? { isMocked ? mockURL ?? baseURL : baseURL }
}

/// The environments of a program, and which one is in use.
///
/// Each request reads the current environment once, when it is built: a change applies to the next request
/// and never to half of one. It can be used from any thread.
public final class EnvironmentStore: Sendable {
    private struct State {
        var environments: [TargetEnvironment]
        var index: Int
    }

    private let state: Mutex<State>

    /// Makes a store with the environment in use, and others to switch to.
    public init(_ current: TargetEnvironment, others: [TargetEnvironment] = []) {
        state = Mutex(State(environments: [current] + others, index: 0))
    }

    /// The environment in use.
    public var current: TargetEnvironment {
        state.withLock { $0.environments[$0.index] }
    }

    /// All environments in the order in which they were added.
    public var all: [TargetEnvironment] { state.withLock { $0.environments } }

    /// Switches to the environment of this name; false if there is none.
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

    /// Adds an environment, or replaces the one of the same name.
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
    /// `change` must not use the store, which is locked meanwhile.
    public func update(_ change: (inout TargetEnvironment) -> Void) {
        state.withLock { change(&$0.environments[$0.index]) }
    }
}

/// A target that is bound to the environment in use in a store.
public struct EnvironmentTarget<Base: TargetType>: TargetWrapper {
    /// The target as it was before it was bound.
    public let base: Base
    /// Where the environment comes from.
    public let store: EnvironmentStore

    /// Binds a target.
    public init(_ base: Base, in store: EnvironmentStore) {
        self.base = base
        self.store = store
    }

    /// The bound target, as hooks, stubs and rules get it.
    public var wrapped: any TargetType { base }
    /// The environment that is in use now.
    public var environment: TargetEnvironment? { store.current }
    /// The target's own envelope, else the environment's.
    public var envelope: ResponseEnvelope? { base.envelope ?? environment?.envelope }
}

extension TargetType {
    /// This target, bound to a store's environment.
    public func bound(to store: EnvironmentStore) -> EnvironmentTarget<Self> {
        EnvironmentTarget(self, in: store)
    }
}
