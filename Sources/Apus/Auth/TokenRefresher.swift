public import FoundationEssentials
import Synchronization

/// Holds an access token, and gets a new one when it is refused or about to end:
/// once, however many requests wait for it.
///
/// ```swift
/// let refresher = TokenRefresher { old, context in
///     let answer = try await context.sendIndependently(API.login)
///     return AccessToken(Secret(try answer.value(using: .string(at: "token"))))
/// }
/// let provider = Provider<API>(interceptors: [RefreshInterceptor(refresher)])
/// ```
/// A refresh belongs to all who wait for it: one that is cancelled goes away alone,
/// and the last one to go cancels it. One that fails, fails all who wait, with its
/// cause; the next request tries again.
public final class TokenRefresher: Sendable {
    /// Gets a token in place of an old one, which is nil at first.
    ///
    /// It runs in a task of its own. Requests that it sends through the same
    /// provider go without a token of this refresher.
    public typealias Refresh =
        @Sendable (_ old: AccessToken?, _ context: ExchangeContext) async throws -> AccessToken

    /// The refreshers whose work the current task does.
    @TaskLocal private static var atWork: Set<ObjectIdentifier> = []

    private enum Flight: Hashable { case refresh }

    private struct State {
        var token: AccessToken?
        var account: String
    }

    private let state: Mutex<State>
    private let flights = SingleFlight<Flight, Result<AccessToken, ApusError>, Never>()
    private let leeway: Duration
    private let now: @Sendable () -> Date
    private let refresh: Refresh

    /// Makes a refresher.
    ///
    /// - Parameters:
    ///   - token: the token to begin with; nil gets one before the first request.
    ///   - account: whose it is, for caches; nil for a name that only this refresher has, so that
    ///     a later process does not find what this one leaves on disk.
    ///   - leeway: a token is replaced so long before it ends.
    ///   - now: the time.
    ///   - refresh: gets a new token.
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

    /// The token in use; setting another, as after signing in or out, counts at once.
    ///
    /// Another in the place of one begins a new `account`.
    public var token: AccessToken? {
        get { state.withLock { $0.token } }
        set {
            state.withLock { state in
                if let old = state.token, old.value != newValue?.value {
                    state.account = UUID().uuidString
                }
                state.token = newValue
            }
        }
    }

    /// Whose the token is: caches keep the answers to one account from others.
    ///
    /// A refresh leaves it as it is, so that the answers that the old token got are found.
    public var account: String {
        get { state.withLock { $0.account } }
        set { state.withLock { $0.account = newValue } }
    }

    /// How many wait for a refresh.
    package var waitingCount: Int { flights.count(for: .refresh) }

    /// Whether the current task does this refresher's work: it must not wait for itself.
    var isAtWork: Bool { Self.atWork.contains(ObjectIdentifier(self)) }

    /// The token, refreshed first if there is none or it is about to end.
    func current(for context: ExchangeContext) async throws(ApusError) -> AccessToken {
        guard let token, isGood(token) else {
            return try await refreshed(for: context) { [self] in $0.map(isGood) ?? false }
        }
        return token
    }

    /// A token in place of one that the server refused; no refresh if that was done
    /// while the request was under way.
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

    /// Refreshes, unless the token that another refresh has just brought suffices.
    private func refreshed(
        for context: ExchangeContext,
        unless suffices: @escaping @Sendable (AccessToken?) -> Bool
    ) async throws(ApusError) -> AccessToken {
        let arrival = await flights.value(for: .refresh) {
            { [self] _ in
                // Between the look at the token and this flight another may have ended.
                let token = token
                if let token, suffices(token) { return .success(token) }
                return await refreshed(token, context)
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
        // Not the exchange itself: who began the refresh may leave before the others.
        let shared = context.exchange.forSharedCall()
        defer {
            shared.endChildren()
            context.exchange.note(shared.children)
        }
        do {
            let new = try await Self.$atWork.withValue(working) {
                try await refresh(old, context.in(shared))
            }
            state.withLock { $0.token = new }
            return .success(new)
        } catch {
            return .failure(ApusError(hookFault: error, of: "TokenRefresher"))
        }
    }
}

/// A token that gives access for some time.
public struct AccessToken: Sendable, Hashable {
    /// The token itself.
    public var value: Secret
    /// When it ends; nil if nobody said.
    public var expires: Date?

    /// Makes a token.
    public init(_ value: Secret, expires: Date? = nil) {
        self.value = value
        self.expires = expires
    }

    /// Whether it lasts for more than the leeway.
    func isGood(at date: Date, leeway: Duration) -> Bool {
        guard let expires else { return true }
        return date.addingTimeInterval(leeway / .seconds(1)) < expires
    }
}
