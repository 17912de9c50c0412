import HTTPTypes

extension CacheKey {
    /// The version of the recipe: it changes when equal requests would get
    /// other keys than before.
    private static let version = 3

    /// The key of a request: the SHA-256 of its recipe.
    ///
    /// The recipe has a line for each part and holds credentials only as
    /// digests. A body that is a file is read to its end here.
    public init(for request: PreparedRequest, policy: CachePolicy, namespace: String = "") {
        guard policy.semantics == .own else {
            self.init(httpFor: request.head, policy: policy, namespace: namespace)
            return
        }
        var recipe = RecipeText()
        recipe.add("version", String(Self.version))
        if !namespace.isEmpty { recipe.add("namespace", namespace) }
        recipe.add("method", request.head.method.rawValue)
        let url = NormalizedURL(
            request.head,
            ignoring: policy.ignoredParameters,
            secrets: request.options.secretParameters
        )
        switch policy.keyStrategy {
        case .full:
            recipe.add("url", url.text)
            if let body = BodyDigest(request, ignoring: policy.ignoredParameters) {
                recipe.add("body", "\(body.kind) \(body.digest)")
            }
            Self.add(policy.keyFields, of: request.head.headerFields, to: &recipe)
        case .base:
            recipe.add("url", url.withoutQuery)
            recipe.add("strategy", "base")
        case .custom(let text):
            recipe.add("url", url.withoutQuery)
            recipe.add("custom", text)
        }
        let account = policy.account(of: request)
        if !account.isEmpty { recipe.add("account", account) }
        if let extra = policy.extraKey { recipe.add("extra", extra) }
        self.init(
            digest: ContentDigest.hex(of: recipe.text),
            recipe: request.mask.masking(text: recipe.text)
        )
    }

    /// The key under which an HTTP cache keeps all that it has for a URL,
    /// whatever the method and the fields (RFC 9111, 2).
    init(httpFor head: HTTPRequest, policy: CachePolicy, namespace: String) {
        var recipe = RecipeText()
        recipe.add("version", String(Self.version))
        if !namespace.isEmpty { recipe.add("namespace", namespace) }
        let url = NormalizedURL(head, ignoring: policy.ignoredParameters, sortsQuery: false)
        recipe.add("http", url.text)
        if let extra = policy.extraKey { recipe.add("extra", extra) }
        self.init(digest: ContentDigest.hex(of: recipe.text), recipe: recipe.text)
    }

    /// The key of one of the answers kept under this one; `number` tells them apart.
    func variant(_ number: UInt64, selecting: HTTPFields, account: String) -> CacheKey {
        var recipe = RecipeText(self.recipe)
        for field in selecting {
            let isSecret = SecretFields.contains(field.name)
            let value =
                isSecret ? "sha256-\(ContentDigest.hex(of: field.value).prefix(32))" : field.value
            recipe.add("vary \(field.name.canonicalName)", value)
        }
        if !account.isEmpty { recipe.add("account", account) }
        return CacheKey(digest: "\(digest)-\(String(number, radix: 16))", recipe: recipe.text)
    }

    private static func add(
        _ names: [HTTPField.Name],
        of fields: HTTPFields,
        to recipe: inout RecipeText
    ) {
        let unique = Set(names).sorted { $0.canonicalName < $1.canonicalName }
        for name in unique {
            for value in fields[values: name] {
                let isSecret = SecretFields.contains(name)
                recipe.add(
                    "header \(name.canonicalName)",
                    isSecret ? "sha256-\(ContentDigest.hex(of: value).prefix(32))" : value
                )
            }
        }
    }

    /// A number for the key: the row of its entry on disk.
    ///
    /// Two keys may share one (once in 10⁸ caches of a million entries), so
    /// what is found under it is compared with the digest.
    var row: Int64 {
        // FNV-1a, because digests from outside need not be hexadecimal.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in digest.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int64(bitPattern: hash)
    }
}

/// The lines of a recipe; a line end inside a part cannot pass for a new part.
private struct RecipeText {
    private(set) var text: String

    init(_ text: String = "") { self.text = text }

    mutating func add(_ name: String, _ value: String) {
        if !text.isEmpty { text += "\n" }
        text += name
        text += " "
        guard value.utf8.contains(where: { $0 == 0x0A || $0 == UInt8(ascii: "\\") }) else {
            text += value
            return
        }
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\n": text += #"\n"#
            case "\\": text += #"\\"#
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}
