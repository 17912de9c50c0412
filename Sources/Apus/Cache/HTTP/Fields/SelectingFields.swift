import HTTPTypes

/// The request's fields that `Vary` names, as an entry keeps them: enough to compare another
/// request by, and no credential among it.
///
/// Any field may carry one, of whatever name: so all but the fields of negotiation are kept as
/// digests of the form in which they are compared. Their key is random and another for each entry:
/// equal credentials have different digests in two entries, and no table of digests made before
/// fits. It stands beside them, so who can read the file can still try short values one by one;
/// a key elsewhere would have to be as well kept as the file is, which only its owner may read.
struct SelectingFields: Sendable, Equatable {
    /// A field that the request had.
    struct Member: Sendable, Equatable {
        /// Its name in lower case.
        let name: String
        /// Its value in the form in which it is compared, or the digest of that.
        let value: String
    }

    let key: [UInt8]
    let members: [Member]

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
        return own == Self.value(of: name, in: request, key)
    }

    private static func value(
        of name: HTTPField.Name,
        in request: HTTPFields,
        _ key: [UInt8]
    ) -> String? {
        guard let value = SelectingField(name, in: request).value else { return nil }
        // A field has no line end: what differs stays different.
        let text = value.joined(separator: "\n")
        guard !plain.contains(name.canonicalName) else { return text }
        let code = SHA256.authenticationCode(of: "\(name.canonicalName)\n\(text)", key: key)
        return "hmac-sha256-\(ContentDigest.hex(code).prefix(32))"
    }

    /// What a client would like, or is: never whose it is.
    private static let plain: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "origin", "user-agent",
    ]
}
