import Documents
import HTTPTypes

/// The `Cache-Control` fields of a message (RFC 9111, 5.2).
///
/// If a directive occurs more than once, the most restrictive one counts. An invalid number counts as the
/// most restrictive one (4.2.1).
struct CacheControl: Sendable, Equatable {
    /// All directives in order, including unknown ones.
    let directives: [CacheDirective]
    /// Whether a shared cache reads them, which interprets some differently.
    let isShared: Bool

    init(_ fields: HTTPFields, isShared: Bool = false) {
        self.isShared = isShared
        directives = FieldList(.cacheControl, in: fields).members
            .compactMap { CacheDirective($0) }
    }

    /// Whether there is such a directive, with or without an argument.
    func has(_ name: String) -> Bool { directives.contains { $0.name == name } }

    func all(_ name: String) -> [CacheDirective] { directives.filter { $0.name == name } }

    /// The shortest time given, invalid ones counting as `invalid`; nil if there is none.
    func least(_ name: String, invalid: Duration) -> Duration? {
        all(name).map { $0.seconds ?? invalid }.min()
    }

    /// The longest time given, invalid ones counting as `invalid`; nil if there is none.
    func greatest(_ name: String, invalid: Duration) -> Duration? {
        all(name).map { $0.seconds ?? invalid }.max()
    }

    /// `max-age`; 0 if it is invalid.
    var maxAge: Duration? { least("max-age", invalid: .zero) }

    /// `s-maxage` for a shared cache, otherwise nil; 0 if it is invalid (RFC 9111, 5.2.2.10).
    var sharedMaxAge: Duration? { isShared ? least("s-maxage", invalid: .zero) : nil }

    var isNoStore: Bool { has("no-store") }

    /// Whether a shared cache must not store it; a `private` with field names counts for the whole response,
    /// as in most caches (RFC 9111, 5.2.2.7).
    var isPrivate: Bool { isShared && has("private") }

    /// Whether a shared cache may serve the response to a request with credentials to others (RFC 9111, 3.5).
    var allowsSharing: Bool { isPublic || has("must-revalidate") || has("s-maxage") }

    /// Whether a response with this status must not be stored.
    ///
    /// With `must-understand`, `no-store` does not count for understood statuses (RFC 9111, 5.2.2.3).
    func forbidsStoring(status: Int) -> Bool {
        isPrivate
            || isNoStore && !(mustUnderstand && HTTPCacheRules.understoodStatuses.contains(status))
    }

    /// `must-revalidate`, in a shared cache also `proxy-revalidate` and `s-maxage` (RFC 9111, 5.2.2.8,
    /// 5.2.2.10).
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

    /// Whether `no-cache` applies to the whole response (RFC 9111, 5.2.2.4).
    ///
    /// An argument without a field name counts as no argument.
    var isNoCache: Bool { all("no-cache").contains { Self.fieldNames(of: $0).isEmpty } }

    /// The fields that `no-cache` applies to, if it names some.
    var noCacheFields: [HTTPField.Name] { all("no-cache").flatMap(Self.fieldNames) }

    /// Whether a directive explicitly allows storing (RFC 9111, 3).
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
    /// What follows the name.
    enum Argument: Sendable, Equatable {
        case none
        /// The text, without quotes.
        case text(String)
        /// Text that the grammar does not allow.
        case invalid(String)
    }

    /// In lower case.
    let name: String
    let argument: Argument

    /// Parses a list member; nil if it does not begin with a name.
    init?(_ member: Substring) {
        let bytes = member.utf8
        let nameEnd = bytes.firstIndex { !Self.isTokenByte($0) } ?? bytes.endIndex
        guard nameEnd > bytes.startIndex else { return nil }
        name = member[..<nameEnd].asciiLowercased
        let rest = member[nameEnd...]
        if rest.isEmpty {
            argument = .none
        } else if rest.utf8.first == UInt8(ascii: "=") {
            argument = Self.argument(rest.dropFirst())
        } else {
            // Spaces around "=", or something like "; x": the name counts, the argument does not.
            argument = .invalid(String(rest))
        }
    }

    /// As received, but with the name in lower case.
    var text: String {
        switch argument {
        case .none: name
        case .text(let text): "\(name)=\(text)"
        case .invalid(let text): name + text
        }
    }

    /// The argument as a time; nil if it is missing or invalid.
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

    /// Whether a byte may occur in a token (RFC 9110, 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// A time in whole seconds (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// The limit that larger numbers are clamped to: 2^31 seconds, 68 years.
    static let largest = Duration.seconds(2_147_483_648)

    /// Parses digits; nil for anything else.
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

/// How stale a response the client accepts (RFC 9111, 5.2.1.2).
enum MaxStale: Sendable, Equatable {
    case any
    case upTo(Duration)

    /// Nil if the client does not accept stale responses.
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
