import Apus
import Documents
import HTTPTypes

/// A request that is pasted or typed: a `curl` command, a URL, or the text of an HTTP message.
///
/// Files are not read and shell variables are not expanded. Credentials stay in the draft in clear; screens mask
/// them.
public struct RequestText: Sendable, Hashable {
    /// The request.
    public var draft: TargetDraft
    /// A suggested name: "users 7".
    public var name: String
    /// Warnings about parts that were left out, and about saving it.
    public var warnings: [String]

    /// The longest text that is read, in bytes.
    private static let maximumSize = 1 << 20

    /// Reads a request.
    ///
    /// - Throws: `CatalogProblem` that says what cannot be read.
    public init(_ text: String) throws(CatalogProblem) {
        guard text.utf8.count <= Self.maximumSize else {
            throw CatalogProblem("the text of a request is limited to 1 MiB")
        }
        let text = Self.trimmed(text)
        if let command = Self.curlCommand(in: text) {
            try self.init(curl: command)
        } else if let message = RawRequest(text) {
            try self.init(try message.draft(), message.warnings)
        } else if Self.isURL(text) {
            var draft = TargetDraft(method: "GET", url: "")
            draft.takeURL(Self.withScheme(text))
            try self.init(draft, [])
        } else {
            throw CatalogProblem(
                text.isEmpty
                    ? "there is no text to read a request from"
                    : "this is neither a curl command, nor a URL, nor an HTTP request"
            )
        }
    }

    /// Whether a text is probably meant as a request instead of a file name.
    public static func isProbable(_ text: String) -> Bool {
        let text = trimmed(text)
        return curlCommand(in: text) != nil || hasScheme(text) || RawRequest(text) != nil
    }

    private init(curl command: String) throws(CatalogProblem) {
        guard let words = ShellWords(command) else {
            throw CatalogProblem("the curl command has an unclosed quote")
        }
        var line = CurlLine()
        try line.read(words.words)
        if words.hasMore { line.warnings.append("the text after the curl command is ignored") }
        if words.hasExpansion {
            line.warnings.append("shell variables are not expanded: write `{{ name }}`")
        }
        try self.init(try line.draft(), line.warnings)
    }

    private init(_ draft: TargetDraft, _ warnings: [String]) throws(CatalogProblem) {
        guard !draft.url.isEmpty, !draft.url.hasSuffix("://") else {
            throw CatalogProblem("the request has no host")
        }
        self.draft = draft
        name = draft.suggestedName
        self.warnings = warnings
        for path in draft.filePaths { self.warnings.append("it sends the file \(path)") }
        let names = draft.usedNames
        if !names.isEmpty {
            let list = names.map { "`\($0)`" }.joined(separator: ", ")
            self.warnings.append("it uses this workspace's \(list)")
        }
        if draft.hasCredential {
            self.warnings.append(
                "it contains a credential, which saving writes to the file in clear; a variable "
                    + "`{ env: NAME }` keeps it out"
            )
        }
    }

    /// The curl command, without a shell prompt that was copied with it; nil if it is none.
    private static func curlCommand(in text: String) -> String? {
        let hasPrompt = ["$ ", "% ", "# ", "> "].contains { text.hasPrefix($0) }
        let rest = hasPrompt ? String(text.dropFirst(2)) : text
        let word = rest.unicodeScalars.prefix { !$0.properties.isWhitespace }
        return ["curl", "curl.exe"].contains(String(word)) ? rest : nil
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
        let count = scalars.reversed().drop { $0.properties.isWhitespace }.count
        return String(scalars.prefix(count))
    }

    private static func isURL(_ text: String) -> Bool {
        // `{{ name }}` may contain blanks.
        var rest = Substring(text)
        while let open = rest.firstRange(of: "{{") {
            guard !rest[..<open.lowerBound].contains(where: \.isWhitespace) else { return false }
            guard let close = rest.firstRange(of: "}}") else { return false }
            rest = rest[max(open.upperBound, close.upperBound)...]
        }
        return !rest.contains(where: \.isWhitespace) && (hasScheme(text) || hasHost(text))
    }

    static func hasScheme(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// Whether it begins with `localhost`, a name with a dot, or a host and a port.
    private static func hasHost(_ text: String) -> Bool {
        let authority = text.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, !host.isEmpty else { return false }
        if parts.count == 2 { return UInt16(String(parts[1])) != nil }
        let hasDot = Substring(host.dropFirst()).contains(where: HostName.dots.contains)
        return parts.count == 1 && (String(host) == "localhost" || hasDot)
    }

    /// The URL with a lowercase scheme; `http` if it has none, as in curl.
    static func withScheme(_ url: String) -> String {
        guard let mark = url.utf8.firstRange(of: "://".utf8) else { return "http://\(url)" }
        return url[..<mark.lowerBound].lowercased() + url[mark.lowerBound...]
    }
}

/// An HTTP/1.1 request as text: a request line, header fields, and a body after an empty line.
struct RawRequest {
    private let method: String
    private let target: String
    private let fields: [(name: String, value: String)]
    private let body: String
    private(set) var warnings: [String] = []

    /// Nil if the first line is not a request line.
    init?(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.first else { return nil }
        var words = first.split(separator: " ").map(String.init)
        if words.count == 3, words[2].hasPrefix("HTTP/") { words.removeLast() }
        guard words.count == 2, words[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) }),
            HTTPRequest.Method(words[0]) != nil, !words[0].isEmpty,
            words[1].hasPrefix("/") || RequestText.hasScheme(words[1])
        else { return nil }
        (method, target) = (words[0], words[1])
        let head = lines.dropFirst().prefix { !$0.isEmpty }
        fields = head.compactMap { line in
            guard let colon = line.dropFirst().firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
        if fields.count < head.count { warnings.append("lines without a colon are ignored") }
        // Taken from the text, so that the line ends in the body stay as they are.
        let rest = lines.dropFirst(head.count + 2)
        body = rest.first.map { String(text[$0.startIndex...]) } ?? ""
    }

    func draft() throws(CatalogProblem) -> TargetDraft {
        guard !fields.contains(where: { $0.name.lowercased() == "transfer-encoding" }) else {
            throw CatalogProblem(
                "a chunked body cannot be read: paste it without `Transfer-Encoding`"
            )
        }
        var draft = TargetDraft(method: method, url: "")
        draft.takeURL(try url())
        for field in fields where !Self.framing.contains(field.name.lowercased()) {
            draft.takeField(field.name, field.value)
        }
        if !body.isEmpty { draft.takeBody(body) }
        return draft
    }

    /// Fields that the connection sets.
    private static let framing: Set<String> = [
        "host", "content-length", "connection", "proxy-connection",
        "keep-alive", "upgrade",
    ]

    /// The URL from target and `Host`; the scheme is `https`, or `http` for this machine and for port 80.
    private func url() throws(CatalogProblem) -> String {
        guard target.hasPrefix("/") else { return RequestText.withScheme(target) }
        guard let host = fields.first(where: { $0.name.lowercased() == "host" })?.value else {
            throw CatalogProblem(
                "the HTTP request has no `Host` field: write the whole URL instead"
            )
        }
        let name = host.prefix { $0 != ":" }
        let isLocal = name == "localhost" || name == "127.0.0.1" || host.hasSuffix(":80")
        return "\(isLocal ? "http" : "https")://\(host)\(target)"
    }
}

extension TargetDraft {
    /// Takes a URL; its query becomes rows if that changes no byte of it.
    mutating func takeURL(_ text: String) {
        let whole = text.unicodeScalars.prefix { $0 != "#" }
        guard let mark = whole.firstIndex(of: "?") else {
            url = Self.literal(String(whole))
            return
        }
        let pairs = String(whole[whole.index(after: mark)...])
        guard let rows = Self.rows(of: pairs, escape: PercentEncoding.component) else {
            url = Self.literal(String(whole))
            return
        }
        url = Self.literal(String(whole[..<mark]))
        query += rows
    }

    /// Takes a header field; a bearer token becomes the draft's authorization.
    mutating func takeField(_ name: String, _ value: String) {
        let parts = value.split(separator: " ", maxSplits: 1)
        if name.lowercased() == "authorization", parts.count == 2,
            parts[0].lowercased() == "bearer"
        {
            authorization = .bearer(Self.literal(String(parts[1])))
        } else {
            headers.append(Row(name, Self.literal(value)))
        }
    }

    /// Takes a body, as JSON or as a form if its type says so and it is one, else as text.
    mutating func takeBody(_ text: String) {
        let place = headers.firstIndex { $0.name.lowercased() == "content-type" }
        let type = place.flatMap { headers[$0].value }.map { $0.lowercased() } ?? ""
        let isOnly = { (wanted: String) in type == wanted || type == "\(wanted); charset=utf-8" }
        if type.prefix(while: { $0 != ";" }).hasSuffix("json"), let json = try? JSON(parsing: text),
            json.canBeEdited
        {
            body = .json(Self.literal(text, inJSON: true))
            if isOnly("application/json"), let place { headers.remove(at: place) }
        } else if isOnly("application/x-www-form-urlencoded"),
            let rows = Self.rows(of: text, escape: PercentEncoding.form)
        {
            body = .form(rows)
            if let place { headers.remove(at: place) }
        } else {
            body = .text(Self.literal(text))
        }
    }

    /// Names and values; nil if writing them would not give the same text.
    static func rows(of text: String, escape: (String) -> String) -> [Row]? {
        var rows: [Row] = []
        for piece in text.split(separator: "&", omittingEmptySubsequences: false) {
            guard let sign = piece.firstIndex(of: "=") else { return nil }
            let (name, value) = (piece[..<sign], piece[piece.index(after: sign)...])
            let plusIsSpace = escape(" ") == "+"
            guard !name.isEmpty, let decodedName = decoded(name, plusIsSpace),
                let decodedValue = decoded(value, plusIsSpace),
                escape(decodedName) == name, escape(decodedValue) == value
            else { return nil }
            // A list has its name only once, so equal names must follow each other.
            let isKnown = rows.contains { $0.name == decodedName }
            guard !isKnown || rows.last?.name == decodedName else { return nil }
            rows.append(Row(decodedName, literal(decodedValue)))
        }
        return rows
    }

    private static func decoded(_ text: Substring, _ plusIsSpace: Bool) -> String? {
        let decoded = PercentEncoding.decode(Array(text.utf8), plusIsSpace: plusIsSpace)
        return decoded.firstFault == nil ? String(validating: decoded.bytes, as: UTF8.self) : nil
    }

    /// The text with `\` before double braces that are not a `{{ name }}`.
    static func literal(_ text: String, inJSON: Bool = false) -> String {
        var (result, rest) = ("", Substring(text))
        while let open = rest.firstRange(of: "{{") {
            let inside = rest[open.upperBound...]
            let name = inside.prefix { $0 != "}" && $0 != "{" }
            let isReference = inside[name.endIndex...].hasPrefix("}}") && isName(name)
            result += rest[..<open.lowerBound] + (isReference ? "" : inJSON ? "\\\\" : "\\") + "{{"
            rest = inside
        }
        return result + rest
    }

    private static func isName(_ text: Substring) -> Bool {
        let name = text.drop { $0 == " " }.reversed().drop { $0 == " " }
        return !name.isEmpty && name.allSatisfy { $0.isLetter || $0.isNumber || "_-".contains($0) }
    }

    /// A name made of the end of the path, or the host: "users 7".
    var suggestedName: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? Substring(url)
        let parts = rest.prefix { $0 != "?" }.split(separator: "/")
        // The host may follow a user and a password.
        let host = parts.first.map { $0.split(separator: "@").last ?? $0 } ?? "request"
        let path = parts.dropFirst().suffix(2).joined(separator: " ")
        return path.isEmpty ? String(host) : path
    }

    /// The names of the variables that it uses, in order.
    var usedNames: [String] {
        var texts = [url] + (headers + query + options).compactMap(\.value)
        switch authorization {
        case .inherited, .none: break
        case .bearer(let token): texts.append(token)
        case .basic(let user, let password), .digest(let user, let password):
            texts += [user, password]
        }
        switch body {
        case .none: break
        case .text(let text), .json(let text), .file(let text): texts.append(text)
        case .form(let rows), .multipart(let rows): texts += rows.compactMap(\.value)
        case .graphQL(let query, let variables, _): texts += [query, variables]
        }
        var names: [String] = []
        for name in texts.flatMap(TemplateNames.names) where Self.isName(name[...]) {
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// The files that it sends.
    fileprivate var filePaths: [String] {
        switch body {
        case .file(let path): [path]
        case .multipart(let rows): rows.compactMap(\.file?.path)
        case .none, .text, .json, .form, .graphQL: []
        }
    }

    /// Whether it has a secret in clear.
    var hasCredential: Bool {
        let isLiteral = { (text: String) in !text.isEmpty && !text.contains("{{") }
        switch authorization {
        case .inherited, .none: break
        case .bearer(let token): if isLiteral(token) { return true }
        case .basic(_, let password), .digest(_, let password):
            if isLiteral(password) { return true }
        }
        let hasField = headers.contains { row in
            HTTPField.Name(row.name).map(SecretFields.contains) == true
                && row.value.map(isLiteral) == true
        }
        let rows = query + body.formRows
        let hasParameter = rows.contains { row in
            CredentialMask.isSecret(parameter: row.name) && row.value.map(isLiteral) == true
        }
        return hasField || hasParameter || CredentialMask().masking(url: url) != url
            || options.contains(where: \.hasSecretMember)
    }
}

extension TargetDraft.Row {
    /// Whether its value is members in braces, one of them a credential in clear, as the password of
    /// `{ file: ada.pem, password: lovelace }`.
    var hasSecretMember: Bool {
        guard let value, value.hasPrefix("{"), !value.hasPrefix("{{") else { return false }
        return value.split(whereSeparator: { "{},".contains($0) }).contains { member in
            let parts = member.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { return false }
            let words = parts.map { $0.filter { $0 != " " && $0 != "\"" } }
            let (name, value) = (words[0], words[1])
            // A variable in braces has been split off, which leaves no value.
            return !value.isEmpty && CredentialMask.isSecret(parameter: name)
                && !SecretFields.isOrdinary(parameter: name)
        }
    }
}

extension JSON {
    /// Whether it can be kept as values: no member occurs twice, and nesting is within the limit of a catalog.
    fileprivate var canBeEdited: Bool { isEditable(levels: 50) }

    private func isEditable(levels: Int) -> Bool {
        guard levels > 0 else { return false }
        switch kind {
        case .array: return elements.allSatisfy { $0.isEditable(levels: levels - 1) }
        case .object:
            var names: Set<String> = []
            return members.allSatisfy { member in
                names.insert(member.key).inserted && member.value.isEditable(levels: levels - 1)
            }
        default: return true
        }
    }
}
