import Documents
import FoundationEssentials
import HTTPTypes

/// What does not follow a redirect to another origin: one rule for the redirects that libcurl
/// follows and for those of `RedirectFollower`.
extension PreparedRequest {
    /// The names of the fields that carry credentials by their name, or hold a known secret or
    /// one of the request's own credentials.
    var secretFieldNames: [HTTPField.Name] {
        // What all fields tell by their names needs no mask.
        lazy var mask = originMask
        func isKnown(_ value: String) -> Bool {
            mask.map { $0.masking(line: value) != value } ?? true
        }
        var names: [HTTPField.Name] = []
        var known: Set<HTTPField.Name> = []
        for field in head.headerFields where !known.contains(field.name) {
            guard SecretFields.contains(field.name) || isKnown(field.value) else { continue }
            known.insert(field.name)
            names.append(field.name)
        }
        return names
    }

    /// Whether a secret stands in the body, or might.
    ///
    /// `CredentialSearch` says what that is. A stream and a large file are not searched: they stay
    /// where the request has a secret or a credential of any kind, and a large file whose type has
    /// members always. A body cannot go on without its secret, as a header can: so the redirect is
    /// refused.
    var bodyHoldsSecret: Bool {
        guard body != .none else { return false }
        guard let mask = originMask else { return true }
        let search = CredentialSearch(mask: mask, names: options.secretParameters)
        // Passwords of the environment's proxies are in every mask.
        let isSecretKnown = search.mask.secrets.count > CredentialMask().secrets.count
        let fields = head.headerFields
        let isCoded = fields[.contentEncoding].map { $0.lowercased() != "identity" } ?? false
        // Of several types a server may read any.
        let types: [String?] = fields[.contentType] == nil ? [nil] : fields[values: .contentType]
        func isSecret(_ content: MultipartForm.Part.Content, _ types: [String?]) -> Bool {
            let bytes: [UInt8]? =
                switch content {
                case .bytes(let bytes): bytes
                case .file(let path): Self.contents(of: path)
                case .stream: nil
                }
            guard let bytes, !isCoded else {
                return isSecretKnown || types.contains(where: CredentialSearch.mustBeRead)
            }
            return types.contains { search.finds(in: bytes, type: $0) }
        }
        return switch body {
        case .none: false
        case .bytes(let bytes): isSecret(.bytes(bytes), types)
        case .file(let path): isSecret(.file(path: path), types)
        case .multipart(let form):
            form.parts.contains { search.isNamed($0) || isSecret($0.content, [$0.shownType]) }
                || form.pieces().contains { piece in
                    // The parts' own fields are among them.
                    if case .bytes(let bytes) = piece { search.knows(bytes) } else { false }
                }
        }
    }

    /// Whether anything of it stays at its origin, but for what its URL says.
    package var holdsSecret: Bool { !secretFieldNames.isEmpty || bodyHoldsSecret }

    // MARK: the request's own credentials

    /// More bytes of credentials than this are not looked for, which takes a hundred times as much
    /// memory: no server takes a header so long.
    private static let credentialLimit = 32 << 10

    /// The request's mask, with what its own fields, its query and its URL carry as credentials; nil
    /// if they are so much that they may stand anywhere.
    private var originMask: CredentialMask? {
        var texts: [String] = []
        var rest = Self.credentialLimit
        for field in head.headerFields where SecretFields.contains(field.name) {
            rest -= field.value.utf8.count
            guard rest >= 0 else { return nil }
            texts += Self.credentials(in: field.value)
        }
        let inURL = URLCredentials(
            in: url,
            as: .url,
            among: options.secretParameters,
            shortestOfWeak: CredentialSearch.shortest
        ).texts
        if !inURL.isEmpty { rest -= url.utf8.count }
        guard rest >= 0, inURL.count < URLCredentials.textLimit else { return nil }
        texts += inURL
        let long = texts.filter { $0.utf8.count >= CredentialSearch.shortest }
        return CredentialMask(secrets: long).adding(self)
    }

    /// A field's value, and in it the token behind a scheme, what Basic encodes, the values of
    /// cookies and of parameters (RFC 9110, section 11.4).
    private static func credentials(in value: String) -> [String] {
        let scalars = value.unicodeScalars
        let words = scalars.split(separator: " ", maxSplits: 1).map { String($0) }
        var texts = [value]
        if words.count == 2 {
            texts.append(words[1])
            if words[0].lowercased() == "basic", let bytes = Data(base64Encoded: words[1]) {
                let pair = String(decoding: bytes, as: UTF8.self)
                texts += [pair, String(pair.unicodeScalars.drop { $0 != ":" }.dropFirst())]
            }
        }
        guard value.utf8.contains(UInt8(ascii: "=")) else { return texts }
        let signs = ([";", ","] as [Unicode.Scalar]).filter(scalars.contains)
        for pair in (signs.isEmpty ? [";"] : signs).flatMap({ scalars.split(separator: $0) }) {
            let name = pair.prefix { $0 != "=" }.split(separator: " ").last.map { String($0) }
            guard !openParameters.contains(name?.lowercased() ?? "") else { continue }
            let text = String(pair.drop { $0 != "=" }.dropFirst())
            texts += [text, text.replacing("\"", with: "")]
        }
        return texts
    }

    /// Parameters of `Authorization` that are no credential, but words of addresses and protocols.
    private static let openParameters: Set<String> = [
        "realm", "uri", "username", "algorithm", "qop", "nc", "charset", "userhash", "headers",
        "oauth_version", "oauth_timestamp", "oauth_signature_method",
    ]

    /// The bytes of a file that a redirect may take along; nil if there are too many to search
    /// while all transfers wait, or if it cannot be read.
    private static func contents(of path: String) -> [UInt8]? {
        let limit = 1 << 20
        guard let source = try? UploadSource(.file(path: path)), source.count <= limit else {
            return nil
        }
        var bytes = [UInt8](repeating: 0, count: source.count)
        let isRead = bytes.withUnsafeMutableBytes { room in
            var count = 0
            while count < room.count {
                guard
                    case .bytes(let more) = try? source.read(into: .init(rebasing: room[count...])),
                    more > 0
                else { return false }
                count += more
            }
            return true
        }
        return isRead ? bytes : nil
    }
}
