import HTTPTypes
import Secrets

/// The key of a cache entry: a SHA-256 of what makes requests equal.
public struct CacheKey: Sendable, Hashable, Codable, CustomStringConvertible {
    private enum CodingKeys: CodingKey {
        case digest, recipe
    }

    let name: KeyName
    /// The digest's input as readable text, a line for each part; credentials appear only as digests.
    public let recipe: String

    /// Makes a key from a digest, which may be any other text, and a recipe.
    public init(digest: String, recipe: String) {
        self.init(KeyName(digest), recipe: recipe)
    }

    init(_ name: KeyName, recipe: String) {
        self.name = name
        self.recipe = recipe
    }

    /// Decodes a key that `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            digest: try container.decode(String.self, forKey: .digest),
            recipe: try container.decode(String.self, forKey: .recipe)
        )
    }

    /// Encodes the digest and the recipe.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(digest, forKey: .digest)
        try container.encode(recipe, forKey: .recipe)
    }

    /// The digest as 64 hexadecimal digits.
    public var digest: String { name.text }

    /// The digest as 64 hexadecimal digits.
    public var description: String { digest }

    /// The row of the key's entry on disk; another key may have the same row.
    var row: Int64 { name.row }

    /// Keys are equal if their digests are.
    public static func == (a: CacheKey, b: CacheKey) -> Bool { a.name == b.name }
    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension CacheKey {
    /// The version of the recipe; it must change when equal requests would get other keys than before.
    private static let version = 4

    /// Makes the key of a request: the SHA-256 of its recipe.
    ///
    /// The recipe has a line for each part, with credentials only as digests. A body file is read to its end.
    public init(for request: PreparedRequest, policy: CachePolicy, namespace: String = "") {
        self.init(for: request, policy: policy, namespace: namespace) { true }
    }

    /// As the public initializer, but stops reading files when `isWanted` returns false; the key is then
    /// unique.
    init(
        for request: PreparedRequest,
        policy: CachePolicy,
        namespace: String,
        while isWanted: () -> Bool
    ) {
        guard policy.semantics == .own else {
            self.init(
                httpFor: request.head,
                policy: policy,
                namespace: namespace,
                secrets: request.options.secretParameters,
                mask: request.mask
            )
            return
        }
        var recipe = Self.recipe(namespace)
        recipe.add("method", request.head.method.rawValue)
        recipe.begin("url")
        Self.addURL(of: request, policy, to: &recipe)
        switch policy.key {
        case .full(let ignored, let fields):
            if let body = BodyDigest(request, ignoring: ignored, while: isWanted) {
                recipe.add("body", "\(body.kind) \(body.digest)")
            }
            Self.add(fields, of: request.head.headerFields, to: &recipe)
        case .base:
            recipe.add("strategy", "base")
            Self.addSecrets(of: request, policy, to: &recipe, while: isWanted)
        case .custom(let text):
            recipe.add("custom", text)
            Self.addSecrets(of: request, policy, to: &recipe, while: isWanted)
        }
        RequestRoute(request).add(to: &recipe)
        let account = policy.account(of: request)
        if !account.isEmpty { recipe.add("account", account) }
        self.init(recipe, policy, request.mask)
    }

    /// The digest by which a replay finds a recorded request: method, URL, body, accepted types and
    /// languages.
    ///
    /// A replay has no account and no route, so of these only the fields for the host and encoding
    /// count.
    package static func replayDigest(of request: PreparedRequest) -> String {
        let names = [HTTPField.Name.accept, .acceptLanguage]
        var recipe = Self.recipe("")
        recipe.add("method", request.head.method.rawValue)
        recipe.begin("url")
        let policy = CachePolicy.keep(key: .full(fields: names), separatesAccounts: false)
        addURL(of: request, policy, to: &recipe)
        if let body = BodyDigest(request, ignoring: []) {
            recipe.add("body", "\(body.kind) \(body.digest)")
        }
        add(names, of: request.head.headerFields, to: &recipe)
        RequestRoute(fieldsOf: request).add(to: &recipe)
        return KeyName(digestOf: recipe.bytes).text
    }

    /// Adds what identifies the account in query and body, for keys that include neither.
    private static func addSecrets(
        of request: PreparedRequest,
        _ policy: CachePolicy,
        to recipe: inout KeyRecipe,
        while isWanted: () -> Bool
    ) {
        guard policy.accounts != .none else { return }
        for pair in CredentialMask.accountPairs(of: request) {
            recipe.add("secret", ContentDigest.short(of: String(pair)))
        }
        guard request.bodyHoldsSecret,
            let body = BodyDigest(request, ignoring: [], while: isWanted)
        else { return }
        recipe.add("body", "\(body.kind) \(body.digest)")
    }

    /// The primary key: an HTTP cache stores all responses for a URL under it (RFC 9111, 2).
    ///
    /// The request's `secrets` are hidden only in the recipe. The digest includes them, because an
    /// invalidation of the URL does not know them and must get the same key.
    init(
        httpFor head: HTTPRequest,
        policy: CachePolicy,
        namespace: String,
        secrets: Set<String> = [],
        mask: CredentialMask = .nothing
    ) {
        let recipe = Self.httpRecipe(head, policy, namespace, secrets: [])
        let shown =
            secrets.isEmpty ? recipe : Self.httpRecipe(head, policy, namespace, secrets: secrets)
        self.init(KeyName(digestOf: recipe.bytes), recipe: mask.masking(text: shown.text))
    }

    private static func httpRecipe(
        _ head: HTTPRequest,
        _ policy: CachePolicy,
        _ namespace: String,
        secrets: Set<String>
    ) -> KeyRecipe {
        var recipe = recipe(namespace)
        recipe.begin("http")
        let ignored = policy.ignoredParameters
        if ignored.isEmpty, secrets.isEmpty, let url = PlainURL(head, sortsQuery: false) {
            url.add(to: &recipe, withQuery: true)
        } else {
            let url = NormalizedURL(head, ignoring: ignored, secrets: secrets, sortsQuery: false)
            recipe.appendEscaping(url.text)
        }
        if let extra = policy.extraKey { recipe.add("extra", extra) }
        // A shared cache must never serve private responses.
        if policy.httpOptions.contains(.shared) { recipe.add("rules", "shared") }
        return recipe
    }

    private init(_ recipe: consuming KeyRecipe, _ policy: CachePolicy, _ mask: CredentialMask) {
        if let extra = policy.extraKey { recipe.add("extra", extra) }
        self.init(KeyName(digestOf: recipe.bytes), recipe: mask.masking(text: recipe.text))
    }

    private static func recipe(_ namespace: String) -> KeyRecipe {
        var recipe = KeyRecipe("version \(version)")
        if !namespace.isEmpty { recipe.add("namespace", namespace) }
        return recipe
    }

    private static func addURL(
        of request: PreparedRequest,
        _ policy: CachePolicy,
        to recipe: inout KeyRecipe
    ) {
        let ignored = policy.ignoredParameters
        let secrets = request.options.secretParameters
        let hasQuery = if case .full = policy.key { true } else { false }
        if ignored.isEmpty, secrets.isEmpty, let url = PlainURL(request.head) {
            return url.add(to: &recipe, withQuery: hasQuery)
        }
        let url = NormalizedURL(request.head, ignoring: ignored, secrets: secrets)
        recipe.appendEscaping(hasQuery ? url.text : url.withoutQuery)
    }

    /// The key of one of the responses stored under this primary key; `number` distinguishes them.
    func variant(
        _ number: UInt64,
        selecting: SelectingFields,
        way: RequestRoute,
        account: String,
        mask: CredentialMask
    ) -> CacheKey {
        var recipe = KeyRecipe(self.recipe)
        way.add(to: &recipe)
        for member in selecting.members {
            recipe.begin("vary", member.name)
            recipe.appendEscaping(member.value)
        }
        if !account.isEmpty { recipe.add("account", account) }
        return CacheKey(
            digest: "\(digest)-\(String(number, radix: 16))",
            recipe: mask.masking(text: recipe.text)
        )
    }

    private static func add(
        _ names: [HTTPField.Name],
        of fields: HTTPFields,
        to recipe: inout KeyRecipe
    ) {
        guard !fields.isEmpty else { return }
        for name in ordered(names) {
            for field in fields where field.name == name {
                recipe.begin("header", name.canonicalName)
                recipe.appendEscaping(text(of: field))
            }
        }
    }

    /// The names without duplicates, sorted; the default names already are.
    private static func ordered(_ names: [HTTPField.Name]) -> [HTTPField.Name] {
        let isOrdered = zip(names, names.dropFirst())
            .allSatisfy { $0.canonicalName < $1.canonicalName }
        return isOrdered ? names : Set(names).sorted { $0.canonicalName < $1.canonicalName }
    }

    private static func text(of field: HTTPField) -> String {
        SecretFields.contains(field.name) ? ContentDigest.short(of: field.value) : field.value
    }
}
