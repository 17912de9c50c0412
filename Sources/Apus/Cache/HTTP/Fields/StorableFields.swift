import Documents
import FoundationEssentials
import HTTPTypes

/// The fields that are stored (RFC 9111, 3.1), and those that a later response updates (3.2).
enum StorableFields {
    /// The fields of a single connection or a proxy (RFC 9110, 7.6.1 and 11.7).
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields that `Connection` and `no-cache` cannot remove, because the cache's decisions use them.
    private static let decisive: Set<String> = [
        "age", "cache-control", "date", "etag", "expires", "last-modified", "vary",
    ]

    /// The fields that describe how the body was received, before it was decoded or a range was cut out.
    private static let boundToBody: Set<String> = [
        "content-encoding", "content-length", "content-range",
    ]

    /// The head to store.
    static func response(_ response: HTTPResponse, receivedAt received: Date) -> HTTPResponse {
        var stored = response
        stored.headerFields = storable(response.headerFields)
        if stored.headerFields.date(.date, now: received) == nil {
            // RFC 9110, 6.6.1: if the date is missing or invalid, the time of receipt counts.
            stored.headerFields[.date] = HTTPDate.format(received)
        }
        return stored
    }

    /// The stored fields updated by a response that confirms them; nil if they exceed the limits of a head.
    ///
    /// Each response may add new names, which stay. Fields must not be left out when storing (RFC 9111, 3.1
    /// and 3.2), but what is stored need not be used.
    static func merged(
        _ stored: HTTPFields,
        with update: HTTPFields,
        receivedAt received: Date
    ) -> HTTPFields? {
        let changes = storable(update).filter { !boundToBody.contains($0.name.canonicalName) }
        let changed = Set(changes.map(\.name))
        // The old `Age` belongs to the old response; with the new times it would count twice.
        var merged = HTTPFields(stored.filter { !changed.contains($0.name) && $0.name != .age })
        guard merged.count + changes.count < FieldLimits.mostLines else { return nil }
        merged.append(contentsOf: changes)
        if update.date(.date, now: received) == nil {
            merged[.date] = HTTPDate.format(received)
        }
        // Drops the fields that the update's `no-cache` names (RFC 9111, 5.2.2.4).
        let stored = storable(merged)
        return (try? FieldLimits.check(stored)) != nil ? stored : nil
    }

    private static func storable(_ fields: HTTPFields) -> HTTPFields {
        let listed = FieldList(.connection, in: fields).members.map { $0.lowercased() }
        let control = CacheControl(fields)
        let withheld = control.noCacheFields.map(\.canonicalName)
        let dropped = hopByHop.union(Set(listed + withheld).subtracting(decisive))
        return HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
    }
}
