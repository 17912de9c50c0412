// Cookies are libcurl's own, a share handle for each jar on the engine's thread; the file is
// curl's, too.

public import FoundationEssentials
package import HTTPTypes
import Synchronization

/// Cookies that belong together, such as those of one environment.
///
/// ```swift
/// let jar = CookieJar(file: "staging.cookies")
/// let provider = Provider<API>(plugins: [CookiesPlugin(jar)])
/// ```
/// Matching and storing (RFC 6265, public suffixes) are libcurl's own. Of more than about three
/// thousand cookies those of the domains that have the most are dropped. Any number of
/// transfers, of one transport or several, may use a jar at once. A jar is equal to
/// itself only. Nothing is read, and libcurl is not loaded, before the first use.
public final class CookieJar: Sendable {
    /// The file that `save` writes and the first use reads; nil for a jar in memory.
    ///
    /// It has Netscape's form, so that `curl -b` and `-c` and a browser's exports can
    /// share it; mode 0600.
    public let file: String?
    /// Whether cookies of the session are saved too.
    public let savesSessionCookies: Bool

    struct State {
        var share: CurlCookies?
        var fault: ApusError?
        var sameSites: [Cookie.ID: Cookie.SameSite] = [:]
        var changes = 0
        var savedChanges = 0
        var account: String?
        /// How many fields were noted since the cookies were counted.
        var uncounted = 0
    }

    let state = Mutex(State())
    let ownAccount = UUID().uuidString
    /// Whether requests that it has no cookies for are nobody's to caches.
    private let isNobodysWithoutCookies: Bool
    private let now: @Sendable () -> Date

    /// Makes a jar in memory for a program that ends and begins again: what it asks without cookies is
    /// nobody's, so that caches give it what they gave the one before.
    package static func ofSession() -> CookieJar { CookieJar(isNobodysWithoutCookies: true) }

    private init(isNobodysWithoutCookies: Bool) {
        (file, savesSessionCookies, now) = (nil, false, { Date() })
        self.isNobodysWithoutCookies = isNobodysWithoutCookies
    }

    /// Makes a jar.
    ///
    /// - Parameters:
    ///   - file: where `save` keeps the cookies; nil keeps them in memory.
    ///   - savesSessionCookies: whether those without an end are kept there too.
    ///   - now: the time, for what is listed; libcurl sends by the system's clock.
    public init(
        file: String? = nil,
        savesSessionCookies: Bool = false,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.file = file
        self.savesSessionCookies = savesSessionCookies
        self.now = now
        isNobodysWithoutCookies = false
    }

    // MARK: list and edit

    /// The cookies that have not ended, sorted by domain, path and name.
    ///
    /// None if libcurl, or the jar's file, cannot be had; `check` says why.
    public var cookies: [Cookie] {
        // A jar in memory that nothing has come into needs no libcurl to say so.
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

    /// The cookie of an identity; nil if there is none.
    public subscript(_ id: Cookie.ID) -> Cookie? { cookies.first { $0.id == id } }

    /// Adds a cookie, or puts it in the place of the one with its identity.
    ///
    /// One that has ended removes that.
    ///
    /// - Throws: `.invalidRequest(.combination)` for what cannot be a cookie; as `check`.
    public func set(_ cookie: Cookie) throws(ApusError) {
        guard let line = CookieLine(cookie), CookieJar.keepsPrefix(cookie) else {
            throw ApusError(
                .invalidRequest(.combination(detail: "“\(cookie.name)” cannot be a cookie"))
            )
        }
        try share().edit(line.text)
        state.withLock { state in
            state.sameSites[cookie.id] = cookie.sameSite
            state.changes += 1
        }
    }

    /// Removes a cookie, if it is there.
    public func remove(_ id: Cookie.ID) throws(ApusError) {
        guard var cookie = self[id] else { return }
        cookie.expires = Date(timeIntervalSince1970: 1)
        cookie.sameSite = nil
        try set(cookie)
    }

    /// Removes all cookies, as after signing out: answers in caches are for another account then.
    public func removeAll() throws(ApusError) {
        try edit(CurlCookies.removeAll)
        state.withLock { $0.sameSites = [:] }
    }

    /// Removes the cookies that have no end of their own, as a browser does when it
    /// is closed; answers in caches are for another account then.
    public func endSession() throws(ApusError) { try edit(CurlCookies.removeSession) }

    private func edit(_ command: String) throws(ApusError) {
        try share().edit(command)
        beginAccount()
        state.withLock { $0.changes += 1 }
    }

    /// Names that promise something (RFC 6265bis section 4.1.3).
    private static func keepsPrefix(_ cookie: Cookie) -> Bool {
        if cookie.name.hasPrefix("__Host-") {
            return cookie.isSecure && cookie.isHostOnly && cookie.path == "/"
        }
        return !cookie.name.hasPrefix("__Secure-") || cookie.isSecure
    }

    /// Whether the jar can be used.
    ///
    /// - Throws: `.transport` if libcurl cannot be loaded, `.file` if the jar's file
    ///   cannot be read.
    public func check() throws(ApusError) { _ = try share() }

    // MARK: transfers

    /// libcurl's own cookies; the first call reads the file.
    func share() throws(ApusError) -> CurlCookies {
        let (share, fault) = state.withLock { state in
            if state.share == nil, state.fault == nil { open(&state) }
            return (state.share, state.fault)
        }
        guard let share else { throw fault ?? ApusError(CurlFault.notLoaded("cookies").reason) }
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

    /// Notes what libcurl does not keep of the fields that it has just taken.
    func note(_ fields: [String], from url: String) {
        let read = fields.compactMap { SetCookieField($0, from: url) }
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
    /// What browsers keep (RFC 6265, section 6.1, asks for as many at least).
    private static let maximumCount = 3000
    /// Counting lists all cookies: it is done once for so many fields.
    private static let countedAfter = 500

    /// Drops cookies beyond the limit, for libcurl has none for all answers together.
    ///
    /// Each domain keeps as many as any other may, so that one server does not push out the rest.
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
    /// Whether both are one jar.
    public static func == (a: CookieJar, b: CookieJar) -> Bool { a === b }
    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CookieJar: CustomStringConvertible {
    /// The file's name; never a cookie.
    public var description: String { "CookieJar(\(file ?? "in memory"))" }
}

extension CookieJar {
    /// What caches know its user by: its file, or, in memory, this jar alone.
    ///
    /// Who removes the cookies, or ends their session, begins a new account: another user may
    /// come, whom the answers of the last one are not for.
    var account: String {
        // The file may have one; a jar that cannot be read fails the transfer itself.
        if file != nil { _ = try? share() }
        return state.withLock { $0.account } ?? file ?? ownAccount
    }

    /// What caches know the user of a request by; nil if they need not tell it from nobody's.
    func account(for head: HTTPRequest) -> String? {
        isNobodysWithoutCookies && cookies(at: head).isEmpty ? nil : account
    }

    /// Begins a new account.
    func beginAccount() { state.withLock { $0.account = UUID().uuidString } }

    /// The `Cookie` field that goes with a request, in an order of our own; nil for none.
    ///
    /// It is compared, never sent: a cookie too many does no harm, so that who may see it by its
    /// scheme is left out.
    func field(for head: HTTPRequest, beside own: String?) -> String? {
        let sent = cookies(at: head).map { "\($0.id.name)=\($0.value.value)" }
        let all = (own.map { [$0] } ?? []) + sent
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private func cookies(at head: HTTPRequest) -> [Cookie] {
        let authority = head.authority ?? ""
        let place =
            authority.unicodeScalars.split(separator: "@").last.map { String($0) }
            ?? authority
        let host = Self.withoutPort(place).lowercased()
        let path = String((head.path ?? "/").unicodeScalars.prefix { $0 != "?" })
        return cookies.filter { $0.id.matches(host: host, path: path, $0.isHostOnly) }
    }

    /// The cookies that go with a request.
    package func cookies(for head: HTTPRequest) -> [Cookie] {
        cookies(at: head).filter { !$0.isSecure || head.scheme == "https" }
    }

    /// A request with the jar's cookies in its own field, before its own ones: as it goes out.
    package static func addingCookies(to request: PreparedRequest) -> PreparedRequest {
        guard let jar = request.options.shared?.value.activeJar else { return request }
        let sent = jar.cookies(for: request.head).map { "\($0.name)=\($0.value.value)" }
        guard !sent.isEmpty else { return request }
        var request = request
        let own = request.head.headerFields[.cookie].map { [$0] } ?? []
        request.head.headerFields[.cookie] = (sent + own).joined(separator: "; ")
        return request
    }

    private static func withoutPort(_ authority: String) -> Substring {
        guard let colon = authority.lastIndex(of: ":"),
            authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
        else { return authority[...] }
        return authority[..<colon]
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
