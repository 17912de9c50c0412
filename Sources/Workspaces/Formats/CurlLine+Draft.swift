import Documents
import HTTPTypes

extension CurlLine {
    /// The request that the command sends.
    func draft() throws(RequestTextError) -> TargetDraft {
        guard let url, !url.isEmpty else { throw RequestTextError("the curl command has no URL") }
        if let otherScheme, user != nil, !isLenient {
            // Basic would send the password in clear.
            throw RequestTextError(
                "curl's option \(otherScheme) is not supported, and -u would be sent as Basic"
            )
        }
        var draft = TargetDraft(method: verb, url: "")
        draft.takeURL(RequestText.withScheme(isUpload ? named(url) : url))
        for field in headers {
            if let value = field.value {
                draft.takeField(field.name, value)
            } else {
                draft.headers.append(TargetDraft.Row(field.name, nil))
            }
        }
        if !cookies.isEmpty {
            draft.headers.append(
                TargetDraft.Row("Cookie", TargetDraft.literal(cookies.joined(separator: "; ")))
            )
        }
        if let bearer { draft.authorization = .bearer(TargetDraft.literal(bearer)) }
        if let user, otherScheme == nil { draft.authorization = credentials(user) }
        try takeBody(into: &draft)
        if !query.isEmpty { draft.takeQuery(query.joined(separator: "&")) }
        draft.options = options.map { TargetDraft.Row($0.name, TargetDraft.literal($0.value)) }
        if let certificate {
            let setting = Self.setting(certificate, key: key, password: keyPassword)
            draft.options.append(TargetDraft.Row("clientCertificate", setting))
        }
        if !options.contains(where: { $0.name == "proxy" }), let proxy = proxy(for: draft.url) {
            let text = TargetDraft.literal(RequestText.withScheme(proxy))
            draft.options.append(TargetDraft.Row("proxy", text))
        }
        // curl follows no redirects without `-L`.
        if !follows, !options.contains(where: { $0.name == "redirects" }) {
            draft.options.append(TargetDraft.Row("redirects", "0"))
        }
        if isInsecure { draft.options.append(TargetDraft.Row("verifyTLS", "false")) }
        if isHTTP1 { draft.options.append(TargetDraft.Row("httpVersion", "1.1")) }
        if isHTTP2, !isHTTP1 { draft.options.append(TargetDraft.Row("httpVersion", "2")) }
        return draft
    }

    /// The value of `auth` for an option that a draft has no place for; nil if there is none.
    var otherAuthorization: Value? {
        guard let otherScheme else { return nil }
        let parts = (user ?? "").split(
            separator: ":",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        .map { TargetDraft.literal(String($0)) }
        let (name, password) = (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        func pair(_ first: String, _ second: String) -> [Value.Member] {
            [Value.Member(first, .string(name)), Value.Member(second, .string(password))]
        }
        func method(_ name: String, _ value: Value) -> Value {
            .object([Value.Member(name, value)])
        }
        switch otherScheme {
        case "--negotiate": return method("negotiate", .boolean(true))
        case "--ntlm" where !name.isEmpty:
            return method("ntlm", .object(pair("user", "password")))
        case "--anyauth" where !name.isEmpty:
            return method("digest", .object(pair("user", "password")))
        case "--aws-sigv4" where !name.isEmpty:
            var members = pair("accessKey", "secretKey")
            let words = (signature ?? "").split(separator: ":").map(String.init)
            members.append(
                Value.Member("service", .string(words.count > 3 ? words[3] : "execute-api"))
            )
            if words.count > 2 { members.append(Value.Member("region", .string(words[2]))) }
            return method("aws", .object(members))
        default: return nil
        }
    }

    /// Warns about parts of a lenient line that do not go together, or mean more than one request.
    mutating func warnAboutParts() {
        if !form.isEmpty, !data.isEmpty {
            warnings.append("beside a form the data is ignored: \(data.joined(separator: " "))")
        }
        if let bodyFile, !form.isEmpty || !data.isEmpty {
            warnings.append("only the file \(bodyFile) is sent")
        }
        if otherScheme == "--anyauth" {
            warnings.append("--anyauth lets the server choose: Digest stands for it")
        }
        if otherScheme != nil, user != nil, otherAuthorization == nil {
            warnings.append("\(otherScheme ?? "") is ignored: there is no user")
        }
        guard !globsOff else { return }
        for url in urls where Self.isGlob(url) {
            warnings.append("curl makes several URLs of \(url), which is sent as it stands")
        }
    }

    /// Whether a URL has `{a,b}` or `[1-9]` in it.
    private static func isGlob(_ url: String) -> Bool {
        for (open, close, sign) in [("{", "}", ","), ("[", "]", "-")] {
            var rest = url[...]
            while let start = rest.firstRange(of: open) {
                rest = rest[start.upperBound...]
                guard let end = rest.firstRange(of: close) else { break }
                let inner = rest[..<end.lowerBound]
                let isPlain = inner.utf8.allSatisfy {
                    PercentEncoding.isUnreserved($0) || $0 == UInt8(ascii: ",")
                        || $0 == UInt8(ascii: ":")
                }
                if isPlain, inner.dropFirst().contains(sign) { return true }
            }
        }
        return false
    }

    /// The proxy that is assigned before the command for the scheme of its URL.
    private func proxy(for url: String) -> String? {
        let scheme = url.prefix { $0 != ":" }.asciiLowercased
        return (proxies["\(scheme)_proxy"] ?? proxies["all_proxy"]).flatMap {
            $0.isEmpty ? nil : $0
        }
    }

    /// The value of `clientCertificate`; in curl a password can follow the file's name after a colon.
    private static func setting(_ file: String, key: String?, password: String?) -> String {
        var (name, rest) = ("", file.unicodeScalars[...])
        while let scalar = rest.popFirst(), scalar != ":" {
            let isEscape = scalar == "\\" && (rest.first == ":" || rest.first == "\\")
            name.unicodeScalars.append(isEscape ? rest.removeFirst() : scalar)
        }
        var members = [("file", name)]
        if let key { members.append(("key", key)) }
        if let password = password ?? (rest.isEmpty ? nil : String(rest)) {
            members.append(("password", TargetDraft.literal(password)))
        }
        let texts = members.map { "\($0): \(JSON($1).text() ?? "")" }
        return "{ \(texts.joined(separator: ", ")) }"
    }

    /// The URL; as in curl, the name of the uploaded file is appended if the URL ends with `/`.
    private func named(_ url: String) -> String {
        guard let name = bodyFile?.split(separator: "/").last, url.hasSuffix("/") else {
            return url
        }
        return url + PercentEncoding.component(String(name))
    }

    private var verb: String {
        if let method { return method }
        if isHead { return "HEAD" }
        if isUpload { return "PUT" }
        let hasBody = bodyFile != nil || !form.isEmpty || !data.isEmpty
        return hasBody && !isQuery ? "POST" : "GET"
    }

    private func credentials(_ text: String) -> TargetDraft.Authorization {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            .map { TargetDraft.literal(String($0)) }
        let (user, password) = (parts[0], parts.count > 1 ? parts[1] : "")
        return isDigest
            ? .digest(user: user, password: password) : .basic(user: user, password: password)
    }

    private func takeBody(into draft: inout TargetDraft) throws(RequestTextError) {
        let text = data.joined(separator: isJSON ? "" : "&")
        if isQuery {
            if let bodyFile {
                throw Self.file(bodyFile, "-G")
            }
            if !text.isEmpty { draft.takeQuery(text) }
            return
        }
        guard bodyFile == nil || form.isEmpty && data.isEmpty || isLenient else {
            throw Self.combined("a file")
        }
        guard form.isEmpty || data.isEmpty || isLenient else { throw Self.combined("a form") }
        let type =
            isJSON
            ? "application/json"
            : isUpload || data.isEmpty && bodyFile == nil
                ? nil : "application/x-www-form-urlencoded"
        if let type, !draft.hasField("content-type") {
            draft.headers.append(TargetDraft.Row("Content-Type", type))
        }
        if isJSON, !draft.hasField("accept") {
            draft.headers.append(TargetDraft.Row("Accept", "application/json"))
        }
        // `Content-Type:` without a value removes the type that curl would send.
        if let bodyFile {
            draft.body = .file(TargetDraft.literal(bodyFile))
        } else if !form.isEmpty {
            draft.body = .multipart(form)
        } else if !data.isEmpty {
            draft.takeBody(text)
        }
    }
}
