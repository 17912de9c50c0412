import FoundationEssentials
import HTTPTypes
import Secrets

/// A response as the cache stores it: an entry.
struct StoredResponse: Sendable {
    /// The parts that rarely change, behind one reference because a hit copies the entry.
    struct Origin: Sendable {
        /// The entry's key.
        let key: CacheKey
        /// The method and the masked URL.
        let request: ApusError.RequestLine
        /// The data of HTTP caching; nil for an entry of another policy.
        var http: HTTPEntry?
        /// Masks the request's secrets in what goes to disk; nil for an entry that was read from disk.
        var mask: CredentialMask?
        /// The parsed `Vary` field; nil until it has been read, and for an entry of another policy.
        var vary: Vary?
    }

    /// The parts that rarely change.
    private(set) var origin: CopyOnWriteBox<Origin>
    /// The response: head, body and measurements.
    private(set) var content: CopyOnWriteBox<ResponseParts>
    /// When the entry was stored, and when it expires.
    var life: EntryLifetime
    /// When the entry was last served.
    var lastAccess: Date
    /// How often the entry was served.
    var hits: Int

    var key: CacheKey { origin.value.key }
    var request: ApusError.RequestLine { origin.value.request }
    /// When the response was received.
    var received: Date { content.value.received }
    var head: HTTPResponse {
        get { content.value.head }
        set {
            content = content.with { $0.head = newValue }
            if origin.value.vary != nil { readVary() }
        }
    }
    var body: ResponseBody {
        get { content.value.body }
        set { content = content.with { $0.body = newValue } }
    }
    var http: HTTPEntry? {
        get { origin.value.http }
        set { origin = origin.with { $0.http = newValue } }
    }

    /// Makes the entry of a response.
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
            content: response.content,
            life: life,
            lastAccess: life.stored,
            hits: 0
        )
    }

    init(
        origin: CopyOnWriteBox<Origin>,
        content: CopyOnWriteBox<ResponseParts>,
        life: EntryLifetime,
        lastAccess: Date,
        hits: Int
    ) {
        self.origin = origin
        self.content = content
        self.life = life
        self.lastAccess = lastAccess
        self.hits = hits
    }

    /// The response as it may go to disk.
    ///
    /// Status, fields and body stay unmasked: without them it would not be the same response. The
    /// measurements are masked, and the wire trace, which has the whole request, is left out.
    var storableResponse: ResponseParts {
        guard let mask = origin.value.mask, let metrics = content.value.metrics else {
            return content.value
        }
        var storable = content.value
        var masked = mask.masking(metrics)
        masked.trace = []
        storable.metrics = masked
        return storable
    }

    /// Parses `Vary` once, because every lookup compares it.
    mutating func readVary() {
        let vary = Vary(head.headerFields)
        origin = origin.with { $0.vary = vary }
    }

    /// Whether its head redirects to a URL with a credential, which must not go to disk.
    var sendsCredential: Bool {
        let mask = origin.value.mask ?? CredentialMask()
        return [HTTPField.Name.location, .contentLocation].contains { name in
            head.headerFields[values: name].contains { mask.masking(url: $0) != $0 }
        }
    }

    /// The rows on disk that storing the entry changes.
    var rows: [Int64] { [key.row] + (http.map { [$0.primary.row] } ?? []) }

    /// The response to `request`, made from the entry at `now`.
    func response(
        for request: PreparedRequest,
        at now: Date,
        _ place: (CacheHit) -> ResponseSource
    ) -> Response {
        served(as: key).response(for: request, at: now, place)
    }

    /// The parts of the entry that a response is made of.
    ///
    /// `asked` is the key of the lookup. It replaces the entry's own key because it has just been made, and
    /// so is in the processor's cache.
    func served(as asked: CacheKey) -> ServedEntry {
        ServedEntry(
            key: asked.recipe.isEmpty ? key : asked,
            content: content,
            life: life,
            hits: hits
        )
    }

    /// The approximate bytes the entry takes in memory: body, head, measurements, and a flat rest.
    ///
    /// Walks all fields, so the store calls it only when it inserts or updates the entry.
    var cost: Int {
        body.count + key.recipe.utf8.count + request.url.utf8.count
            + head.status.reasonPhrase.utf8.count + head.headerFields.cost
            + content.value.measurement.cost + 1024
    }

    /// A description of the entry as of `now`, without its body.
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
    /// Counts each name twice: as received, and in lower case.
    fileprivate var cost: Int {
        reduce(byteCount) { $0 + $1.name.canonicalName.utf8.count + 128 }
    }
}

extension LazyMetrics {
    fileprivate var cost: Int {
        switch self {
        case .read(let metrics): metrics?.cost ?? 0
        case .recorded(let bytes): bytes.count
        }
    }
}

extension TransferMetrics {
    /// The approximate size of the parts that a server can make large.
    ///
    /// A chain of certificates counts for each response, although responses of one server share it: it is not
    /// known which of them will be evicted first.
    fileprivate var cost: Int {
        redirects.reduce(0) { $0 + $1.cost } + (effectiveURL?.cost ?? 0)
            + certificates.reduce(0) { $0 + $1.cost }
            + irregularHeaderLines.reduce(undecoded?.cost ?? 0) { $0 + $1.cost }
            + interimResponses.reduce(0) { $0 + $1.headerFields.cost + 64 }
            + trace.reduce(0) { $0 + $1.text.cost }
    }
}

extension TransferMetrics.Redirect {
    fileprivate var cost: Int {
        withheldFields.reduce(location.cost + url.cost + fields.cost) { $0 + $1.cost }
    }
}

extension TransferMetrics.Certificate {
    var cost: Int { fields.reduce(64) { $0 + $1.name.cost + $1.value.cost } }
}

extension String {
    /// Includes the reference and the allocator's overhead.
    fileprivate var cost: Int { utf8.count + 64 }
}

/// The parts of an entry that a response is made of; a hit reads nothing else.
struct ServedEntry: Sendable {
    let key: CacheKey
    let content: CopyOnWriteBox<ResponseParts>
    let life: EntryLifetime
    let hits: Int

    /// The response to `request`, made from the entry at `now`.
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
        return Response(request: request, content: content, source: place(hit))
    }
}
