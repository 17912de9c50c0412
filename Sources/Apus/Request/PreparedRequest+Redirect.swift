import Documents
import FoundationEssentials
import HTTPTypes

/// What does not follow a redirect to another origin: one rule for the redirects that libcurl
/// follows and for those of `RedirectFollower`.
extension PreparedRequest {
    /// The names of the fields that carry credentials by their name, or hold a known secret or
    /// one of the request's own credentials.
    var secretFieldNames: [HTTPField.Name] {
        let mask = originMask
        var names: [HTTPField.Name] = []
        for field in head.headerFields where !names.contains(field.name) {
            if SecretFields.contains(field.name) || mask.masking(line: field.value) != field.value {
                names.append(field.name)
            }
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
        let search = CredentialSearch(mask: originMask, names: options.secretParameters)
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

    // MARK: the request's own credentials

    /// The request's mask, with what its own fields, its query and its URL carry as credentials.
    private var originMask: CredentialMask {
        var texts: [String] = []
        for field in head.headerFields where SecretFields.contains(field.name) {
            texts += Self.credentials(in: field.value)
        }
        texts +=
            URLCredentials(
                in: url,
                as: .url,
                among: options.secretParameters,
                shortestOfWeak: CredentialSearch.shortest
            ).texts
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
        for pair in [";", ","].flatMap({ scalars.split(separator: $0) }) {
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
