import HTTPTypes

/// The `Cache-Control` fields of a message (RFC 9111, 5.2).
///
/// Where a directive is given more than once the most restrictive one counts,
/// and a number that is none counts as the most restrictive number (4.2.1).
struct CacheControl: Sendable, Equatable {
    /// All of them in their order, unknown ones too.
    let directives: [CacheDirective]

    init(_ fields: HTTPFields) {
        directives = ListMembers(.cacheControl, in: fields).members
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

    var isNoStore: Bool { has("no-store") }
    var mustRevalidate: Bool { has("must-revalidate") }
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
    var allowsStoring: Bool { isPublic || has("private") || has("max-age") }

    private static func fieldNames(of directive: CacheDirective) -> [HTTPField.Name] {
        guard case .text(let text) = directive.argument else { return [] }
        return ListMembers([text]).members.compactMap { HTTPField.Name(String($0)) }
    }
}
