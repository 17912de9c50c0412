import Documents
import HTTPTypes

/// What does not follow a redirect to another origin: one rule for the redirects that libcurl
/// follows and for those of `RedirectFollower`.
extension PreparedRequest {
    /// Shorter credentials are words that may well stand anywhere.
    private static let shortestCredential = 4

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
    /// That is a known secret, a credential of the request's own fields and query, or the value of a
    /// member with a credential's name in a form, JSON or multipart body. A stream and a large file
    /// are not searched; they stay where the request has a secret or a credential of any kind, and
    /// large files of JSON or a form always. A body cannot go on without its secret, as a header can:
    /// so the redirect is refused.
    var bodyHoldsSecret: Bool {
        guard body != .none else { return false }
        let mask = originMask
        // Passwords of the environment's proxies are in every mask.
        let isSecretKnown = mask.secrets.count > CredentialMask().secrets.count
        func isSecret(_ bytes: [UInt8]) -> Bool {
            guard mask.hasSecrets else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            return mask.masking(text: text) != text
        }
        func isSecret(_ piece: BodyPiece) -> Bool {
            switch piece {
            case .bytes(let bytes): isSecret(bytes)
            case .file(let path): Self.contents(of: path).map(isSecret) ?? isSecretKnown
            case .stream: isSecretKnown
            }
        }
        return switch body {
        case .none: false
        case .bytes(let bytes): isSecret(bytes) || hasCredentialMember(bytes)
        case .file(let path):
            isSecret(BodyPiece.file(path: path))
                || Self.contents(of: path).map(hasCredentialMember) ?? mayHaveMembers
        case .multipart(let form):
            form.parts.contains(where: hasCredential) || form.pieces().contains(where: isSecret)
        }
    }

    // MARK: the request's own credentials

    /// The request's mask, with what its own fields and query carry as credentials.
    private var originMask: CredentialMask {
        var texts: [String] = []
        for field in head.headerFields where SecretFields.contains(field.name) {
            texts += Self.credentials(in: field.value)
        }
        for pair in CredentialMask.secretPairs(of: self) {
            let value = pair.unicodeScalars.drop { $0 != "=" }.dropFirst()
            texts.append(PercentEncoding.decodedForm(Substring(value)))
        }
        let long = texts.filter { $0.utf8.count >= Self.shortestCredential }
        return CredentialMask(secrets: long).adding(self)
    }

    /// A field's value, and in it the token behind a scheme and the values of cookies.
    private static func credentials(in value: String) -> [String] {
        let scalars = value.unicodeScalars
        let words = scalars.split(separator: " ", maxSplits: 1)
        var texts = [value]
        if words.count == 2 { texts.append(String(words[1])) }
        for pair in scalars.split(separator: ";") {
            texts.append(String(pair.drop { $0 != "=" }.dropFirst()))
        }
        return texts
    }

    private func isCredential(_ name: String, _ value: String) -> Bool {
        value.utf8.count >= Self.shortestCredential
            && CredentialMask.isSecret(parameter: name, among: options.secretParameters)
    }

    private func hasCredential(_ part: MultipartForm.Part) -> Bool {
        guard CredentialMask.isSecret(parameter: part.name, among: options.secretParameters) else {
            return switch part.content {
            case .bytes(let bytes): hasCredentialMember(bytes)
            case .file(let path): Self.contents(of: path).map(hasCredentialMember) == true
            case .stream: false
            }
        }
        return switch part.content {
        case .bytes(let bytes): bytes.count >= Self.shortestCredential
        case .file, .stream: true
        }
    }

    /// Whether the type of the body is one that has members with names.
    private var mayHaveMembers: Bool {
        let type = head.headerFields[.contentType]?.lowercased() ?? ""
        return type.contains("json") || type.hasPrefix("application/x-www-form-urlencoded")
    }

    /// Whether a form or JSON has a member with a credential's name and a value that is one.
    private func hasCredentialMember(_ bytes: [UInt8]) -> Bool {
        let start = bytes.first { !" \t\r\n".utf8.contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "[") else {
            return hasCredentialPair(bytes)
        }
        let document = Document.parse(DocumentBytes(bytes))
        for place in 0..<document.nodeCount {
            let node = NodeIndex(place)
            guard let name = document.key(of: node),
                CredentialMask.isSecret(parameter: name, among: options.secretParameters)
            else { continue }
            // All that is in it: a list of passwords is a secret as one is.
            for inner in place..<min(place + document.subtreeSize(of: node), document.nodeCount) {
                let value = NodeIndex(inner)
                switch document.kind(of: value) {
                case .string, .integer, .decimal:
                    // A text's quotes do not count.
                    let quotes = document.kind(of: value) == .string ? 2 : 0
                    if document.valueRange(of: value).count - quotes >= Self.shortestCredential {
                        return true
                    }
                case .null, .true, .false, .array, .object: continue
                }
            }
        }
        return false
    }

    private func hasCredentialPair(_ bytes: [UInt8]) -> Bool {
        let type = head.headerFields[.contentType]?.lowercased() ?? ""
        guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded") else {
            return false
        }
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
        return text.split(separator: "&").contains { pair in
            guard let equals = pair.firstIndex(of: "=") else { return false }
            let value = PercentEncoding.decodedForm(Substring(pair[equals...].dropFirst()))
            return isCredential(String(pair[..<equals]), value)
        }
    }

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
