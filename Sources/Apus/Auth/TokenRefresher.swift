public import FoundationEssentials
import Synchronization

/// Holds an access token, and obtains a new one when it is refused or about to expire: once for all requests
/// that wait for it.
///
/// ```swift
/// let refresher = TokenRefresher { old, context in
///     let answer = try await context.sendIndependently(API.login)
///     return AccessToken(Secret(try answer.value(using: .string(at: "token"))))
/// }
/// let provider = Provider<API>(interceptors: [RefreshInterceptor(refresher)])
/// ```
/// All waiting requests share one refresh. Cancelling one of them does not stop it; cancelling the last one
/// does. If a refresh fails, all waiting requests fail with its error, and the next request tries again.
public final class TokenRefresher: Sendable {
    /// Obtains a token to replace an old one; `old` is nil at first.
    ///
    /// It runs in a task of its own. Requests that it sends through the same provider carry no token of this
    /// refresher.
    public typealias Refresh =
        @Sendable (_ old: AccessToken?, _ context: ExchangeContext) async throws -> AccessToken

    /// The refreshers that the current task is working for.
    @TaskLocal private static var atWork: Set<ObjectIdentifier> = []

    private struct State {
        var token: AccessToken?
        var account: String
        /// Counts how often somebody has signed in or out; a refresh belongs to one session.
        var session = 0

        mutating func replaceToken(by new: AccessToken?, of owner: String?) {
            if new == nil || new?.value != token?.value {
                session += 1
                if token != nil { account = UUID().uuidString }
            }
            token = new
            if let owner { account = owner }
        }

        /// Uses the token of a refresh, unless somebody has signed in or out since it was asked for.
        mutating func finishRefresh(
            _ result: Result<AccessToken, ApusError>,
            since start: State
        ) -> Result<AccessToken, ApusError> {
            if session == start.session {
                if case .success(let new) = result { token = new }
                return result
            }
            // A response to another user's token would be cached for the user of the request.
            guard let token, account == start.account else {
                return .failure(ApusError(.cancelled))
            }
            return .success(token)
        }
    }

    private let state: Mutex<State>
    private let flights = SingleFlight<Int, Result<AccessToken, ApusError>, Never>()
    private let leeway: Duration
    private let now: @Sendable () -> Date
    private let refresh: Refresh

    /// Creates a refresher.
    ///
    /// - Parameters:
    ///   - token: the first token; nil obtains one before the first request.
    ///   - account: the owner of the token, for cache keys. Nil uses a random name, so that a later process
    ///     does not find what this one leaves on disk.
    ///   - leeway: how long before its expiry a token is replaced.
    ///   - now: returns the time.
    ///   - refresh: obtains a new token.
    public init(
        token: AccessToken? = nil,
        account: String? = nil,
        leeway: Duration = .seconds(30),
        now: @escaping @Sendable () -> Date = { Date() },
        refresh: @escaping Refresh
    ) {
        state = Mutex(State(token: token, account: account ?? UUID().uuidString))
        self.leeway = leeway
        self.now = now
        self.refresh = refresh
    }

    /// The token in use; a new value, as after signing in or out, takes effect at once.
    ///
    /// Replacing a token with a different one also sets a new random `account`. The result of a refresh that
    /// is running then is dropped. The requests that wait for it are cancelled, or take the new token if it
    /// is of the same account.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set { replaceToken(by: newValue, of: nil) }
    }

    /// Replaces the token and its account in one step; nil leaves the account to `token`.
    func replaceToken(by new: AccessToken?, of account: String?) {
        state.withLock { $0.replaceToken(by: new, of: account) }
    }

    /// The owner of the token; caches keep the responses to different accounts apart.
    ///
    /// A refresh does not change it, so that the responses to the old token are still found.
    public var account: String {
        get { state.withLock { $0.account } }
        set { state.withLock { $0.account = newValue } }
    }

    /// The number of requests that wait for a refresh of the token in use.
    package var waitingCount: Int { flights.count(for: state.withLock(\.session)) }

    /// Whether the current task works for this refresher; it must not wait for itself.
    var isAtWork: Bool { Self.atWork.contains(ObjectIdentifier(self)) }

    /// The token; refreshes it first if there is none or it is about to expire.
    func current(for context: ExchangeContext) async throws(ApusError) -> AccessToken {
        guard let token, isGood(token) else {
            return try await refreshed(for: context) { [self] in $0.map(isGood) ?? false }
        }
        return token
    }

    /// A token to replace one that the server refused.
    ///
    /// Does not refresh if another request already has since this one was sent.
    func replacement(
        for old: AccessToken,
        _ context: ExchangeContext
    ) async throws(ApusError) -> AccessToken {
        if let token, token.value != old.value { return token }
        return try await refreshed(for: context) { $0.map { $0.value != old.value } ?? false }
    }

    private func isGood(_ token: AccessToken) -> Bool {
        token.isGood(at: now(), leeway: leeway)
    }

    /// Refreshes, unless a refresh that has just ended brought a sufficient token.
    private func refreshed(
        for context: ExchangeContext,
        unless suffices: @escaping @Sendable (AccessToken?) -> Bool
    ) async throws(ApusError) -> AccessToken {
        let start = state.withLock { $0 }
        let arrival = await flights.value(for: start.session) {
            { [self] _ in
                // Another refresh may have ended between the caller's check and this flight.
                let token = token
                let result: Result<AccessToken, ApusError> =
                    if let token, suffices(token) {
                        .success(token)
                    } else {
                        await refreshed(token, context)
                    }
                return state.withLock { $0.finishRefresh(result, since: start) }
            }
        }
        guard let arrival else { throw ApusError(.cancelled) }
        return try arrival.value.get()
    }

    private func refreshed(
        _ old: AccessToken?,
        _ context: ExchangeContext
    ) async -> Result<AccessToken, ApusError> {
        let working = Self.atWork.union([ObjectIdentifier(self)])
        // Not the exchange itself, because its request may be cancelled before the others.
        let shared = context.exchange.forSharedCall()
        defer {
            shared.endChildren()
            context.exchange.note(shared.children)
        }
        do {
            let new = try await Self.$atWork.withValue(working) {
                try await refresh(old, context.in(shared))
            }
            return .success(new)
        } catch {
            return .failure(ApusError(hookFault: error, of: "TokenRefresher"))
        }
    }
}

/// An access token and when it expires.
public struct AccessToken: Sendable, Hashable {
    /// The token, which is masked when printed.
    public var value: Secret
    /// When it expires; nil if that is not known.
    public var expires: Date?

    /// Creates a token.
    public init(_ value: Secret, expires: Date? = nil) {
        self.value = value
        self.expires = expires
    }

    /// Whether it is valid for longer than the leeway.
    func isGood(at date: Date, leeway: Duration) -> Bool {
        guard let expires else { return true }
        return date.addingTimeInterval(leeway / .seconds(1)) < expires
    }
}
