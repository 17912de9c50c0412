package import HTTPTypes

/// Takes credentials out of what is shown, logged, printed or recorded.
///
/// The one place that knows what a secret looks like: a user's password in a URL, parameters and
/// header fields by their names, and texts that are known to be secret. Values that a program
/// gets are whole; who shows them asks `PreparedRequest.mask`.
package struct CredentialMask: Sendable {
    /// What stands for a secret.
    package static let mask = "••••••"

    /// Parameters, form fields and JSON members that carry credentials, in lower case.
    private static let usual: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "api-key",
        "key", "password", "passwd", "secret", "client_secret", "signature", "sig", "code",
        "x-amz-signature", "x-amz-security-token",
    ]

    /// The lengths that they have, a bit for each, by the last five bits of their first letter.
    private static let lengths: [UInt32] = usual.reduce(
        into: Array(repeating: 0, count: 32)
    ) { lengths, name in
        lengths[Int((name.utf8.first ?? 0) & 31)] |= 1 << UInt32(name.utf8.count)
    }

    private var secrets: [String]
    private var parameters: Set<String>
    private let isOn: Bool

    /// Masks the fields and parameters that carry credentials by their names, also those of
    /// `parameters`, and these secrets wherever they stand.
    package init(secrets: [String] = [], parameters: Set<String> = []) {
        self.secrets = Self.forms(of: secrets)
        self.parameters = parameters
        isOn = true
    }

    private init(isOn: Bool) {
        secrets = []
        parameters = []
        self.isOn = isOn
    }

    /// Masks nothing: only for who asks for it by name.
    package static let nothing = CredentialMask(isOn: false)

    /// This mask, and what a request says of its secrets.
    package func adding(_ request: PreparedRequest) -> CredentialMask {
        // Most requests have no uncommon options at all.
        guard isOn, let options = request.options.shared?.values,
            !options.secretTexts.isEmpty || !options.secretParameters.isEmpty
        else { return self }
        var mask = self
        mask.secrets = Self.forms(of: secrets + options.secretTexts.map(\.value))
        mask.parameters.formUnion(options.secretParameters)
        return mask
    }

    // MARK: text

    /// The text without known secrets.
    package func masking(text: String) -> String {
        guard isOn else { return text }
        return secrets.reduce(text) { $0.replacing($1, with: Self.mask) }
    }

    /// The URL, or its path with the query, without its secrets.
    package func masking(url: String) -> String {
        guard isOn else { return url }
        return masking(text: maskingParameters(in: Self.maskingUser(in: url)))
    }

    /// A line for people without known secrets, and without those of the URLs in it.
    package func masking(line: String) -> String {
        guard isOn else { return line }
        guard line.utf8.contains(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "@") })
        else { return masking(text: line) }
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        return words.map { masking(url: String($0)) }.joined(separator: " ")
    }

    /// A line of a header, "Name: value", without its secrets; any other line too.
    package func masking(headerLine line: String) -> String {
        guard isOn else { return line }
        guard let colon = line.dropFirst().firstIndex(of: ":"),
            let name = HTTPField.Name(String(line[..<colon])), SecretFields.contains(name)
        else { return masking(line: line) }
        return "\(line[...colon]) \(Self.mask)"
    }

    // MARK: messages

    /// The request without its secrets.
    package func masking(_ request: PreparedRequest) -> PreparedRequest {
        guard isOn else { return request }
        let mask = adding(request)
        var request = request
        request.head.authority = request.head.authority.map { authority in
            mask.masking(text: Self.maskingUser(in: authority[...]) ?? authority)
        }
        request.head.path = request.head.path.map { mask.masking(url: $0) }
        request.head.headerFields = mask.masking(request.head.headerFields)
        if case .bytes(let bytes) = request.body {
            let isForm = Self.isForm(request.head.headerFields)
            request.body = .bytes(mask.masking(bytes, isForm: isForm))
        }
        return request
    }

    /// The fields without their secrets.
    package func masking(_ fields: HTTPFields) -> HTTPFields {
        guard isOn else { return fields }
        var masked = HTTPFields()
        for field in fields {
            let value =
                SecretFields.contains(field.name) ? Self.mask : masking(line: field.value)
            masked.append(value == field.value ? field : HTTPField(name: field.name, value: value))
        }
        return masked
    }

    /// The bytes without known secrets, and as a form without credentials.
    package func masking(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8] {
        guard isOn, isForm || !secrets.isEmpty,
            let text = String(validating: bytes, as: UTF8.self)
        else { return bytes }
        return Array(masking(text: isForm ? maskingPairs(text[...]) : text).utf8)
    }

    /// The metrics without the secrets in URLs, fields and the wire trace.
    package func masking(_ metrics: TransferMetrics) -> TransferMetrics {
        guard isOn else { return metrics }
        var metrics = metrics
        metrics.effectiveURL = metrics.effectiveURL.map { masking(url: $0) }
        metrics.redirects = metrics.redirects.map { hop in
            TransferMetrics.Redirect(
                status: hop.status,
                location: masking(url: hop.location),
                url: masking(url: hop.url),
                fields: masking(hop.fields)
            )
        }
        metrics.irregularHeaderLines = metrics.irregularHeaderLines.map {
            masking(headerLine: $0)
        }
        metrics.trace = metrics.trace.map {
            WireTraceEntry(kind: $0.kind, text: masking(headerLine: $0.text))
        }
        return metrics
    }

    // MARK: names

    /// Whether a parameter or a member of this name carries a credential, by its usual names or
    /// those of `own`; escapes in it are read.
    package static func isSecret(
        parameter name: some StringProtocol,
        among own: Set<String> = []
    ) -> Bool {
        let name = PercentEncoding.decodedForm(name)
        return own.contains(name) || usual.contains(name.lowercased())
    }

    /// The pairs of a request's query that carry credentials.
    static func secretPairs(of request: PreparedRequest) -> [Substring] {
        let query = (request.head.path ?? "").drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").filter { pair in
            isSecret(
                parameter: pair.prefix { $0 != "=" },
                among: request.options.secretParameters
            )
        }
    }

    /// Whether a name of ASCII without escapes may be one of a parameter that carries a
    /// credential; false is certain, and found out without making a text of it.
    static func mayBeSecret(parameter name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = name.first, name.count < 32 else { return false }
        return lengths[Int(first & 31)] & 1 << UInt32(name.count) != 0
    }

    // MARK: parts

    /// `https://ada:secret@host/` becomes `https://ada:••••••@host/`.
    static func maskingUser(in url: String) -> String {
        // Without an @ there is no user; this runs for every transfer.
        let mayHaveUser =
            url.utf8.withContiguousStorageIfAvailable { $0.contains(0x40) } ?? true
        guard mayHaveUser, let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let masked = maskingUser(in: authority) else { return url }
        return "\(url[..<scheme.upperBound])\(masked)\(rest[authority.endIndex...])"
    }

    /// Nil for an authority without a password.
    private static func maskingUser(in authority: Substring) -> String? {
        guard let at = authority.lastIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        else { return nil }
        return "\(authority[...colon])\(mask)\(authority[at...])"
    }

    /// `?q=1&token=secret` becomes `?q=1&token=••••••`, and so behind a `#`.
    private func maskingParameters(in url: String) -> String {
        guard
            let mark = url.utf8.firstIndex(where: {
                $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
            })
        else { return url }
        let parts = url[url.index(after: mark)...]
            .split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        return "\(url[...mark])\(parts.map(maskingPairs).joined(separator: "#"))"
    }

    private func maskingPairs(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return String(text) }
        return text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "="),
                Self.isSecret(parameter: pair[..<equals], among: parameters)
            else { return String(pair) }
            return "\(pair[...equals])\(Self.mask)"
        }.joined(separator: "&")
    }

    private static func isForm(_ fields: HTTPFields) -> Bool {
        fields[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
    }

    /// Secrets as they may stand somewhere: plain and escaped.
    private static func forms(of secrets: [String]) -> [String] {
        guard !secrets.isEmpty else { return [] }
        let known = secrets.filter { !$0.isEmpty }
        // The longest first, lest a part of one is masked and the rest stays.
        return Set(known + known.map { PercentEncoding.component($0) })
            .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
    }
}

extension PreparedRequest {
    /// What takes this request's secrets out of anything about it, its answer among it.
    package var mask: CredentialMask { CredentialMask().adding(self) }

    /// The method and URL, as far as they may be shown.
    package var line: ApusError.RequestLine {
        ApusError.RequestLine(method: head.method.rawValue, url: url, mask: mask)
    }
}
