import FoundationEssentials
import HTTPTypes

/// What an entry under `CachePolicy.http` has beside its answer.
struct HTTPEntry: Sendable, Equatable {
    /// Names the key that all answers for the URL share.
    let primary: KeyName
    /// A digest of whose the request was and of the way it was sent; empty for nobody's by the
    /// usual way.
    ///
    /// One user may have several accounts, and an answer to one is not for another.
    let account: String
    /// The fields of the request that `Vary` names.
    var selecting: SelectingFields
    /// Which bytes of the representation the body has.
    var content: StoredHead.Content
    /// When its request, or the last that validated it, was sent.
    var requestTime: Date
    /// When the head of the answer to that request came.
    var responseTime: Date
    /// Whether it must be validated whatever its age.
    var isInvalidated: Bool

    init(primary: KeyName, account: String, _ head: StoredHead) {
        self.primary = primary
        self.account = account
        selecting = head.selecting
        content = head.content
        requestTime = head.requestTime
        responseTime = head.responseTime
        isInvalidated = head.isInvalidated
    }

    init(
        primary: KeyName,
        account: String,
        selecting: SelectingFields,
        content: StoredHead.Content,
        requestTime: Date,
        responseTime: Date,
        isInvalidated: Bool
    ) {
        self.primary = primary
        self.account = account
        self.selecting = selecting
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
    }

    /// The end of its freshness, as far as it is known at `now`: that of an answer of the future
    /// is not.
    func freshUntil(_ end: Date?, at now: Date) -> Date? {
        responseTime.isFuture(at: now) ? end.map { min($0, now) } : end
    }

    /// What the rules look at of the entry of a key.
    ///
    /// `vary` is what the response says of it, if that is known.
    func storedHead(
        _ key: CacheKey,
        _ response: HTTPResponse,
        _ vary: Vary? = nil
    ) -> StoredHead {
        StoredHead(
            id: Int(key.row),
            selecting: selecting,
            response: response,
            vary: vary,
            content: content,
            requestTime: requestTime,
            responseTime: responseTime,
            isInvalidated: isInvalidated
        )
    }
}

extension StoredResponse {
    /// What the rules look at; nil if the entry is not one of an HTTP cache.
    var storedHead: StoredHead? { http?.storedHead(key, head, origin.value.vary) }

    /// Until when it is fresh; nil if it is not one of an HTTP cache.
    var freshUntil: Date? { storedHead?.freshUntil(HTTPCacheRules()) }

    /// Takes over the fields and times that a later answer gave it.
    mutating func update(_ updated: StoredHead) {
        guard var http else { return }
        head = updated.response
        http.selecting = updated.selecting
        http.content = updated.content
        http.requestTime = updated.requestTime
        http.responseTime = updated.responseTime
        http.isInvalidated = updated.isInvalidated
        self.http = http
    }
}

/// What is known of a stored response without its body.
struct StoredHead: Sendable, Equatable {
    /// Which bytes its body has.
    enum Content: Sendable, Equatable {
        /// All; their number if it is known.
        case whole(length: Int?)
        /// Some.
        case part(ContentRange)
    }

    /// The store's name for it.
    var id: Int
    /// The fields of its request that `Vary` names.
    var selecting: SelectingFields
    /// Status and fields as stored.
    var response: HTTPResponse { didSet { vary = Vary(fields) } }
    /// What the response depends on, read once.
    private(set) var vary: Vary
    /// Which bytes of the representation are stored.
    var content: Content
    /// When its request, or the last that validated it, was sent.
    var requestTime: Date
    /// When the answer to that request came.
    var responseTime: Date
    /// Whether it must be validated whatever its age (RFC 9111, 4.3.5 and 4.4).
    var isInvalidated: Bool

    init(
        id: Int,
        selecting: SelectingFields = SelectingFields(),
        response: HTTPResponse,
        vary: Vary? = nil,
        content: Content = .whole(length: nil),
        requestTime: Date,
        responseTime: Date,
        isInvalidated: Bool = false
    ) {
        self.id = id
        self.selecting = selecting
        self.response = response
        self.vary = vary ?? Vary(response.headerFields)
        self.content = content
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isInvalidated = isInvalidated
    }

    var fields: HTTPFields { response.headerFields }

    /// When it was made: `Date`, or when it was received (RFC 9110, 6.6.1).
    var date: Date { fields.date(.date, now: responseTime) ?? responseTime }

    var isWhole: Bool { if case .whole = content { true } else { false } }

    /// Whether it stays where another answer comes later: it was asked for after that, or, where
    /// both were under way at once, by its `Date` it was made after that (RFC 9111, 4).
    ///
    /// A time that is not over at `now` is one of a clock that has been wrong.
    func isNewer(than other: StoredHead, at now: Date) -> Bool {
        guard !responseTime.isFuture(at: now) else { return false }
        return requestTime > other.requestTime
            || other.requestTime < responseTime
                && min(date, responseTime) > min(other.date, other.responseTime)
    }
}

/// One of the answers that are kept for a URL.
extension StoredHead {
    /// With digests in the place of the request's fields that hold a secret.
    func hidingSecrets(of request: PreparedRequest) -> StoredHead {
        guard !selecting.members.isEmpty else { return self }
        var head = self
        head.selecting.hide(request.secretFieldNames)
        return head
    }
}

struct CachedVariant: Sendable {
    /// Where it was found.
    enum Place: Sendable {
        case memory
        case disk
    }

    var entry: StoredResponse
    let place: Place
    /// How many bytes the body has in its file on disk; nil if the entry has it.
    let fileCount: Int?
    /// What the rules look at.
    var head: StoredHead

    /// Nil if the entry is not one of an HTTP cache.
    init?(_ entry: StoredResponse, in place: Place, fileCount: Int? = nil) {
        guard let head = entry.storedHead else { return nil }
        self.entry = entry
        self.place = place
        self.fileCount = fileCount
        self.head = head
    }
}
