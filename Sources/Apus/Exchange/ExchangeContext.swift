public import HTTPTypes

/// Gives a hook access to the exchange that it is called for.
public struct ExchangeContext: Sendable {
    /// The number of the attempt that comes next, or of the last one; counts from 1.
    public internal(set) var attempt: Int
    /// The source of the response; nil if there is none.
    public internal(set) var source: ResponseSource?
    /// Whether a response was already delivered, for example after a hit of `.cacheAndServer`.
    public internal(set) var hasResponse = false
    private(set) var exchange: RunningExchange

    init(_ exchange: RunningExchange, attempt: Int) {
        self.exchange = exchange
        self.attempt = attempt
    }

    /// A copy of the context whose children belong to another exchange.
    func `in`(_ exchange: RunningExchange) -> ExchangeContext {
        var context = self
        context.exchange = exchange
        return context
    }

    /// Identifies this exchange among those of the provider.
    public var id: ExchangeID { exchange.id }
    /// The target without its wrappers: never a ``MultiTarget`` or an ``EnvironmentTarget``.
    public var target: any TargetType { exchange.planned.target.unwrapped }
    /// The outermost wrapper of a type around the target; nil if there is none.
    package func wrapper<Wrapper: TargetWrapper>(_ kind: Wrapper.Type) -> Wrapper? {
        var target: any TargetType = exchange.planned.target
        while let wrapper = target as? any TargetWrapper {
            if let found = wrapper as? Wrapper { return found }
            target = wrapper.wrapped
        }
        return nil
    }
    /// The target's current environment; nil if there is none.
    public var environment: TargetEnvironment? { exchange.planned.target.environment }
    /// The target's envelope, or else its environment's or the provider's; nil if there is none.
    public var envelope: ResponseEnvelope? {
        exchange.planned.target.envelope ?? exchange.planned.envelope
    }
    /// Whether a plugin may change the response.
    package var mayBeProcessed: Bool { exchange.planned.pipeline?.actingPlugins.isEmpty == false }
    /// The request as last prepared or sent; nil before that.
    public var request: PreparedRequest? { exchange.request }
    /// The exchange that sent this one; nil if this is not a child.
    public var parent: ExchangeID? { exchange.planned.parent?.id }
    /// The number of exchanges above this one: 0 for one that a caller started.
    public var depth: Int { exchange.depth }
    /// The time since the call.
    public var elapsed: Duration { exchange.elapsed }

    /// The fields that the transport adds to those of a request, as far as they are known before it is sent
    /// (``Transport/addedFields(to:)``).
    public func addedFields(to request: PreparedRequest) -> HTTPFields {
        exchange.planned.transport.addedFields(to: request)
    }

    /// Sends a target as a child of this exchange, through the same provider and hooks.
    ///
    /// The child is cancelled when this exchange is cancelled or has ended, or when the calling task is
    /// cancelled. It is listed in `ExchangeSummary.children`, and its progress is reported to this
    /// exchange's listener too.
    ///
    /// - Throws: `ApusError`; children nested more than 8 deep fail with `.hookFailed`.
    public func send(
        _ child: any TargetType,
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await exchange.send(child, from: source)
    }

    /// Sends a target through the same provider and hooks, independently of this exchange: it ends only
    /// with the calling task.
    ///
    /// Use it for something that many exchanges wait for, such as a new token.
    ///
    /// - Throws: `ApusError`, as `send` does.
    public func sendIndependently(
        _ target: any TargetType,
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await exchange.child(target, from: source).run(nil).result.get()
    }
}

/// A key for a value that the hooks of one exchange share.
///
/// ```swift
/// struct TraceID: ExchangeKey { static let defaultValue = "" }
/// context[TraceID.self] = "7f3a"
/// ```
public protocol ExchangeKey: SendableMetatype {
    /// The type of the value that hooks share under this key.
    associatedtype Value: Sendable
    /// The value until a hook sets one.
    static var defaultValue: Value { get }
}

extension ExchangeContext {
    /// A value shared by all hooks of this exchange: plugins, interceptors and the hooks of its children.
    ///
    /// It lives as long as the exchange that a caller started. If several exchanges share one transfer, the
    /// hooks of that transfer use the values of the exchange that started it.
    public subscript<Key: ExchangeKey>(key: Key.Type) -> Key.Value {
        get {
            exchange.withValues { $0[ObjectIdentifier(key)] as? Key.Value } ?? Key.defaultValue
        }
        nonmutating set { exchange.withValues { $0[ObjectIdentifier(key)] = newValue } }
    }

    /// Changes a shared value in one step.
    ///
    /// `change` must not read or set shared values.
    public func update<Key: ExchangeKey, R: Sendable>(
        _ key: Key.Type,
        _ change: (inout Key.Value) -> R
    ) -> R {
        exchange.withValues { values in
            var value = values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue
            defer { values[ObjectIdentifier(key)] = value }
            return change(&value)
        }
    }
}

/// Identifies an exchange of a provider, for example in logs.
public struct ExchangeID: Sendable, Hashable, CustomStringConvertible {
    /// The exchange's number, from 1.
    public let number: UInt64

    /// Makes an ID.
    public init(_ number: UInt64) { self.number = number }

    /// "#17".
    public var description: String { "#\(number)" }
}

/// An exchange that a hook sent, with its summary.
public struct ChildExchange: Sendable {
    /// The target that was sent.
    public let target: any TargetType
    /// How it ended; contains its own children.
    public let summary: ExchangeSummary
}
