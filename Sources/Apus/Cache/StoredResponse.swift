import FoundationEssentials
import HTTPTypes

/// An entry: a response as the cache keeps it.
struct StoredResponse: Sendable {
    /// The key that it is kept under.
    let key: CacheKey
    /// The method and URL, as far as they may be shown.
    let request: ApusError.RequestLine
    /// Status and header fields.
    var head: HTTPResponse
    /// The body.
    var body: ResponseBody
    /// When it was received.
    let received: Date
    /// What the transfer measured.
    let metrics: TransferMetrics?
    /// From when until when it is served.
    var life: EntryLife
    /// When it was last served.
    var lastAccess: Date
    /// How often it was served.
    var hits: Int
    /// What HTTP caching knows of it; nil for an entry of a policy of its own.
    var http: HTTPEntry?

    /// What a response becomes in the cache.
    init(_ response: Response, key: CacheKey, life: EntryLife, http: HTTPEntry? = nil) {
        self.init(
            key: key,
            request: ApusError.RequestLine(
                method: response.request.head.method.rawValue,
                url: response.request.url
            ),
            head: response.head,
            body: response.body,
            received: response.received,
            metrics: response.metrics,
            life: life,
            lastAccess: life.stored,
            hits: 0,
            http: http
        )
    }

    init(
        key: CacheKey,
        request: ApusError.RequestLine,
        head: HTTPResponse,
        body: ResponseBody,
        received: Date,
        metrics: TransferMetrics?,
        life: EntryLife,
        lastAccess: Date,
        hits: Int,
        http: HTTPEntry? = nil
    ) {
        self.key = key
        self.request = request
        self.head = head
        self.body = body
        self.received = received
        self.metrics = metrics
        self.life = life
        self.lastAccess = lastAccess
        self.hits = hits
        self.http = http
    }

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
        return Response(
            request: request,
            head: head,
            body: body,
            source: place(hit),
            received: received,
            metrics: metrics
        )
    }

    /// What it weighs in memory: the bytes of its body and about what the rest takes.
    var cost: Int {
        body.count + key.recipe.utf8.count + request.url.utf8.count + 128 * head.headerFields.count
            + 1024
    }

    /// The entry without its body.
    func entry(in storage: CachePolicy.Storage) -> CacheEntry {
        CacheEntry(
            key: key,
            request: request,
            status: head.status.code,
            size: body.count,
            storage: storage,
            stored: life.stored,
            expires: life.expires,
            lastAccess: lastAccess,
            hits: hits,
            freshUntil: storedHead?.freshUntil(HTTPCacheRules())
        )
    }
}
