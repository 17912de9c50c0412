public import HTTPTypes

/// What a hook may know of the exchange that it is called for.
public struct ExchangeContext: Sendable {
    /// The attempt that is about to be made, or the last one; from 1.
    public internal(set) var attempt: Int
    /// Where the answer came from, when there is one.
    public internal(set) var source: ResponseSource?
    /// Whether an answer was delivered before, as after a hit of `.cacheAndServer`.
    public internal(set) var hasAnswer = false
    private(set) var exchange: RunningExchange

    init(_ exchange: RunningExchange, attempt: Int) {
        self.exchange = exchange
        self.attempt = attempt
    }

    /// The same, whose children live as long as another exchange.
    func `in`(_ exchange: RunningExchange) -> ExchangeContext {
        var context = self
        context.exchange = exchange
        return context
    }

    /// Tells this exchange from the provider's others.
    public var id: ExchangeID { exchange.id }
    /// The target, out of its wrappers: never a ``MultiTarget`` or an ``EnvironmentTarget``.
    public var target: any TargetType { exchange.planned.target.unwrapped }
    /// The outermost wrapper of a kind around the target; nil for none.
    package func wrapper<Wrapper: TargetWrapper>(_ kind: Wrapper.Type) -> Wrapper? {
        var target: any TargetType = exchange.planned.target
        while let wrapper = target as? any TargetWrapper {
            if let found = wrapper as? Wrapper { return found }
            target = wrapper.wrapped
        }
        return nil
    }
    /// What the target shares with others, as it is now; nil for nothing.
    public var environment: TargetEnvironment? { exchange.planned.target.environment }
    /// The target's envelope, or else its environment's; nil for none.
    public var envelope: ResponseEnvelope? { exchange.planned.target.envelope }
    /// Whether a plugin may change what is received.
    package var mayBeProcessed: Bool { exchange.planned.pipeline?.actingPlugins.isEmpty == false }
    /// The request as it was last prepared or sent; nil before that.
    public var request: PreparedRequest? { exchange.request }
    /// The exchange that this one was sent for, if it is a child.
    public var parent: ExchangeID? { exchange.planned.parent?.id }
    /// How many exchanges stand above this one: 0 for one that a caller began.
    public var depth: Int { exchange.depth }
    /// The time since the call.
    public var elapsed: Duration { exchange.elapsed }

    /// The fields that the transport puts beside those of a request, as far as they are known before it
    /// is sent (``Transport/addedFields(to:)``).
    public func addedFields(to request: PreparedRequest) -> HTTPFields {
        exchange.planned.transport.addedFields(to: request)
    }

    /// Sends a target as a child of this exchange, through the same provider and hooks.
    ///
    /// It is cancelled when this exchange is cancelled or has ended, or when the
    /// calling task is cancelled, and stands in `ExchangeSummary.children`. Who listens to this
    /// exchange hears of its progress, too.
    ///
    /// - Throws: `ApusError`; children more than 8 deep fail with `.hookFailed`.
    public func send(
        _ child: any TargetType,
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await exchange.send(child, from: source)
    }

    /// Sends a target through the same provider and hooks, for more than this exchange:
    /// it ends only with the calling task.
    ///
    /// For what many exchanges wait for, such as a new token.
    ///
    /// - Throws: `ApusError`, as `send` does.
    public func sendIndependently(
        _ target: any TargetType,
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await exchange.child(target, from: source).run(nil).result.get()
    }
}

/// Names a value that the hooks of one exchange share.
///
/// ```swift
/// struct TraceID: ExchangeKey { static let defaultValue = "" }
/// context[TraceID.self] = "7f3a"
/// ```
public protocol ExchangeKey: SendableMetatype {
    /// The value's type.
    associatedtype Value: Sendable
    /// The value until a hook sets one.
    static var defaultValue: Value { get }
}

extension ExchangeContext {
    /// A value that all hooks of this exchange share: plugins, interceptors and those of its children.
    ///
    /// It lives as long as the exchange that a caller began. Where many exchanges share one
    /// transfer, the hooks of that transfer have the values of the one that began it.
    public subscript<Key: ExchangeKey>(key: Key.Type) -> Key.Value {
        get {
            exchange.withValues { $0[ObjectIdentifier(key)] as? Key.Value } ?? Key.defaultValue
        }
        nonmutating set { exchange.withValues { $0[ObjectIdentifier(key)] = newValue } }
    }

    /// Changes a value that hooks share, in one step.
    ///
    /// `change` must not read or set shared values itself.
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

/// Tells the exchanges of one provider apart, in logs and in what belongs together.
public struct ExchangeID: Sendable, Hashable, CustomStringConvertible {
    /// The exchange's number, from 1.
    public let number: UInt64

    /// Makes an identity.
    public init(_ number: UInt64) { self.number = number }

    /// "#17".
    public var description: String { "#\(number)" }
}

/// An exchange that a hook sent, and how it ended.
public struct ChildExchange: Sendable {
    /// What was sent.
    public let target: any TargetType
    /// How it ended; its own children are in it.
    public let summary: ExchangeSummary
}
