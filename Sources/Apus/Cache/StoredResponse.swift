import FoundationEssentials
import HTTPTypes

/// An entry: a response as the cache keeps it.
struct StoredResponse: Sendable {
    /// What seldom changes: one reference, because a hit copies the entry.
    struct Origin: Sendable {
        /// The key that it is kept under.
        let key: CacheKey
        /// The method and URL, as far as they may be shown.
        let request: ApusError.RequestLine
        /// What HTTP caching knows of it; nil for an entry of a policy of its own.
        var http: HTTPEntry?
        /// What takes the request's secrets out of what goes to disk; nil if it came from there.
        var mask: CredentialMask?
        /// What HTTP caching knows that the answer depends on; nil until it has been read.
        var vary: Vary?
    }

    /// What seldom changes.
    private(set) var origin: CopyOnWriteBox<Origin>
    /// What it has from the server.
    private(set) var answer: CopyOnWriteBox<ResponseParts>
    /// From when until when it is served.
    var life: EntryLifetime
    /// When it was last served.
    var lastAccess: Date
    /// How often it was served.
    var hits: Int

    /// The key that it is kept under.
    var key: CacheKey { origin.value.key }
    /// The method and URL, as far as they may be shown.
    var request: ApusError.RequestLine { origin.value.request }
    /// When it was received.
    var received: Date { answer.value.received }
    /// Status and header fields.
    var head: HTTPResponse {
        get { answer.value.head }
        set {
            answer = answer.with { $0.head = newValue }
            if origin.value.vary != nil { readVary() }
        }
    }
    /// The body.
    var body: ResponseBody {
        get { answer.value.body }
        set { answer = answer.with { $0.body = newValue } }
    }
    /// What HTTP caching knows of it; nil for an entry of a policy of its own.
    var http: HTTPEntry? {
        get { origin.value.http }
        set { origin = origin.with { $0.http = newValue } }
    }

    /// What a response becomes in the cache.
    init(_ response: Response, key: CacheKey, life: EntryLifetime, http: HTTPEntry? = nil) {
        self.init(
            origin: CopyOnWriteBox(
                Origin(
                    key: key,
                    request: response.request.line,
                    http: http,
                    mask: response.request.mask,
                    vary: http == nil ? nil : Vary(response.head.headerFields)
                )
            ),
            answer: response.answer,
            life: life,
            lastAccess: life.stored,
            hits: 0
        )
    }

    init(
        origin: CopyOnWriteBox<Origin>,
        answer: CopyOnWriteBox<ResponseParts>,
        life: EntryLifetime,
        lastAccess: Date,
        hits: Int
    ) {
        self.origin = origin
        self.answer = answer
        self.life = life
        self.lastAccess = lastAccess
        self.hits = hits
    }

    /// What it has from the server, as it may go to disk.
    ///
    /// The status, the fields and the body are the server's words: without them it would not be
    /// the same answer. What the transfer tells of the request is without credentials, and the wire
    /// trace, which has all of the request, stays in memory.
    var storableAnswer: ResponseParts {
        guard let mask = origin.value.mask, let metrics = answer.value.metrics else {
            return answer.value
        }
        var storable = answer.value
        var masked = mask.masking(metrics)
        masked.trace = []
        storable.metrics = masked
        return storable
    }

    /// Reads what the answer depends on: a stored answer is asked about it at each lookup.
    mutating func readVary() {
        let vary = Vary(head.headerFields)
        origin = origin.with { $0.vary = vary }
    }

    /// Whether its head sends on to a URL with a credential, which is not for the disk.
    var sendsCredential: Bool {
        let mask = origin.value.mask ?? CredentialMask()
        return [HTTPField.Name.location, .contentLocation].contains { name in
            head.headerFields[values: name].contains { mask.masking(url: $0) != $0 }
        }
    }

    /// The rows on disk that storing it changes.
    var rows: [Int64] { [key.row] + (http.map { [$0.primary.row] } ?? []) }

    /// The entry as an answer to `request`, read at `now`.
    func response(
        for request: PreparedRequest,
        at now: Date,
        _ place: (CacheHit) -> ResponseSource
    ) -> Response {
        served(as: key).response(for: request, at: now, place)
    }

    /// What an answer has of it.
    ///
    /// `asked` is the key by which it was found: unlike the entry's own it has just been made,
    /// and so is in the processor's cache.
    func served(as asked: CacheKey) -> ServedEntry {
        ServedEntry(
            key: asked.recipe.isEmpty ? key : asked,
            answer: answer,
            life: life,
            hits: hits
        )
    }

    /// What it weighs in memory: the bytes of its body, of its head and of what was measured, and
    /// about what the rest takes.
    ///
    /// It walks the fields: the store asks once, when it takes the entry in.
    var cost: Int {
        body.count + key.recipe.utf8.count + request.url.utf8.count
            + head.status.reasonPhrase.utf8.count + head.headerFields.cost
            + answer.value.measurement.cost + 1024
    }

    /// The entry without its body, as it is at `now`.
    func entry(in storage: CachePolicy.Storage, at now: Date) -> CacheEntry {
        CacheEntry(
            key: key,
            request: request,
            status: head.status.code,
            size: body.count,
            storage: storage,
            stored: life.stored,
            expires: life.endIfOver(at: now) ?? life.expires,
            lastAccess: lastAccess,
            hits: hits,
            freshUntil: http?.freshUntil(freshUntil, at: now)
        )
    }
}

extension HTTPFields {
    /// A name is there twice: as it came, and in small letters.
    fileprivate var cost: Int {
        reduce(byteCount) { $0 + $1.name.canonicalName.utf8.count + 128 }
    }
}

extension LazyMetrics {
    /// About what it takes.
    fileprivate var cost: Int {
        switch self {
        case .read(let metrics): metrics?.cost ?? 0
        case .recorded(let bytes): bytes.count
        }
    }
}

extension TransferMetrics {
    /// About what all of it takes that a server can make large.
    ///
    /// A chain of certificates counts for each answer, though those of one server share it: whether
    /// the others go first is not known.
    fileprivate var cost: Int {
        redirects.reduce(0) { $0 + $1.cost } + (effectiveURL?.cost ?? 0)
            + certificates.reduce(0) { $0 + $1.cost }
            + irregularHeaderLines.reduce(0) { $0 + $1.cost }
            + trace.reduce(0) { $0 + $1.text.cost }
    }
}

extension TransferMetrics.Redirect {
    fileprivate var cost: Int {
        withheldFields.reduce(location.cost + url.cost + fields.cost) { $0 + $1.cost }
    }
}

extension TransferMetrics.Certificate {
    /// About what it takes in memory.
    var cost: Int { fields.reduce(64) { $0 + $1.name.cost + $1.value.cost } }
}

extension String {
    /// With its place and what the allocator adds.
    fileprivate var cost: Int { utf8.count + 64 }
}

/// What an answer has of the entry that it is made of; no more of an entry is touched by a hit.
struct ServedEntry: Sendable {
    let key: CacheKey
    let answer: CopyOnWriteBox<ResponseParts>
    let life: EntryLifetime
    let hits: Int

    /// The entry as an answer to `request`, read at `now`.
    func response(
        for request: PreparedRequest,
        at now: Date,
        _ place: (CacheHit) -> ResponseSource
    ) -> Response {
        let hit = CacheHit(
            key: key,
            stored: life.stored,
            expires: life.expires,
            read: now,
            hits: hits
        )
        return Response(request: request, answer: answer, source: place(hit))
    }
}

/// From when until when an entry is served, and how reading it changes that.
struct EntryLifetime: Sendable, Hashable {
    /// When it was stored.
    let stored: Date
    /// Its first lifetime in seconds; nil for ever.
    let lifetime: Double?
    /// When it stops being served; nil for never.
    var expires: Date?

    init(stored: Date, lifetime: Double?, expires: Date?) {
        self.stored = stored
        self.lifetime = lifetime
        self.expires = expires
    }

    /// The life that a policy gives to what is stored now, or an expiry of its own for memory; nil
    /// if it is over before it begins.
    init?(storedAt now: Date, _ policy: CachePolicy, for expiry: CachePolicy.Expiry? = nil) {
        let lifetime: Double? =
            switch expiry ?? policy.expiry {
            case .never: nil
            case .seconds(.infinity), .days(.infinity): nil
            case .seconds(let seconds): seconds
            case .days(let days): days * 86_400
            case .date(let date): date.timeIntervalSince(now)
            case .expired: 0
            }
        if let lifetime, !(lifetime > 0) { return nil }
        let end = lifetime.map { min(now.addingTimeInterval($0), .distantFuture) }
        self.init(stored: now, lifetime: lifetime, expires: end)
        expires = within(policy.maximumLifetime, expires)
        guard !isOver(at: now) else { return nil }
    }

    /// The life in memory of what is on disk, and comes to memory now; nil if it has none there.
    func inMemory(from now: Date, _ policy: CachePolicy) -> EntryLifetime? {
        guard let expiry = policy.memoryExpiry else { return self }
        guard let own = EntryLifetime(storedAt: now, policy, for: expiry) else { return nil }
        let end = now > stored ? [own.expires, expires].compactMap(\.self).min() : own.expires
        return EntryLifetime(stored: stored, lifetime: own.lifetime, expires: end)
    }

    /// Whether it is not served any more.
    func isOver(at now: Date) -> Bool { endIfOver(at: now) != nil }

    /// When it ended, if it has; nil while it is served.
    ///
    /// What was stored later than now, because the clock has been set back since, is over: nobody
    /// knows how long it would be served. What is served for ever still is.
    func endIfOver(at now: Date) -> Date? {
        guard let end = expires else { return nil }
        if end <= now { return end }
        return stored.isFuture(at: now) ? now : nil
    }

    /// The end after a use at `now`; it never comes earlier than it was, unless
    /// the policy's longest life is shorter.
    func end(afterUseAt now: Date, _ policy: CachePolicy) -> Date? {
        guard let expires else { return nil }
        switch policy.expiryExtension {
        case .none: return expires
        case .cacheTime:
            guard let lifetime else { return expires }
            return within(policy.maximumLifetime, max(expires, now.addingTimeInterval(lifetime)))
        case .fixed(let duration):
            return within(
                policy.maximumLifetime,
                max(expires, now.addingTimeInterval(duration.seconds))
            )
        }
    }

    private func within(_ maximum: Duration?, _ end: Date?) -> Date? {
        guard let maximum else { return end }
        let limit = stored.addingTimeInterval(maximum.seconds)
        return end.map { min($0, limit) } ?? limit
    }
}

extension Date {
    /// Whether it cannot be the time of anything that has happened; a second later than now it can
    /// be, for another thread may have looked at the clock before.
    func isFuture(at now: Date) -> Bool { self > now.addingTimeInterval(1) }
}

extension Duration {
    /// The duration in seconds, as dates count them.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

/// Uses of an entry that its row on disk does not know of yet.
struct PendingUses: Sendable, Hashable {
    /// How many.
    var hits = 0
    /// The last of them.
    var lastAccess: Date
    /// The end that they gave the entry; nil if they left it.
    var expires: Date?

    /// Takes in later uses.
    mutating func merge(_ later: PendingUses) {
        hits += later.hits
        lastAccess = max(lastAccess, later.lastAccess)
        expires = later.expires ?? expires
    }
}

extension PendingUses {
    /// A number of hits that a column has; more than a count can be is none.
    static func hits(_ number: Int64) -> Int { 0 <= number && number < 1 << 53 ? Int(number) : 0 }

    /// A date that a column has, as near as dates come: others cannot be written or subtracted.
    static func date(_ seconds: Double) -> Date {
        min(max(Date(timeIntervalSinceReferenceDate: seconds), .distantPast), .distantFuture)
    }
}
