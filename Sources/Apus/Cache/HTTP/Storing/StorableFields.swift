import FoundationEssentials
import HTTPTypes

/// Which fields are stored (RFC 9111, 3.1) and which a later answer changes (3.2).
enum StorableFields {
    /// The fields of one connection or of a proxy (RFC 9110, 7.6.1 and 11.7).
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// What `Connection` and `no-cache` cannot take away: it would change what the cache decides.
    private static let decisive: Set<String> = [
        "age", "cache-control", "date", "etag", "expires", "last-modified", "vary",
    ]

    /// The fields that tell how the stored bytes were received: the body was decoded, and a
    /// range was cut out, according to them.
    private static let boundToBody: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]

    /// The head that is stored.
    static func response(_ response: HTTPResponse, receivedAt received: Date) -> HTTPResponse {
        var stored = response
        stored.headerFields = storable(response.headerFields)
        if stored.headerFields.date(.date, now: received) == nil {
            // RFC 9110, 6.6.1: without a date, or with an invalid one, the time received counts.
            stored.headerFields[.date] = HTTPDate.format(received)
        }
        return stored
    }

    /// The stored fields after an answer that confirms them.
    static func merged(
        _ stored: HTTPFields,
        with update: HTTPFields,
        receivedAt received: Date
    ) -> HTTPFields {
        let changes = storable(update).filter { !boundToBody.contains($0.name.canonicalName) }
        let changed = Set(changes.map(\.name))
        // The old Age belongs to the old answer: with the new times it would count twice.
        var merged = HTTPFields(stored.filter { !changed.contains($0.name) && $0.name != .age })
        for field in changes { merged.append(field) }
        if update.date(.date, now: received) == nil {
            merged[.date] = HTTPDate.format(received)
        }
        // What the update says is not to be used without asking goes (RFC 9111, 5.2.2.4).
        return storable(merged)
    }

    private static func storable(_ fields: HTTPFields) -> HTTPFields {
        let listed = ListMembers(.connection, in: fields).members.map { $0.lowercased() }
        let control = CacheControl(fields)
        let withheld = control.noCacheFields.map(\.canonicalName)
        let dropped = hopByHop.union(Set(listed + withheld).subtracting(decisive))
        return HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
    }
}
