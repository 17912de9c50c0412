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
    }

    /// What seldom changes.
    private(set) var origin: Box<Origin>
    /// What it has from the server.
    private(set) var answer: Box<ReceivedAnswer>
    /// From when until when it is served.
    var life: EntryLife
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
        set { answer = answer.with { $0.head = newValue } }
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
    init(_ response: Response, key: CacheKey, life: EntryLife, http: HTTPEntry? = nil) {
        self.init(
            origin: Box(
                Origin(
                    key: key,
                    request: response.request.line,
                    http: http,
                    mask: response.request.mask
                )
            ),
            answer: response.answer,
            life: life,
            lastAccess: life.stored,
            hits: 0
        )
    }

    init(
        origin: Box<Origin>,
        answer: Box<ReceivedAnswer>,
        life: EntryLife,
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
    var storableAnswer: ReceivedAnswer {
        guard let mask = origin.value.mask, let metrics = answer.value.metrics else {
            return answer.value
        }
        var storable = answer.value
        var masked = mask.masking(metrics)
        masked.trace = []
        storable.metrics = masked
        return storable
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

    /// What it weighs in memory: the bytes of its body and about what the rest takes.
    var cost: Int {
        body.count + key.recipe.utf8.count + request.url.utf8.count + 128 * head.headerFields.count
            + 1024
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
