import Apus
import Documents
import HTTPTypes
import Secrets
import Workspaces

/// Puts marks in place of the secrets that a workspace has literally, wherever they stand: the one rule for all texts of
/// an export.
///
///     by its name    X-Api-Key: a1b2     {"password": "a1b2"}     ?token=a1b2     https://ada:a1b2@host
///     by its look    Bearer a1b2…        eyJ….eyJ….…
///     by its value   what is secret by its name or its look at one place, at all others
struct ExportSecrets: Sendable {
    private let reader: ExportMarkReader
    private let known: CredentialMask
    private let mask: CredentialMask

    /// Makes one for what a mask says is secret: names, patterns and values.
    init(_ mask: CredentialMask, _ reader: ExportMarkReader, label: String = "secret") {
        self.reader = reader
        known = mask
        self.mask = mask.naming(LiteralSecretMarks(reader: reader, label: label))
    }

    /// The same; secrets without a name are called this.
    private func labelled(_ label: String) -> ExportSecrets {
        ExportSecrets(known, reader, label: label)
    }

    // MARK: Texts

    /// A text of an unknown format.
    func text(_ text: String) -> String {
        if let hidden = looking(text) { return hidden }
        var content = ContentMask(mask)
        let shown = content.masking(Array(text.utf8), "text/plain")
        return mask.masking(line: String(decoding: shown, as: UTF8.self))
    }

    /// The value of something with a name: a field of a form, a part, a variable.
    func value(_ value: String, named name: String) -> String {
        guard !value.isEmpty else { return value }
        let own = labelled(ExportVariable.environmentName(of: name).lowercased())
        if mask.isSecret(member: name), mask.masking(value: value, named: name) != value {
            return own.reader.hiding(value, label: own.label(name))
        }
        return own.text(value)
    }

    /// The value of a header field.
    func value(_ value: String, of name: HTTPField.Name) -> String {
        let own = labelled(label(name.rawName))
        let shown = own.mask.masking([name: value])[name] ?? value
        return shown == value ? own.text(value) : shown
    }

    /// A URL, or a path with a query.
    func url(_ url: String) -> String { mask.masking(url: url) }

    /// A body; its type says how it is read.
    func body(_ bytes: [UInt8], _ type: String?) -> [UInt8] {
        guard let text = String(validating: bytes, as: UTF8.self) else { return bytes }
        if let hidden = looking(text) { return Array(hidden.utf8) }
        var content = ContentMask(mask)
        let isForm = type?.lowercased().contains("x-www-form-urlencoded") == true
        return mask.masking(content.masking(bytes, type), isForm: isForm)
    }

    /// A document of GraphQL.
    func graphQL(_ query: String) -> String {
        String(decoding: body(Array(query.utf8), "application/graphql"), as: UTF8.self)
    }

    /// A value as JSON has it, with a name if it is a member.
    func value(_ value: Value, named name: String? = nil) -> Value {
        let whole = name.map { Value.object([Value.Member($0, value)]) } ?? .array([value])
        let shown = String(
            decoding: body(Array(whole.json.utf8), "application/json"),
            as: UTF8.self
        )
        switch OpenAPISchemaGuess.json(shown) {
        case .object(let members): return looking(members.first?.value ?? value)
        case .array(let elements): return looking(elements.first ?? value)
        default: return value
        }
    }

    private func looking(_ value: Value) -> Value {
        switch value {
        case .string(let text): .string(looking(text) ?? text)
        case .array(let elements): .array(elements.map(looking))
        case .object(let members):
            .object(members.map { Value.Member($0.name, looking($0.value)) })
        case .number, .boolean, .null: value
        }
    }

    /// What a response must be.
    func expectation(_ expectation: Expectation) -> Expectation {
        expectation.mapping { value in
            switch expectation.subject {
            case .field(let name):
                if case .string(let text) = value { return .string(self.value(text, of: name)) }
                if case .array(let elements) = value {
                    return .array(
                        elements.map { element in
                            guard case .string(let text) = element else { return element }
                            return .string(self.value(text, of: name))
                        }
                    )
                }
                return value
            case .json(_, let written): return self.value(value, named: Self.lastName(of: written))
            case .text:
                if case .string(let text) = value { return .string(self.text(text)) }
                return self.value(value)
            default: return self.value(value)
            }
        }
    }

    /// The last name of a path: `token` of `$.users[0]['token']`.
    private static func lastName(of path: String) -> String? {
        let words = path.utf8.split { byte in
            let isLetter = (0x41...0x5A).contains(byte & 0xDF) || byte >= 0x80
            return !(isLetter || (0x30...0x39).contains(byte) || byte == 0x5F || byte == 0x2D)
        }
        return words.last { $0.contains { !(0x30...0x39).contains($0) } }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Requests

    /// A request with marks in it.
    func request(_ request: PreparedRequest) -> PreparedRequest {
        let own = ExportSecrets(known.adding(request), reader)
        var hidden = request
        if let head = own.mask.masked(request.head) {
            hidden.head.authority = head.authority
            hidden.head.path = head.path
        }
        for index in request.head.headerFields.indices {
            let field = request.head.headerFields[index]
            let value = own.value(field.value, of: field.name)
            if value != field.value { hidden.head.headerFields[index].value = value }
        }
        switch request.body {
        case .bytes(let bytes):
            hidden.body = .bytes(own.body(bytes, request.head.headerFields[.contentType]))
        case .multipart(var form):
            for index in form.parts.indices { own.hide(&form.parts[index]) }
            hidden.body = .multipart(form)
        case .none, .file, .stream: break
        }
        if let proxy = request.options.proxy { hidden.options.proxy = own.url(proxy) }
        if let password = request.options.clientCertificate?.password {
            hidden.options.clientCertificate?.password = Apus.Secret(
                reader.hiding(password.value, label: "certificate_password")
            )
        }
        return hidden
    }

    private func hide(_ part: inout MultipartForm.Part) {
        for index in part.headerFields.indices {
            let field = part.headerFields[index]
            part.headerFields[index].value = value(field.value, of: field.name)
        }
        guard case .bytes(let bytes) = part.content,
            let text = String(validating: bytes, as: UTF8.self)
        else { return }
        let named = value(text, named: part.name)
        part.content = .bytes(named == text ? body(bytes, part.shownType) : Array(named.utf8))
    }

    // MARK: Looks

    /// The text with what can only be a credential replaced; nil if it looks like none.
    private func looking(_ text: String) -> String? {
        guard text.utf8.count >= 16, text.utf8.count <= 16 << 10, !reader.marks.isMarked(text)
        else {
            return nil
        }
        if Self.isToken(text) { return reader.hiding(text, label: "token") }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[1].utf8.count >= 8,
            ["bearer", "basic", "token", "dpop"].contains(words[0].lowercased())
        else { return nil }
        return "\(words[0]) \(reader.hiding(String(words[1]), label: "token"))"
    }

    /// Whether a text is a JSON Web Token (RFC 7519), whose parts begin as `{"` does in Base64.
    private static func isToken(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].starts(with: "eyJ".utf8), parts[1].starts(with: "eyJ".utf8)
        else { return false }
        return parts.allSatisfy { part in
            part.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                    || "-_=".utf8.contains(byte)
            }
        }
    }

    private func label(_ name: String) -> String {
        ExportVariable.environmentName(of: name).lowercased()
    }
}

/// Marks for secrets that stand in a text literally.
struct LiteralSecretMarks: SecretMasks {
    let reader: ExportMarkReader
    let label: String

    func name(of secret: String) -> String { reader.hiding(secret, label: label) }
}

extension CredentialMask {
    /// This mask, with what another masks, but for what may be an ordinary word elsewhere, and for marks, which stay: new
    /// secrets cost a search of their own for each target.
    func adding(_ other: CredentialMask, without marks: TemplateMarks) -> CredentialMask {
        adding(
            other.secrets.filter { secret in
                secret.utf8.count >= Self.shortestElsewhere && !marks.isMarked(secret)
            },
            parameters: other.parameters,
            rules: other.rules
        )
    }
}
