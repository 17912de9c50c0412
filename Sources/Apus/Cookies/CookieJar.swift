// Cookies are handled by libcurl, with one share handle per jar; the file has curl's format.

public import FoundationEssentials
package import HTTPTypes
import Synchronization

/// A set of cookies, such as those of one environment.
///
/// ```swift
/// let jar = CookieJar(file: "staging.cookies")
/// let provider = Provider<API>(plugins: [CookiesPlugin(jar)])
/// ```
/// libcurl matches and stores the cookies (RFC 6265, public suffixes). If there are more than about 3,000,
/// cookies of the domains that have the most are dropped. Any number of transfers, of one or several
/// transports, may use a jar at the same time. A jar is equal only to itself. Until the first use, nothing
/// is read and libcurl is not loaded.
public final class CookieJar: Sendable {
    /// The file that the first use reads and `save` writes; nil for a jar in memory.
    ///
    /// It has the Netscape format, which `curl -b` and `-c` and browser exports share; its mode is 0600.
    public let file: String?
    /// Whether session cookies are saved too.
    public let savesSessionCookies: Bool

    struct State {
        var share: CurlCookies?
        var fault: ApusError?
        var sameSites: [Cookie.ID: Cookie.SameSite] = [:]
        var changes = 0
        var savedChanges = 0
        var account: String?
        /// The number of fields noted since the cookies were last counted.
        var uncounted = 0
    }

    let state = Mutex(State())
    let ownAccount = UUID().uuidString
    /// Whether caches treat requests without cookies as belonging to no account.
    private let isAnonymousWithoutCookies: Bool
    private let now: @Sendable () -> Date

    /// Makes a jar in memory for a program that is run repeatedly.
    ///
    /// Its requests without cookies belong to no account, so that caches reuse the responses of earlier runs.
    package static func ofSession() -> CookieJar { CookieJar(isAnonymousWithoutCookies: true) }

    private init(isAnonymousWithoutCookies: Bool) {
        (file, savesSessionCookies, now) = (nil, false, { Date() })
        self.isAnonymousWithoutCookies = isAnonymousWithoutCookies
    }

    /// Makes a jar.
    ///
    /// - Parameters:
    ///   - file: The file for `save`; nil keeps the cookies in memory.
    ///   - savesSessionCookies: Whether session cookies are saved too.
    ///   - now: The clock for listing cookies; libcurl uses the system's clock for sending.
    public init(
        file: String? = nil,
        savesSessionCookies: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.file = file
        self.savesSessionCookies = savesSessionCookies
        self.now = now
        isAnonymousWithoutCookies = false
    }

    // MARK: list and edit

    /// The cookies that have not expired, sorted by domain, path and name.
    ///
    /// Empty if libcurl or the jar's file cannot be used; `check` says why.
    public var cookies: [Cookie] {
        // An unused jar in memory is empty; libcurl need not be loaded.
        guard file != nil || state.withLock({ $0.share != nil }), let share = try? share() else {
            return []
        }
        let date = now()
        let sameSites = state.withLock { $0.sameSites }
        return share.lines()
            .compactMap { CookieLine(text: $0).cookie }
            .filter { $0.expires.map { $0 > date } ?? true }
            .map { cookie in
                var cookie = cookie
                cookie.sameSite = sameSites[cookie.id]
                return cookie
            }
            .sorted {
                ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name)
            }
    }

    /// The cookie with an ID; nil if there is none.
    public subscript(_ id: Cookie.ID) -> Cookie? { cookies.first { $0.id == id } }

    /// Adds a cookie, or replaces the one with the same ID.
    ///
    /// An expired cookie removes it.
    ///
    /// - Throws: `.invalidRequest(.combination)` if the cookie is not valid, and the errors of `check`.
    public func set(_ cookie: Cookie) throws(ApusError) {
        guard let line = CookieLine(cookie), CookieJar.keepsPrefix(cookie) else {
            throw ApusError(
                .invalidRequest(.combination(detail: "“\(cookie.name)” is not a valid cookie"))
            )
        }
        try share().edit(line.text)
        state.withLock { state in
            state.sameSites[cookie.id] = cookie.sameSite
            state.changes += 1
        }
    }

    /// Removes a cookie if there is one with this ID.
    public func remove(_ id: Cookie.ID) throws(ApusError) {
        guard var cookie = self[id] else { return }
        cookie.expires = Date(timeIntervalSince1970: 1)
        cookie.sameSite = nil
        try set(cookie)
    }

    /// Removes all cookies, as after signing out; cached responses then belong to another account.
    public func removeAll() throws(ApusError) {
        try edit(CurlCookies.removeAll)
        state.withLock { $0.sameSites = [:] }
    }

    /// Removes the session cookies, as a browser does when it is closed; cached responses then belong to
    /// another account.
    public func endSession() throws(ApusError) { try edit(CurlCookies.removeSession) }

    private func edit(_ command: String) throws(ApusError) {
        try share().edit(command)
        beginAccount()
        state.withLock { $0.changes += 1 }
    }

    /// Whether the cookie keeps the promise of its name prefix (RFC 6265bis, section 4.1.3).
    private static func keepsPrefix(_ cookie: Cookie) -> Bool {
        if cookie.name.hasPrefix("__Host-") {
            return cookie.isSecure && cookie.isHostOnly && cookie.path == "/"
        }
        return !cookie.name.hasPrefix("__Secure-") || cookie.isSecure
    }

    /// Checks that the jar can be used.
    ///
    /// - Throws: `.transport` if libcurl cannot be loaded, `.file` if the jar's file
    ///   cannot be read.
    public func check() throws(ApusError) { _ = try share() }

    // MARK: transfers

    /// The cookie store of libcurl; the first call reads the file.
    func share() throws(ApusError) -> CurlCookies {
        let (share, fault) = state.withLock { state in
            if state.share == nil, state.fault == nil { open(&state) }
            return (state.share, state.fault)
        }
        guard let share else { throw fault ?? ApusError(CurlError.notLoaded("cookies").reason) }
        return share
    }

    private func open(_ state: inout State) {
        do throws(ApusError) {
            let share = try CurlCookies.make()
            if let file { try load(file, into: share, &state) }
            state.share = share
        } catch {
            state.fault = error
        }
    }

    /// Records what libcurl does not keep of `Set-Cookie` fields that it has just received.
    func note(_ fields: [String], from url: String) {
        let read = fields.compactMap { SetCookieField($0, from: url) }
        let mistaken = fields.compactMap(SetCookieField.mistaken)
        if !mistaken.isEmpty { drop(mistaken) }
        let isDue = state.withLock { state in
            state.changes += 1
            for field in read { state.sameSites[field.id] = field.sameSite }
            state.uncounted += fields.count
            guard state.uncounted >= Self.countedAfter else { return false }
            state.uncounted = 0
            return true
        }
        if isDue { trim() }
    }
}

extension CookieJar {
    /// Drops what libcurl took for cookies.
    private func drop(_ pairs: [(name: String, value: String)]) {
        guard let share = try? share() else { return }
        for var cookie in share.lines().compactMap({ CookieLine(text: $0).cookie })
        where pairs.contains(where: { $0.name == cookie.name && $0.value == cookie.value.value }) {
            cookie.expires = Date(timeIntervalSince1970: 1)
            if let line = CookieLine(cookie) { share.edit(line.text) }
        }
    }

    /// The number that browsers keep (RFC 6265, section 6.1, requires at least this many).
    private static let maximumCount = 3000
    /// Counting lists all cookies, so it is done once per this many fields.
    private static let countedAfter = 500

    /// Drops cookies beyond the limit, because libcurl limits only the cookies of a single response.
    ///
    /// All domains have the same maximum, so that one server cannot push out the cookies of others.
    private func trim() {
        guard let share = try? share() else { return }
        let cookies = share.lines().compactMap { CookieLine(text: $0).cookie }
        var left = Self.maximumCount
        var dropped: [Cookie] = []
        let domains = Dictionary(grouping: cookies, by: \.domain).sorted {
            ($0.value.count, $0.key) < ($1.value.count, $1.key)
        }
        for (place, domain) in domains.enumerated() {
            let kept = min(domain.value.count, left / (domains.count - place))
            left -= kept
            dropped += domain.value.dropLast(kept)
        }
        for var cookie in dropped {
            cookie.expires = Date(timeIntervalSince1970: 1)
            if let line = CookieLine(cookie) { share.edit(line.text) }
        }
        let known = Set(cookies.map(\.id)).subtracting(dropped.map(\.id))
        state.withLock { state in
            state.sameSites = state.sameSites.filter { known.contains($0.key) }
        }
    }
}

extension CookieJar: Hashable {
    /// Whether both are the same jar.
    public static func == (a: CookieJar, b: CookieJar) -> Bool { a === b }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CookieJar: CustomStringConvertible {
    /// The file's path; never a cookie.
    public var description: String { "CookieJar(\(file ?? "in memory"))" }
}

extension CookieJar {
    /// The account that caches know the jar's user by: its file or, in memory, this jar alone.
    ///
    /// Removing all cookies or ending the session starts a new account, because another user may follow who
    /// must not get the responses of the last one.
    var account: String {
        // The file may contain an account; if it cannot be read, the transfer itself fails.
        if file != nil { _ = try? share() }
        return state.withLock { $0.account } ?? file ?? ownAccount
    }

    /// The account that caches know a request's user by; nil if the request belongs to no account.
    func account(for head: HTTPRequest) -> String? {
        isAnonymousWithoutCookies && cookies(at: head).isEmpty ? nil : account
    }

    func beginAccount() { state.withLock { $0.account = UUID().uuidString } }

    /// The `Cookie` field of a request, in a fixed order; nil if there are no cookies.
    ///
    /// It is only compared, never sent, so `isSecure` is ignored: an extra cookie does no harm.
    func field(for head: HTTPRequest, beside own: String?) -> String? {
        let sent = cookies(at: head).map { "\($0.id.name)=\($0.value.value)" }
        let all = (own.map { [$0] } ?? []) + sent
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private func cookies(at head: HTTPRequest) -> [Cookie] {
        // libcurl stores the cookies of an IPv6 address without its brackets.
        let host = HostName.comparable(Authority(head.authority ?? "").host)
        let path = String((head.path ?? "/").unicodeScalars.prefix { $0 != "?" })
        return cookies.filter { $0.id.matches(host: host, path: path, $0.isHostOnly) }
    }

    /// The cookies that are sent with a request.
    package func cookies(for head: HTTPRequest) -> [Cookie] {
        cookies(at: head).filter { !$0.isSecure || head.scheme == "https" }
    }

    /// A request as it is sent: with the jar's cookies before its own in the `Cookie` field.
    package static func addingCookies(to request: PreparedRequest) -> PreparedRequest {
        guard let jar = request.options.shared?.value.activeJar else { return request }
        let sent = jar.cookies(for: request.head).map { "\($0.name)=\($0.value.value)" }
        guard !sent.isEmpty else { return request }
        var request = request
        let own = request.head.headerFields[.cookie].map { [$0] } ?? []
        request.head.headerFields[.cookie] = (sent + own).joined(separator: "; ")
        return request
    }
}

extension Cookie.ID {
    /// Whether it is sent to a host and a path (RFC 6265, sections 5.1.3 and 5.1.4).
    fileprivate func matches(host: String, path: String, _ isHostOnly: Bool) -> Bool {
        let isHost = host == domain || !isHostOnly && host.hasSuffix(".\(domain)")
        let isPath =
            path == self.path || self.path == "/" || path.utf8.starts(with: "\(self.path)/".utf8)
        return isHost && isPath
    }
}
