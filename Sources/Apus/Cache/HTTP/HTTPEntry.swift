import FoundationEssentials
import HTTPTypes

/// The additional data of an entry under `CachePolicy.http`.
struct HTTPEntry: Sendable, Equatable {
    /// The primary key, which all responses for the URL share.
    let primary: KeyName
    /// A digest of the request's account and of how it was sent; empty for no account and the usual route.
    ///
    /// A user may have several accounts, and a response to one must not be served to another.
    let account: String
    /// The request's fields that `Vary` names.
    var selecting: SelectingFields
    /// The bytes of the representation that the body contains.
    var content: StoredHead.Content
    /// When the request was sent: the original, or the last that validated the response.
    var requestTime: Date
    /// When the head of that request's response arrived.
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

    /// The end of the freshness; at most `now` if the response is from the future, whose age is unknown.
    func freshUntil(_ end: Date?, at now: Date) -> Date? {
        responseTime.isFuture(at: now) ? end.map { min($0, now) } : end
    }

    /// The head of an entry, which the rules use.
    ///
    /// `vary` is the response's parsed `Vary`, if it is already known.
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
    /// The head for the rules; nil for an entry of another policy.
    var storedHead: StoredHead? { http?.storedHead(key, head, origin.value.vary) }

    /// Until when it is fresh; nil without HTTP's rules, or if each use must be validated.
    var freshUntil: Date? { storedHead?.freshUntil(HTTPCacheRules()) }

    /// Takes over the fields and times of an updated head.
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

/// A stored response without its body, as the rules see it.
struct StoredHead: Sendable, Equatable {
    /// The bytes that a body contains.
    enum Content: Sendable, Equatable {
        /// All bytes; nil if their number is unknown.
        case whole(length: Int?)
        /// Some bytes.
        case part(ContentRange)
    }

    /// The row of the entry; 0 if it is not stored yet.
    var id: Int
    /// The request's fields that `Vary` names.
    var selecting: SelectingFields
    var response: HTTPResponse { didSet { vary = Vary(fields) } }
    /// The parsed `Vary`.
    private(set) var vary: Vary
    /// The bytes of the representation that are stored.
    var content: Content
    /// When the request was sent: the original, or the last that validated the response.
    var requestTime: Date
    /// When the head of that request's response arrived.
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

    /// When the response was made: `Date`, or else when it was received (RFC 9110, 6.6.1).
    var date: Date { fields.date(.date, now: responseTime) ?? responseTime }

    var isWhole: Bool { if case .whole = content { true } else { false } }

    /// Whether it is newer than a response that arrives later (RFC 9111, 4).
    ///
    /// It is newer if it was requested later, or if both were in flight at once and its `Date` is later.
    ///
    /// A stored response from the future comes from a wrong clock and is never newer.
    func isNewer(than other: StoredHead, at now: Date) -> Bool {
        guard !responseTime.isFuture(at: now) else { return false }
        return requestTime > other.requestTime
            || other.requestTime < responseTime
                && min(date, responseTime) > min(other.date, other.responseTime)
    }
}

extension StoredHead {
    /// The head with a digest for each request field that contains a secret.
    func hidingSecrets(of request: PreparedRequest) -> StoredHead {
        guard !selecting.members.isEmpty else { return self }
        var head = self
        head.selecting.hide(request.secretFieldNames)
        return head
    }
}

/// One of the responses stored for a URL, in memory, on disk, or just read from the shared store.
struct CachedVariant: Sendable {
    enum Place: Sendable {
        case memory
        case disk
        case shared
    }

    var entry: StoredResponse
    let place: Place
    /// The size of the body in its file on disk; nil if the entry contains the body.
    let fileCount: Int?
    /// The head for the rules.
    var head: StoredHead

    /// Nil for an entry of another policy.
    init?(_ entry: StoredResponse, in place: Place, fileCount: Int? = nil) {
        guard let head = entry.storedHead else { return nil }
        self.entry = entry
        self.place = place
        self.fileCount = fileCount
        self.head = head
    }
}
