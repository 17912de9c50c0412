import Documents
import FoundationEssentials
import HTTPTypes

/// The request fields that an answer depends on (RFC 9110, 12.5.5).
enum Vary: Sendable, Equatable {
    /// On none.
    case nothing
    /// On more than fields: no request is known to get the same answer.
    case everything
    case fields([HTTPField.Name])

    /// More names count as `*`: each is compared with each stored answer at each lookup.
    static let nameLimit = 64

    init(_ fields: HTTPFields) {
        let members = FieldList(fields[values: .vary], limit: Self.nameLimit + 1).members
        let names = members.compactMap { HTTPField.Name(String($0)) }
        if members.isEmpty {
            self = .nothing
        } else if names.count != members.count || names.count > Self.nameLimit
            || members.contains("*")
        {
            // A name that is none cannot be compared.
            self = .everything
        } else {
            self = .fields(names)
        }
    }

    /// Whether the request gets what the stored response's request got (RFC 9111, 4.1).
    func matches(_ request: HTTPFields, _ stored: SelectingFields) -> Bool {
        switch self {
        case .nothing: true
        case .everything: false
        case .fields(let names): names.allSatisfy { stored.fits($0, of: request) }
        }
    }

    /// The fields that later requests are compared by.
    func selecting(from request: HTTPFields) -> SelectingFields {
        guard case .fields(let names) = self else { return SelectingFields() }
        return SelectingFields(names, of: request)
    }
}

/// The value of a field in the form in which two requests are compared.
///
/// Only what is known not to change the meaning is evened out (RFC 9111, 4.1):
/// lines are joined, the blanks around commas go, and the members of preference
/// lists are in lower case and in order, as only their weights rank them.
struct SelectingField: Equatable {
    /// Nil if the field is not there.
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

    /// Fields in whose values a comma is no separator.
    private static let singletons: Set<String> = [
        "authorization", "cookie", "referer", "user-agent",
    ]

    /// A member without blanks around `;` and without a weight of 1.
    private static func preference(_ member: Substring) -> String {
        guard !member.contains("\"") else { return String(member) }
        let parts = member.split(separator: ";").map { $0.trimmingBlanks.lowercased() }
        return parts.filter { !isFullWeight($0) }.joined(separator: ";")
    }

    private static func isFullWeight(_ parameter: String) -> Bool {
        ["q=1", "q=1.", "q=1.0", "q=1.00", "q=1.000"].contains(parameter)
    }
}

/// The members of a list field, over all its lines (RFC 9110, 5.6.1).
///
/// A comma in a quoted string does not separate. A quote that nothing ends is
/// not taken for one: what follows it could be a `no-store`. Empty members are
/// left out.
struct FieldList: Sendable, Equatable {
    let members: [Substring]

    /// The first members, at most `limit`.
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
        // Behind a quote that nothing ends there is no quoted string: to look for the end of each
        // would take the square of the line's length.
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
    /// Without the spaces and tabs around it (OWS of RFC 9110, 5.6.3).
    var trimmingBlanks: Substring {
        var slice = self.utf8[...]
        while let first = slice.first, first == 0x20 || first == 0x09 { slice = slice.dropFirst() }
        while let last = slice.last, last == 0x20 || last == 0x09 { slice = slice.dropLast() }
        return self[slice.startIndex..<slice.endIndex]
    }
}

extension HTTPFields {
    /// The first of the field's lines as a date; nil if there is none or it is invalid.
    func date(_ name: HTTPField.Name, now: Date) -> Date? {
        self[values: name].first.flatMap { HTTPDate.parse(Substring($0).trimmingBlanks, now: now) }
    }

    /// The first member of `Age`; nil if it is invalid (RFC 9111, 5.1).
    var age: Duration? {
        FieldList(.age, in: self).members.first.flatMap { DeltaSeconds.parse($0) }
    }

    /// The entity tag, if there is one.
    var entityTag: EntityTag? {
        self[values: .eTag].first.flatMap { value in
            let tag = EntityTag(value)
            return tag.description.isEmpty ? nil : tag
        }
    }

    /// Whether there is something to make a conditional request with.
    var hasValidator: Bool { entityTag != nil || contains(.lastModified) }

    /// Whether a request without `Cache-Control` says `Pragma: no-cache`.
    ///
    /// RFC 9111, 5.4 deprecates it; RFC 7234, 5.4 tells what it means.
    var isPragmaNoCache: Bool {
        guard !contains(.cacheControl) else { return false }
        let lines = filter { $0.name.canonicalName == "pragma" }.map(\.value)
        return FieldList(lines).members.contains { $0.lowercased() == "no-cache" }
    }
}

/// The request's fields that `Vary` names, as an entry keeps them: enough to compare another
/// request by, and no credential among it.
///
/// Any field may carry one, of whatever name: so all but the fields of negotiation, and those too
/// if a known secret is in them, are kept as digests of the form in which they are compared. Their
/// key is random and another for each entry: equal credentials have different digests in two
/// entries, and no table of digests made before fits. It stands beside them, so who can read the
/// file can still try short values one by one; a key elsewhere would have to be as well kept as the
/// file is, which only its owner may read.
struct SelectingFields: Sendable, Equatable {
    /// A field that the request had.
    struct Member: Sendable, Equatable {
        /// Its name in lower case.
        let name: String
        /// Its value in the form in which it is compared, or the digest of that.
        let value: String
    }

    let key: [UInt8]
    private(set) var members: [Member]

    init(key: [UInt8], members: [Member]) {
        self.key = key
        self.members = members
    }

    /// None: what an answer without `Vary` depends on.
    init() { self.init(key: [], members: []) }

    /// Those that a request has of these names.
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

    /// Whether a request has in a field what the entry's request had, or neither has it.
    func fits(_ name: HTTPField.Name, of request: HTTPFields) -> Bool {
        let own = members.first { $0.name == name.canonicalName }?.value
        // To compare an absent field needs no digest.
        guard own != nil || request.contains(name) else { return true }
        let isHidden = own?.hasPrefix(Self.mark) ?? false
        return own == Self.value(of: name, in: request, key, isHidden: isHidden)
    }

    /// Makes digests of those of the fields named that are plain.
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
        // A field has no line end: what differs stays different.
        let text = value.joined(separator: "\n")
        let name = name.canonicalName
        let isPlain = plain.contains(name) && !isHidden && !text.hasPrefix(mark)
        return isPlain ? text : digest(of: text, named: name, key)
    }

    private static func digest(of text: String, named name: String, _ key: [UInt8]) -> String {
        let code = SHA256.authenticationCode(of: "\(name)\n\(text)", key: key)
        return "\(mark)\(ContentDigest.hex(code).prefix(32))"
    }

    /// What digests begin with, and no plain value.
    private static let mark = "hmac-sha256-"

    /// What a client would like, or is: never whose it is.
    private static let plain: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "origin", "user-agent",
    ]
}
