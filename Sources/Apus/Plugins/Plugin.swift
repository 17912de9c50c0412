public import FoundationEssentials

/// Observes every exchange of a provider, and may change requests and responses.
///
/// ```
/// plan ─▶ adapt ─▶ endpoint ─▶ prepare ─▶ key ─┬─ cache ─────────────────────┬─▶ didReceive
///                                 ▲            └─ willSend ─▶ server ─▶ valid? ┘        │
///                                 └───────────────── retry(after:) ──────────────── process
///                                                                                       │
///                                                          didFinish ◀── delivery ◀─────┘
/// ```
/// Plugins are called in the order in which they were given; each `prepare` and `process` gets what the one
/// before it returned. Responses from the cache, a stub or a recording pass the same hooks; `context.source`
/// tells them apart. A failure at any stage skips the rest of that stage and continues with `didReceive`,
/// `process` and `didFinish`. A cancelled exchange passes only `didReceive` and `didFinish`, because nothing
/// may replace or repeat it. `didFinish` is called once for every exchange, whatever happened.
///
/// ``Provider/preparedRequest(for:)`` and ``Provider/cachedResponse(for:caching:in:)`` send and deliver nothing:
/// they pass only `plan`, `adapt`, `prepare` and then `didPreview`.
///
/// A hook that does not return in time (`hookLimit`) is cancelled and abandoned; the exchange continues with
/// the failure `.hookTimeout`. All hooks do nothing by default.
public protocol Plugin: Sendable {
    /// The name used in errors and logs; by default that of the type.
    var name: String { get }

    /// How long one hook may take; nil, the default, for the provider's limit.
    var hookLimit: Duration? { get }

    /// Chooses where responses come from and where they are stored, before anything else happens.
    ///
    /// It must not block.
    func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan

    /// Changes the content of the request before it is encoded, for example its parameters.
    ///
    /// It is called once for an exchange, so that the body and the cache key are made from the same values,
    /// even if the time of day is one of them.
    ///
    /// - Throws: the same as `prepare`.
    func adapt(_ task: RequestTask, in context: ExchangeContext) async throws -> RequestTask

    /// Changes the request before the cache key is made and anything is sent.
    ///
    /// - Throws: `Veto`, `ApusError` or any other error; nothing is sent then.
    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest

    /// Observes the request when it is sent, once for each attempt.
    ///
    /// - Throws: `Veto`, which ends the exchange with `.vetoed`, or any other error, which ends it too.
    ///   Nothing is sent then.
    func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws

    /// Observes a response, or the failure instead of it, before it is processed.
    func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async

    /// Replaces a response or a failure, or asks for another attempt.
    ///
    /// The cache stores the server's response, not what this makes of it: a cached response is processed each
    /// time it is delivered.
    ///
    /// - Throws: the error that replaces the result.
    func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult

    /// Observes how the exchange ended, after everything was delivered.
    func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async

    /// Observes the end of a call that only prepared a request or looked into the cache.
    ///
    /// `error` is what it threw; nil if it succeeded, also if the cache has no response.
    func didPreview(_ error: ApusError?, in context: ExchangeContext) async
}

extension Plugin {
    /// By default the name of the type.
    public var name: String { String(describing: Self.self) }
    /// By default nil, so that the provider's limit applies.
    public var hookLimit: Duration? { nil }
    /// Leaves the plan as it is.
    public func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan { plan }
    /// Leaves the task as it is.
    public func adapt(
        _ task: RequestTask,
        in context: ExchangeContext
    ) async throws -> RequestTask { task }
    /// Leaves the request as it is.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest { request }
    /// Lets the request be sent.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {}
    /// Does nothing.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {}
    /// Leaves the result as it is.
    public func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult { .result(result) }
    /// Does nothing.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {}
    /// Does nothing.
    public func didPreview(_ error: ApusError?, in context: ExchangeContext) async {}
}

/// A built-in plugin that implements only `didReceive` and `didFinish`, which must return quickly.
///
/// Its other hooks are never called, and these two have no time limit: a hook that can be abandoned needs a
/// task of its own, and six of them take a quarter of the time of a small request.
package protocol ObservingPlugin: Plugin {}

/// What a plugin makes of a response or a failure.
public enum ProcessingResult: Sendable {
    /// The result for the next plugin, changed or not.
    case result(Result<Response, ApusError>)
    /// The result is dropped, and the exchange starts again at `prepare` after a pause.
    ///
    /// ``HookLimits/retries`` limits the number of such attempts; after that the result stands. A cached
    /// response that is dropped counts as a miss.
    case retry(after: Duration)
}

/// A plugin's refusal to send a request; thrown from a hook, it ends the exchange with the error `.vetoed`.
public struct Veto: LocalizedError, Sendable, Hashable {
    /// The reason, in words for people.
    public let reason: String

    /// Creates a veto.
    public init(_ reason: String) { self.reason = reason }

    /// The reason; also returned by `localizedDescription`.
    public var errorDescription: String? { reason }
}
