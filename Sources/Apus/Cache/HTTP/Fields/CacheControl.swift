import HTTPTypes

/// The `Cache-Control` fields of a message (RFC 9111, 5.2).
///
/// Where a directive is given more than once the most restrictive one counts,
/// and a number that is none counts as the most restrictive number (4.2.1).
struct CacheControl: Sendable, Equatable {
    /// All of them in their order, unknown ones too.
    let directives: [CacheDirective]
    /// Whether a shared cache reads them, for which some have another meaning.
    let isShared: Bool

    init(_ fields: HTTPFields, isShared: Bool = false) {
        self.isShared = isShared
        directives = FieldList(.cacheControl, in: fields).members
            .compactMap { CacheDirective($0) }
    }

    /// Whether there is such a directive; an argument does not matter.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// The directives of that name.
    func all(_ name: String) -> [CacheDirective] { directives.filter { $0.name == name } }

    /// The least of the times given, with `invalid` for what is not a time.
    func least(_ name: String, invalid: Duration) -> Duration? {
        all(name).map { $0.seconds ?? invalid }.min()
    }

    /// The greatest of the times given, with `invalid` for what is not a time.
    func greatest(_ name: String, invalid: Duration) -> Duration? {
        all(name).map { $0.seconds ?? invalid }.max()
    }

    /// `max-age`, 0 if it cannot be read.
    var maxAge: Duration? { least("max-age", invalid: .zero) }

    /// `s-maxage`, for a shared cache; 0 if it cannot be read (RFC 9111, 5.2.2.10).
    var sharedMaxAge: Duration? { isShared ? least("s-maxage", invalid: .zero) : nil }

    var isNoStore: Bool { has("no-store") }

    /// Whether a shared cache may not store it; one that names fields counts as one for the whole,
    /// as in most caches (RFC 9111, 5.2.2.7).
    var isPrivate: Bool { isShared && has("private") }

    /// Whether a shared cache may give the answer to credentials to others (RFC 9111, 3.5).
    var allowsSharing: Bool { isPublic || has("must-revalidate") || has("s-maxage") }

    /// Whether an answer of this status may not be stored: caches that know what it means pass over
    /// `no-store` where `must-understand` is, too (RFC 9111, 5.2.2.3).
    func forbidsStoring(status: Int) -> Bool {
        isPrivate
            || isNoStore && !(mustUnderstand && HTTPCacheRules.understoodStatuses.contains(status))
    }

    /// `must-revalidate`, for a shared cache `proxy-revalidate` and `s-maxage` too (RFC 9111,
    /// 5.2.2.8 and 5.2.2.10).
    var mustRevalidate: Bool {
        has("must-revalidate") || isShared && (has("proxy-revalidate") || has("s-maxage"))
    }
    var mustUnderstand: Bool { has("must-understand") }
    var isImmutable: Bool { has("immutable") }
    var isPublic: Bool { has("public") }

    /// `stale-while-revalidate` (RFC 5861, 3).
    var staleWhileRevalidate: Duration? { least("stale-while-revalidate", invalid: .zero) }

    /// `stale-if-error` (RFC 5861, 4).
    var staleIfError: Duration? { least("stale-if-error", invalid: .zero) }

    /// Whether `no-cache` stands for the whole response (RFC 9111, 5.2.2.4).
    ///
    /// An argument that names no field is taken for none.
    var isNoCache: Bool { all("no-cache").contains { Self.fieldNames(of: $0).isEmpty } }

    /// The fields that `no-cache` is about, if it is only about some.
    var noCacheFields: [HTTPField.Name] { all("no-cache").flatMap(Self.fieldNames) }

    /// Whether the response is said to be storable for some time or by some caches (RFC 9111, 3).
    var allowsStoring: Bool {
        isPublic || has("max-age") || has(isShared ? "s-maxage" : "private")
    }

    private static func fieldNames(of directive: CacheDirective) -> [HTTPField.Name] {
        guard case .text(let text) = directive.argument else { return [] }
        return FieldList([text]).members.compactMap { HTTPField.Name(String($0)) }
    }
}

/// One directive of a `Cache-Control` field (RFC 9111, 5.2).
struct CacheDirective: Sendable, Equatable {
    /// What stands behind the name.
    enum Argument: Sendable, Equatable {
        case none
        /// The text, without its quotes if it had some.
        case text(String)
        /// Something that the grammar does not allow.
        case invalid(String)
    }

    /// In lower case.
    let name: String
    let argument: Argument

    /// What stands between two commas; nil if it does not begin with a name.
    init?(_ member: Substring) {
        let bytes = member.utf8
        let nameEnd = bytes.firstIndex { !Self.isTokenByte($0) } ?? bytes.endIndex
        guard nameEnd > bytes.startIndex else { return nil }
        name = member[..<nameEnd].lowercased()
        let rest = member[nameEnd...]
        if rest.isEmpty {
            argument = .none
        } else if rest.utf8.first == UInt8(ascii: "=") {
            argument = Self.argument(rest.dropFirst())
        } else {
            // Blanks around "=", or something like "; x": the name counts, its argument does not.
            argument = .invalid(String(rest))
        }
    }

    /// As it was written, but for the case of the name.
    var text: String {
        switch argument {
        case .none: name
        case .text(let text): "\(name)=\(text)"
        case .invalid(let text): name + text
        }
    }

    /// The argument as a time; nil if it is not one, or missing.
    var seconds: Duration? {
        guard case .text(let text) = argument else { return nil }
        return DeltaSeconds.parse(text)
    }

    private static func argument(_ text: Substring) -> Argument {
        if let content = quotedContent(text) { return .text(content) }
        return !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
            ? .text(String(text)) : .invalid("=\(text)")
    }

    private static func quotedContent(_ text: Substring) -> String? {
        var bytes = text.utf8[...]
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""),
            bytes.last == UInt8(ascii: "\"")
        else { return nil }
        bytes = bytes.dropFirst().dropLast()
        var content: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\\"):
                guard let escaped = bytes.popFirst() else { return nil }
                content.append(escaped)
            case UInt8(ascii: "\""): return nil
            default: content.append(byte)
            }
        }
        return String(decoding: content, as: UTF8.self)
    }

    /// Whether a byte may stand in a token (RFC 9110, 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// A time in whole seconds, as fields give it (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// What larger numbers become: 2^31 seconds, 68 years.
    static let largest = Duration.seconds(2_147_483_648)

    /// Nil for anything but digits.
    static func parse(_ text: some StringProtocol) -> Duration? {
        let digits = text.utf8
        guard !digits.isEmpty,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        // Digits that do not fit are a number too large to represent.
        guard let seconds = Int64(text) else { return largest }
        return min(.seconds(seconds), largest)
    }
}

/// How stale a response the client takes (RFC 9111, 5.2.1.2).
enum MaxStale: Sendable, Equatable {
    case any
    case upTo(Duration)

    /// Nil if the client did not ask for stale responses.
    init?(_ control: CacheControl) {
        let given = control.all("max-stale")
        guard !given.isEmpty else { return nil }
        let limits = given.filter { $0.argument != .none }
        self = limits.isEmpty ? .any : .upTo(limits.map { $0.seconds ?? .zero }.min() ?? .zero)
    }

    func allows(_ staleness: Duration) -> Bool {
        switch self {
        case .any: true
        case .upTo(let limit): limit > .zero && staleness <= limit
        }
    }
}
