import Documents
import FoundationEssentials
import HTTPTypes

/// The `Vary` of a response: the request fields that it depends on (RFC 9110, 12.5.5).
enum Vary: Sendable, Equatable {
    /// No fields.
    case nothing
    /// `*`: more than fields, so no request is known to get the same response.
    case everything
    case fields([HTTPField.Name])

    /// More names count as `*`, because each lookup compares each name for each stored response.
    static let nameLimit = 64

    init(_ fields: HTTPFields) {
        let members = FieldList(fields[values: .vary], limit: Self.nameLimit + 1).members
        let names = members.compactMap { HTTPField.Name(String($0)) }
        if members.isEmpty {
            self = .nothing
        } else if names.count != members.count || names.count > Self.nameLimit
            || members.contains("*")
        {
            // An invalid name cannot be compared.
            self = .everything
        } else {
            self = .fields(names)
        }
    }

    /// Whether a request selects the stored response (RFC 9111, 4.1).
    func matches(_ request: HTTPFields, _ stored: SelectingFields) -> Bool {
        switch self {
        case .nothing: true
        case .everything: false
        case .fields(let names): names.allSatisfy { stored.fits($0, of: request) }
        }
    }

    /// The request's fields that later requests are compared with.
    func selecting(from request: HTTPFields) -> SelectingFields {
        guard case .fields(let names) = self else { return SelectingFields() }
        return SelectingFields(names, of: request)
    }
}

/// A field's value, normalized for comparing two requests.
///
/// Only differences without meaning are removed (RFC 9111, 4.1): lines are joined, spaces around commas
/// dropped, and the members of preference lists lowercased and sorted, because only their weights rank them.
struct SelectingField: Equatable {
    /// The members; nil if there is no such field.
    let value: [String]?

    init(_ name: HTTPField.Name, in fields: HTTPFields) {
        let lines = fields[values: name]
        if lines.isEmpty {
            value = nil
        } else if Self.preferences.contains(name.canonicalName) {
            value = FieldList(lines).members.map(Self.preference).sorted()
        } else if Self.singletons.contains(name.canonicalName) {
            value = lines
        } else {
            value = FieldList(lines).members.map { String($0) }
        }
    }

    private static let preferences: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// Fields in which a comma is not a separator.
    private static let singletons: Set<String> = [
        "authorization", "cookie", "referer", "user-agent",
    ]

    /// A member without spaces around `;` and without a weight of 1.
    private static func preference(_ member: Substring) -> String {
        guard !member.contains("\"") else { return String(member) }
        let parts = member.split(separator: ";").map { $0.trimmingBlanks.lowercased() }
        return parts.filter { !isFullWeight($0) }.joined(separator: ";")
    }

    private static func isFullWeight(_ parameter: String) -> Bool {
        ["q=1", "q=1.", "q=1.0", "q=1.00", "q=1.000"].contains(parameter)
    }
}

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
        return FieldList(lines).members.contains { $0.lowercased() == "no-cache" }
    }
}

/// The request's fields that `Vary` names, as stored: enough to compare requests, but no credentials.
///
/// Any field may carry a credential. So all fields are stored as digests of their normalized form, except the
/// negotiation fields, and those too if they contain a known secret. The digests' key is random for each
/// entry, so equal credentials have different digests in two entries, and precomputed tables are useless. The
/// key is stored next to the digests, so someone who can read the file can still try short values one by one.
/// A key elsewhere would need the same protection as the file, which only its owner can read.
struct SelectingFields: Sendable, Equatable {
    struct Member: Sendable, Equatable {
        /// The name in lower case.
        let name: String
        /// The normalized value, or its digest.
        let value: String
    }

    let key: [UInt8]
    private(set) var members: [Member]

    init(key: [UInt8], members: [Member]) {
        self.key = key
        self.members = members
    }

    /// No fields, for a response without `Vary`.
    init() { self.init(key: [], members: []) }

    /// The fields of these names that a request has.
    init(_ names: [HTTPField.Name], of request: HTTPFields) {
        let key = withUnsafeBytes(
            of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        ) { [UInt8]($0) }
        let names = Set(names.map(\.canonicalName)).sorted()
        self.init(
            key: key,
            members: names.compactMap { name in
                HTTPField.Name(name).flatMap { Self.value(of: $0, in: request, key) }
                    .map { Member(name: name, value: $0) }
            }
        )
    }

    /// Whether a request has the same value in a field as the entry's request, or neither has the field.
    func fits(_ name: HTTPField.Name, of request: HTTPFields) -> Bool {
        let own = members.first { $0.name == name.canonicalName }?.value
        // Comparing absent fields needs no digest.
        guard own != nil || request.contains(name) else { return true }
        let isHidden = own?.hasPrefix(Self.mark) ?? false
        return own == Self.value(of: name, in: request, key, isHidden: isHidden)
    }

    /// Replaces the plain values of these fields with digests.
    mutating func hide(_ names: [HTTPField.Name]) {
        let names = Set(names.map(\.canonicalName))
        members = members.map { member in
            guard names.contains(member.name), Self.plain.contains(member.name),
                !member.value.hasPrefix(Self.mark)
            else { return member }
            return Member(
                name: member.name,
                value: Self.digest(of: member.value, named: member.name, key)
            )
        }
    }

    private static func value(
        of name: HTTPField.Name,
        in request: HTTPFields,
        _ key: [UInt8],
        isHidden: Bool = false
    ) -> String? {
        guard let value = SelectingField(name, in: request).value else { return nil }
        // A field contains no line breaks, so different values stay different.
        let text = value.joined(separator: "\n")
        let name = name.canonicalName
        let isPlain = plain.contains(name) && !isHidden && !text.hasPrefix(mark)
        return isPlain ? text : digest(of: text, named: name, key)
    }

    private static func digest(of text: String, named name: String, _ key: [UInt8]) -> String {
        let code = SHA256.authenticationCode(of: "\(name)\n\(text)", key: key)
        return "\(mark)\(ContentDigest.hex(code).prefix(32))"
    }

    /// The prefix of digests; no plain value begins with it.
    private static let mark = "hmac-sha256-"

    /// Fields with preferences or descriptions of a client, which do not identify a user.
    private static let plain: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "origin", "user-agent",
    ]
}
