/// Sees every exchange of a provider, and may change what goes out and what
/// comes back.
///
/// ```
/// plan ─▶ adapt ─▶ endpoint ─▶ prepare ─▶ key ─┬─ cache ─────────────────────┬─▶ didReceive
///                                 ▲            └─ willSend ─▶ server ─▶ valid? ┘        │
///                                 └───────────────── retry(after:) ──────────────── process
///                                                                                       │
///                                                          didFinish ◀── delivery ◀─────┘
/// ```
/// Plugins are asked in the order in which they were given; each `prepare` and
/// `process` gets what the one before it returned. Answers from the cache, a stub
/// or a recording pass the same hooks; `context.source` tells them apart. A
/// failure at any stage skips the rest of that stage and goes on with
/// `didReceive`, `process` and `didFinish`; a cancelled exchange passes
/// `didReceive` and `didFinish` only, for nothing may replace or repeat it.
/// `didFinish` is called once for every exchange, whatever happened.
///
/// A hook that does not return in time (`hookLimit`) is cancelled and left
/// behind; the exchange goes on with the failure `.hookTimeout`. All hooks have
/// defaults that do nothing.
public protocol Plugin: Sendable {
    /// The name that errors and logs give it; by default its type's.
    var name: String { get }

    /// How long one hook may take; nil, the default, for the provider's limit.
    var hookLimit: Duration? { get }

    /// Chooses where answers come from and where they are kept, before anything
    /// else is done.
    ///
    /// It must not block.
    func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan

    /// Changes what the request carries before that is encoded: parameters, for
    /// example.
    ///
    /// It is asked once for an exchange, so that the body and the cache's key are
    /// made of the same, also where the time of day goes in.
    ///
    /// - Throws: as `prepare` does.
    func adapt(_ task: RequestTask, in context: ExchangeContext) async throws -> RequestTask

    /// Changes the request before its key is made and anything is asked.
    ///
    /// - Throws: `Veto`, `ApusError` or any error; nothing is sent then.
    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest

    /// Sees the request as it goes out, once for each attempt.
    ///
    /// - Throws: `Veto`, and the exchange ends with `.vetoed`; any other error
    ///   ends it too. Nothing is sent then.
    func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws

    /// Sees an answer, or the failure in its place, before it is processed.
    func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async

    /// Replaces an answer or a failure, or asks for another attempt.
    ///
    /// The cache keeps what the server said, not what this makes of it: a cached
    /// answer is processed each time that it is delivered.
    ///
    /// - Throws: what takes the place of the result.
    func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult

    /// Sees how the exchange ended, after everything was delivered.
    func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async
}

extension Plugin {
    /// The type's name.
    public var name: String { String(describing: Self.self) }
    /// The provider's limit.
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
    /// Lets it go.
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
}

/// A plugin of ours that has no hooks but `didReceive` and `didFinish`, and ends them soon.
///
/// Nothing else of it is called, and these without a limit: each hook that can be left behind has a task
/// of its own, and six of them take a quarter of what a small request does.
package protocol ObservingPlugin: Plugin {}

/// What a plugin makes of an answer or a failure.
public enum ProcessingResult: Sendable {
    /// This takes its place; the next plugin gets it.
    case result(Result<Response, ApusError>)
    /// It is dropped, and the exchange begins again at `prepare` after a pause.
    ///
    /// A provider's `maximumRetries` bounds it: after so many the result stands. A
    /// cached answer that is dropped counts as a miss.
    case retry(after: Duration)
}

/// A plugin's refusal to send a request: thrown from a hook, it ends the exchange
/// with the error `.vetoed`.
public struct Veto: Error, Sendable, Hashable {
    /// Why, for people.
    public let reason: String

    /// Makes a veto.
    public init(_ reason: String) { self.reason = reason }
}
