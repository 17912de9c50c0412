import Documents
import FoundationEssentials
import HTTPTypes

/// The members of a list field, from all its lines (RFC 9110, 5.6.1).
///
/// A comma in a quoted string is not a separator. A quote that is never closed does not start a quoted
/// string, because what follows could be a `no-store`. Empty members are left out.
struct FieldList: Sendable, Equatable {
    let members: [Substring]

    init(_ lines: [String], limit: Int = .max) {
        var members: [Substring] = []
        for line in lines { Self.split(line, into: &members, limit) }
        self.members = members
    }

    init(_ name: HTTPField.Name, in fields: HTTPFields) { self.init(fields[values: name]) }

    private static func split(_ line: String, into members: inout [Substring], _ limit: Int) {
        func append(_ member: Substring) {
            let member = member.trimmingBlanks
            if !member.isEmpty, members.count < limit { members.append(member) }
        }
        var start = line.startIndex
        var index = start
        // After a quote that is never closed there are no quoted strings. Searching for the end of each would
        // take time quadratic in the line's length.
        var hasQuotedStrings = true
        while index < line.endIndex, members.count < limit {
            switch line.utf8[index] {
            case UInt8(ascii: "\"") where hasQuotedStrings:
                let end = endOfQuotedString(at: index, in: line)
                hasQuotedStrings = end != nil
                index = end ?? line.utf8.index(after: index)
            case UInt8(ascii: ","):
                append(line[start..<index])
                index = line.utf8.index(after: index)
                start = index
            default:
                index = line.utf8.index(after: index)
            }
        }
        append(line[start...])
    }

    /// The index after the closing quote; nil if there is none.
    private static func endOfQuotedString(at quote: String.Index, in line: String) -> String.Index?
    {
        let bytes = line.utf8
        var index = bytes.index(after: quote)
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""): return bytes.index(after: index)
            case UInt8(ascii: "\\"):
                index = bytes.index(after: index)
                if index == bytes.endIndex { return nil }
            default: break
            }
            index = bytes.index(after: index)
        }
        return nil
    }
}

extension Substring {
    /// The text without surrounding spaces and tabs (OWS of RFC 9110, 5.6.3).
    var trimmingBlanks: Substring {
        var slice = self.utf8[...]
        while let first = slice.first, first == 0x20 || first == 0x09 { slice = slice.dropFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice = slice.dropLast() }
        return self[slice.startIndex..<slice.endIndex]
    }
}

extension HTTPFields {
    /// The field's first line as a date; nil if it is missing or invalid.
    func date(_ name: HTTPField.Name, now: Date) -> Date? {
        self[values: name].first.flatMap { HTTPDate.parse(Substring($0).trimmingBlanks, now: now) }
    }

    /// The first member of `Age`; nil if it is missing or invalid (RFC 9111, 5.1).
    var age: Duration? {
        FieldList(.age, in: self).members.first.flatMap { DeltaSeconds.parse($0) }
    }

    /// The entity tag; nil if there is none.
    var entityTag: EntityTag? {
        self[values: .eTag].first.flatMap { value in
            let tag = EntityTag(value)
            return tag.description.isEmpty ? nil : tag
        }
    }

    /// Whether there is a validator for a conditional request.
    var hasValidator: Bool { entityTag != nil || contains(.lastModified) }

    /// Whether a request has `Pragma: no-cache` and no `Cache-Control`.
    ///
    /// RFC 9111, 5.4 deprecates it; RFC 7234, 5.4 defines it.
    var isPragmaNoCache: Bool {
        guard !contains(.cacheControl) else { return false }
        let lines = filter { $0.name.canonicalName == "pragma" }.map(\.value)
        return FieldList(lines).members.contains { $0.asciiLowercased == "no-cache" }
    }
}

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
        let listed = FieldList(.connection, in: fields).members.map { $0.asciiLowercased }
        let control = CacheControl(fields)
        let withheld = control.noCacheFields.map(\.canonicalName)
        let dropped = hopByHop.union(Set(listed + withheld).subtracting(decisive))
        return HTTPFields(fields.filter { !dropped.contains($0.name.canonicalName) })
    }
}
