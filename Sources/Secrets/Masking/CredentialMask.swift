import Documents
import FoundationEssentials
package import HTTPTypes

/// Removes credentials from everything that is shown, logged, printed or recorded.
///
/// Only this type knows what a secret looks like: a password in a URL, parameters and header fields with
/// certain names, and texts that are known to be secret. Values that a program gets are never masked. Code
/// that shows a request asks that request for its mask.
package struct CredentialMask: Sendable {
    /// Replaces a secret.
    package static let mask = "••••••"

    /// The texts to look for.
    package private(set) var secrets: Set<String>
    private(set) var forms: SecretMatcher
    /// The names of parameters that are secret in addition to the usual ones.
    package private(set) var parameters: Set<String>
    /// A workspace's own rules about secrets.
    package private(set) var rules: SecretRules
    /// Gives each secret a mask of its own; nil to use the same mask for all.
    private(set) var names: (any SecretMasks)?
    /// Whether it masks anything.
    package let isOn: Bool

    /// Masks fields and parameters whose name, usual or in `parameters`, is that of a credential, these
    /// secrets anywhere, and what `rules` say.
    package init(
        secrets: [String] = [],
        parameters: Set<String> = [],
        rules: SecretRules = SecretRules()
    ) {
        // Most masks have no secrets of their own and share the inherited ones.
        self.secrets = secrets.isEmpty ? Self.inherited : Self.inherited.union(secrets)
        forms = secrets.isEmpty ? Self.inheritedForms : .of(self.secrets)
        self.parameters = parameters
        self.rules = rules
        isOn = true
    }

    private init(isOn: Bool) {
        secrets = []
        forms = .of([])
        parameters = []
        rules = SecretRules()
        self.isOn = isOn
    }

    /// Masks nothing, for callers that explicitly want that.
    package static let nothing = CredentialMask(isOn: false)

    /// This mask, with a distinct mask for each secret.
    package func naming(_ names: any SecretMasks) -> CredentialMask {
        var mask = self
        mask.names = names
        return mask
    }

    /// This mask, with these secrets, which are masked anywhere, and with these parameters and rules.
    package func adding(
        _ secrets: Set<String>,
        parameters: Set<String> = [],
        rules: SecretRules = SecretRules()
    ) -> CredentialMask {
        let hasNew = !secrets.isSubset(of: self.secrets)
        guard isOn, hasNew || !parameters.isEmpty || !rules.isEmpty else { return self }
        var mask = self
        if hasNew {
            mask.secrets.formUnion(secrets)
            mask.forms = .of(mask.secrets)
        }
        mask.parameters.formUnion(parameters)
        if !rules.isEmpty { mask.rules.formUnion(rules) }
        return mask
    }

    /// The secrets in the environment's proxy variables, which libcurl reads and mentions for each request.
    private static let inherited = ProxySecrets.secrets(in: ProcessInfo.processInfo.environment)
    private static let inheritedForms = SecretMatcher.of(inherited)

    /// Whether texts are searched for known secrets.
    package var hasSecrets: Bool { !forms.isEmpty }

    // MARK: text

    /// Larger values are abbreviated: this is more than a line shows, and fast to mask.
    package static let longestInLine = 64 << 10

    /// The text without known secrets.
    package func masking(text: String) -> String { masking(text: text, isCut: false) }

    private func masking(text: String, isCut: Bool) -> String {
        guard isOn else { return text }
        guard !forms.isEmpty else { return maskingMatches(in: text) ?? text }
        var text = text
        let masked = text.withUTF8 { bytes in
            forms.masking(bytes, isCut: isCut) { name(ofForm: $0, in: bytes) }
        }
        let shown = masked.map { String(decoding: $0, as: UTF8.self) } ?? text
        return maskingMatches(in: shown) ?? shown
    }

    /// The text without what patterns match; nil if nothing matches.
    func maskingMatches(in text: String) -> String? {
        guard !rules.patterns.isEmpty else { return nil }
        var text = text
        return text.withUTF8 { maskingMatches(in: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private func maskingMatches(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let found = rules.matches(in: bytes)
        guard !found.isEmpty else { return nil }
        // A match's secret is the match without its escapes.
        return bytes.replacing(Array(found.keys)) { range, text in
            name(of: range, in: text) { found[range] ?? $0 }
        }
    }

    /// The URL, or its path with the query, without its secrets.
    package func masking(url: String) -> String {
        guard isOn else { return url }
        // A secret may contain a blank or a `?`, so it is searched for before the text is taken apart.
        return maskingPlaces(in: masking(text: url), as: .url)
    }

    /// An argument that was meant as a URL but may be none; everything before its last `@` counts as a user.
    package func masking(argument text: String) -> String {
        let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
        guard isOn, let at = text.lastIndex(of: "@"), start < at,
            start > text.startIndex || text[..<at].contains(":")
        else { return masking(url: text) }
        return text[..<start] + Self.mask + masking(url: String(text[at...]))
    }

    /// A line for people, without known secrets and without those of the URLs in it.
    package func masking(line: String) -> String { masking(line: line, isCut: false) }

    /// The same; if the line may have been cut, the beginning of a secret at its end is masked too.
    package func masking(line: String, isCut: Bool) -> String {
        guard isOn else { return line }
        return maskingPlaces(in: masking(text: line, isCut: isCut), as: .line)
    }

    private func maskingPlaces(in text: String, as kind: URLCredentials.Kind) -> String {
        // Most lines have none, and this runs for all recorded fields.
        guard URLCredentials.mayHave(text) else { return text }
        let places = URLCredentials(in: text, as: kind, by: self, for: .places).places
        return text.replacing(places, with: name(ofPlace:in:))
    }

    /// A header line ("Name: value") or any other line, without its secrets.
    package func masking(headerLine line: String) -> String {
        guard isOn else { return line }
        guard let colon = line.unicodeScalars.dropFirst().firstIndex(of: ":"),
            let name = HTTPField.Name(String(line[..<colon])),
            isSecret(field: name) || Self.isChallenge(name)
        else { return masking(line: line) }
        let value = String(line[colon...].dropFirst().drop { $0 == " " })
        return "\(line[..<colon]): \(masking(value: value, of: name))"
    }

    /// A line of a wire trace without its secrets.
    ///
    /// A remark may quote a header line in brackets, as libcurl does for HTTP/2 ("h2h3 [authorization: …]"),
    /// or a URL. A line that may have been cut may end in a part of a secret.
    package func masking(traced line: String, isRemark: Bool, isCut: Bool) -> String {
        guard isOn else { return line }
        let line = masking(text: line, isCut: isCut)
        // libcurl quotes the cookies that it keeps and the users that it logs in.
        for (before, after) in [("ed cookie ", "="), ("auth using ", "user '")]
        where isRemark && line.firstRange(of: before) != nil {
            return (line.firstRange(of: after).map { line[..<$0.upperBound] } ?? "") + Self.mask
        }
        guard isRemark, let start = Self.quotedHeader(in: line) else {
            return masking(headerLine: line)
        }
        let isClosed = line.utf8.last == UInt8(ascii: "]")
        let inner = String(isClosed ? line[start...].dropLast() : line[start...])
        return maskingPlaces(in: String(line[..<start]), as: .line) + masking(headerLine: inner)
            + (isClosed ? "]" : "")
    }

    /// The place after a bracket that is followed by a header name and a colon; nil if there is none.
    private static func quotedHeader(in line: String) -> String.Index? {
        line.utf8.indices.lazy.filter { line.utf8[$0] == UInt8(ascii: "[") }
            .map { line.utf8.index(after: $0) }
            .first { start in
                let name = line.utf8[start...].prefix { !": []".utf8.contains($0) }
                let isPseudo = line.utf8[start...].first == UInt8(ascii: ":")
                return isPseudo
                    || !name.isEmpty && name.endIndex < line.utf8.endIndex
                        && line.utf8[name.endIndex] == UInt8(ascii: ":")
            }
    }

    // MARK: messages

    /// The head of a request without its secrets; nil if it has none, as is usual.
    package func masked(_ head: HTTPRequest) -> HTTPRequest? {
        guard isOn else { return nil }
        let authority = head.authority.map { authority in
            let user = URLCredentials(in: authority, as: .authority, by: self, for: .places).places
            return masking(text: authority.replacing(user, with: name(ofPlace:in:)))
        }
        let path = head.path.map { masking(url: $0) }
        let fields = maskedFields(head.headerFields)
        guard authority != head.authority || path != head.path || fields != nil else { return nil }
        var masked = head
        masked.authority = authority
        masked.path = path
        if let fields { masked.headerFields = fields }
        return masked
    }

    /// The fields without their secrets.
    package func masking(_ fields: HTTPFields) -> HTTPFields { maskedFields(fields) ?? fields }

    /// The same; nil if no field has a secret.
    private func maskedFields(_ fields: HTTPFields) -> HTTPFields? {
        guard isOn else { return nil }
        let values = fields.map { masking(value: $0.value, of: $0.name) }
        // Most fields have no secrets, and comparing is faster than building new fields.
        guard !zip(fields, values).allSatisfy({ $0.value == $1 }) else { return nil }
        var masked = HTTPFields()
        for (field, value) in zip(fields, values) {
            masked.append(value == field.value ? field : HTTPField(name: field.name, value: value))
        }
        return masked
    }

    /// The bytes without known secrets and, for a form, without its credentials; they need not be UTF-8.
    package func masking(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8] {
        guard isOn else { return bytes }
        var bytes = isForm ? masking(form: bytes) : bytes
        let known = bytes.withUnsafeBufferPointer { text in
            forms.masking(text) { name(ofForm: $0, in: text) }
        }
        if let known { bytes = known }
        guard !rules.patterns.isEmpty else { return bytes }
        return bytes.withUnsafeBufferPointer { maskingMatches(in: $0) } ?? bytes
    }

    /// The bytes of a form without its credentials.
    package func masking(form bytes: [UInt8]) -> [UInt8] {
        guard isOn else { return bytes }
        return bytes.withUnsafeBufferPointer { text in
            let places = URLCredentials(in: text, as: .form, by: self, for: .places).places
            return places.isEmpty ? bytes : text.replacing(places, with: name(ofPlace:in:))
        }
    }

    // MARK: names

    /// Whether a parameter or a member of this name carries a credential, by the usual names or those in
    /// `own`; escapes in the name are decoded.
    @inlinable
    package static func isSecret(
        parameter name: some StringProtocol,
        among own: Set<String> = []
    ) -> Bool {
        isSecret(parameter: Substring(name), among: own)
    }

    /// The same for a part of a text: not generic, so that callers of other modules are not slow.
    package static func isSecret(parameter name: Substring, among own: Set<String> = []) -> Bool {
        let mayBe = name.utf8.withContiguousStorageIfAvailable(SecretFields.mayContain) ?? true
        guard mayBe || !own.isEmpty else { return false }
        let name = PercentEncoding.decodedForm(name)
        return own.contains(name) || SecretFields.contains(parameter: name)
    }

    /// Whether a field of this name carries a credential.
    package func isSecret(field name: HTTPField.Name) -> Bool {
        SecretFields.contains(name) || rules.contains(name.canonicalName)
    }

    /// Whether a member of this name carries a credential.
    package func isSecret(member name: String) -> Bool {
        rules.contains(name) || Self.isSecret(parameter: name)
    }

    /// Whether a value in a document is a credential by its name, by the usual names or those in `own`.
    func isCredential(
        _ value: SecretFields.Found,
        named name: String,
        among own: Set<String> = []
    ) -> Bool {
        rules.contains(name)
            || Self.isSecret(parameter: name, among: own)
                && SecretFields.isCredential(value, named: name)
    }

    /// Whether a parameter with these bytes as its name carries a credential.
    func isSecret(parameter name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !parameters.isEmpty || !rules.names.isEmpty else {
            return Self.isSecret(parameter: name)
        }
        let name = String(decoding: name, as: UTF8.self)
        return Self.isSecret(parameter: name, among: parameters)
            || rules.contains(PercentEncoding.decodedForm(name))
    }

    /// The same for the bytes of a name in a query.
    package static func isSecret(parameter name: UnsafeBufferPointer<UInt8>) -> Bool {
        SecretFields.mayContain(name)
            && isSecret(parameter: String(decoding: name, as: UTF8.self))
    }

    /// `https://ada:secret@host/` becomes `https://ada:••••••@host/`; a user without a password is taken for
    /// a token: `https://••••••@host/`.
    package static func maskingUser(in url: String) -> String {
        // Without an @ there is no user. This runs for every transfer.
        let mayHaveUser =
            url.utf8.withContiguousStorageIfAvailable { $0.contains(0x40) } ?? true
        guard mayHaveUser else { return url }
        let users = URLCredentials(in: url, as: .users, for: .places).places
        return url.replacing(users) { _, _ in mask }
    }
}

extension CredentialMask: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(secrets.count) secrets" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
