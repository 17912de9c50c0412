package import HTTPTypes

/// Takes credentials out of requests and answers that are recorded or logged.
package struct CredentialMask: Sendable {
    /// What stands for a secret.
    package static let mask = "••••••"

    /// Parameters, form fields and JSON members that carry credentials, in lower case.
    private static let parameters: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "api-key",
        "key", "password", "passwd", "secret", "client_secret", "signature", "sig", "code",
        "x-amz-signature", "x-amz-security-token",
    ]

    private let secrets: [String]
    private let isOn: Bool

    /// Masks the fields and parameters that carry credentials by their names,
    /// and these secrets wherever they stand.
    package init(secrets: [String] = []) {
        // The longest first, lest a part of one is masked and the rest stays.
        let known = secrets.filter { !$0.isEmpty }
        self.secrets = Set(known + known.map(Self.percentEncoded))
            .sorted { ($0.utf8.count, $0) > ($1.utf8.count, $1) }
        isOn = true
    }

    private init(isOn: Bool) {
        secrets = []
        self.isOn = isOn
    }

    /// Masks nothing: only for who asks for it by name.
    package static let nothing = CredentialMask(isOn: false)

    /// The request without its secrets.
    package func masking(_ request: PreparedRequest) -> PreparedRequest {
        guard isOn else { return request }
        var request = request
        request.head.authority = request.head.authority.map(maskingUser)
        request.head.path = request.head.path.map(maskingQuery)
        request.head.headerFields = masking(request.head.headerFields)
        if case .bytes(let bytes) = request.body {
            request.body = .bytes(masking(bytes, isForm: Self.isForm(request.head.headerFields)))
        }
        return request
    }

    /// The fields without their secrets.
    package func masking(_ fields: HTTPFields) -> HTTPFields {
        guard isOn else { return fields }
        var masked = HTTPFields()
        for field in fields {
            let value =
                SecretFields.contains(field.name) ? Self.mask : masking(text: field.value)
            masked.append(value == field.value ? field : HTTPField(name: field.name, value: value))
        }
        return masked
    }

    /// The bytes without known secrets, and as a form without credentials.
    package func masking(_ bytes: [UInt8], isForm: Bool = false) -> [UInt8] {
        guard isOn, isForm || !secrets.isEmpty,
            let text = String(validating: bytes, as: UTF8.self)
        else { return bytes }
        return Array((isForm ? maskingPairs(text[...]) : masking(text: text)).utf8)
    }

    /// The text without known secrets.
    package func masking(text: String) -> String {
        guard isOn else { return text }
        return secrets.reduce(text) { $0.replacing($1, with: Self.mask) }
    }

    /// The URL without its secrets.
    package func masking(url: String) -> String {
        guard isOn else { return url }
        return maskingQuery(ApusError.RequestLine(method: "", url: url).url)
    }

    /// Whether a parameter or a member of this name carries a credential.
    package static func isSecret(parameter name: String) -> Bool {
        parameters.contains(name.lowercased())
    }

    private func maskingUser(_ authority: String) -> String {
        guard let at = authority.lastIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        else { return masking(text: authority) }
        return "\(authority[...colon])\(Self.mask)\(authority[at...])"
    }

    private func maskingQuery(_ target: String) -> String {
        guard let mark = target.firstIndex(of: "?") else { return masking(text: target) }
        let query = target[target.index(after: mark)...]
        return masking(text: String(target[...mark])) + maskingPairs(query)
    }

    private func maskingPairs(_ text: Substring) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            guard let equals = pair.firstIndex(of: "="),
                Self.isSecret(parameter: String(pair[..<equals]))
            else { return masking(text: String(pair)) }
            return "\(pair[...equals])\(Self.mask)"
        }.joined(separator: "&")
    }

    private static func isForm(_ fields: HTTPFields) -> Bool {
        fields[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false
    }

    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            let scalar = Unicode.Scalar(byte)
            let isKept =
                byte < 0x80
                && (scalar.properties.isAlphabetic || "0123456789-._~".utf8.contains(byte))
            return isKept ? String(scalar) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
        }.joined()
    }
}
