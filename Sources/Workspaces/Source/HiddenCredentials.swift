import Documents
import Secrets

/// Hides the credentials of a workspace file in the lines that problems show.
///
///     auth: { basic: { user: ada, password: "x{{ nope }}" } }
///     auth: { basic: { user: ada, password: ••{{ nope }}• } }
///
/// They are found in the parsed tree, so every YAML notation works: everything below a secret key, and the
/// credentials within other texts. Each character becomes one sign, so that columns stay the same. Templates
/// stay readable, and a value of nothing else is shown as it is.
struct HiddenCredentials: Sendable {
    private struct Range: Hashable {
        let start: YAMLPlace
        let end: YAMLPlace
        /// The key above the range.
        let key: String
        /// Whether the credential itself stands there, rather than templates or an alias of it.
        var isLiteral = false
    }

    private var ranges: Set<Range> = []
    /// The places of all texts and aliases, which a comment can only follow.
    private var texts: [(start: YAMLPlace, end: YAMLPlace, isBlock: Bool)] = []

    /// Nil if the text is not YAML, or has more values than a workspace may have.
    init?(of text: String) {
        let limit = 2 * YAMLTreeBuilder.maximumNodes
        // `YAMLReader` reports the reason.
        guard let root = try? YAMLValue.parse(text, maximumValues: limit) else {
            if text.isEmpty { return }
            return nil
        }
        guard add(root, limit: limit) else { return nil }
    }

    /// False if aliases expand to more than `limit` values.
    private mutating func add(_ root: YAMLValue, limit: Int) -> Bool {
        var waiting = [(value: root, key: "", schema: WorkspaceSchema.root)]
        var count = 0
        while let (value, key, schema) = waiting.popLast() {
            count += 1
            guard count <= limit else { return false }
            if let alias = value.alias { addText(alias.place, alias.end) }
            switch value.content {
            case .scalar(let text, let style):
                addText(value.place, value.end, isBlock: style == .block)
                if schema.isCredential(text) { hide(value, key) } else { addParts(value, key) }
            case .sequence(let values):
                waiting += values.map { ($0, key, schema) }
            case .mapping(let members):
                for (name, member) in members {
                    let text = name.text.map(Self.trimmed)
                    let inner = text.map { schema.member($0, member) } ?? .credential
                    let innerKey = schema == .credential ? key : text ?? key
                    if inner == .credential { hide(member, innerKey) }
                    waiting.append((member, innerKey, inner))
                    waiting.append((name, key, schema == .credential ? .credential : .free))
                    // If a mapping stands where a credential is expected, its keys are parts of the credential.
                    if !schema.mayShow(key: text ?? "") { hide(name, key) }
                }
            case .unknown: break
            }
        }
        return true
    }

    private mutating func addText(_ start: YAMLPlace, _ end: YAMLPlace, isBlock: Bool = false) {
        texts.append((start, end, isBlock))
    }

    /// Hides a value and everything in it; for an alias, both the alias and the anchored value.
    private mutating func hide(_ value: YAMLValue, _ key: String) {
        if Self.isOnlyTemplates(value) { return }
        if let alias = value.alias {
            ranges.insert(Range(start: alias.place, end: alias.end, key: key))
        }
        let isLiteral =
            value.text.map { !$0.isEmpty && !$0.contains("{{") } ?? false && !value.isSwitch
        ranges.insert(
            Range(start: value.place, end: value.end, key: key, isLiteral: isLiteral)
        )
    }

    /// Whether a value is of templates alone, and stands in the file without an anchor or a tag.
    private static func isOnlyTemplates(_ value: YAMLValue) -> Bool {
        guard value.alias == nil, case .scalar(let text, let style) = value.content else {
            return false
        }
        let columns = text.unicodeScalars.count + (style == .quoted ? 2 : 0)
        return CredentialText.isOnlyTemplates(text) && value.end.line == value.place.line
            && value.end.column - value.place.column == columns
    }

    /// Hides the credentials in a text; all of it if their columns are not known.
    private mutating func addParts(_ value: YAMLValue, _ key: String) {
        guard case .scalar(let text, let style) = value.content else { return }
        let parts = CredentialText(text).parts
        guard !parts.isEmpty else { return }
        let quote = style == .quoted ? 1 : 0
        // With escapes, an anchor or a tag, the text is longer in the file.
        let isAsWritten =
            value.end.line == value.place.line
            && value.end.column - value.place.column == text.unicodeScalars.count + 2 * quote
        guard isAsWritten else { return hide(value, key) }
        for part in parts {
            var (start, end) = (value.place, value.place)
            start.column += part.lowerBound + quote
            end.column += part.upperBound + quote
            let scalars = text.unicodeScalars.dropFirst(part.lowerBound).prefix(part.count)
            let isLiteral = !String(String.UnicodeScalarView(scalars)).contains("{{")
            ranges.insert(Range(start: start, end: end, key: key, isLiteral: isLiteral))
        }
    }

    /// The places of the credentials that stand in the file themselves, and the keys above them.
    var literals: [(place: YAMLPlace, length: Int, key: String)] {
        ranges.filter(\.isLiteral).map { range in
            let isOneLine = range.start.line == range.end.line
            let length = isOneLine ? range.end.column - range.start.column : 1
            return (range.start, length, range.key)
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    // MARK: showing

    /// A part of a line, beginning at a column from 0, with its credentials and comments hidden.
    func hiding(_ part: String, from column: Int, of span: Span) -> String {
        var scalars = Array(part.unicodeScalars)
        var isHidden = Array(repeating: false, count: scalars.count)
        let end = column + scalars.count
        for columns in columns(of: span.line) + [comment(in: span)] where columns.lowerBound < end {
            let columns = columns.clamped(to: column..<end)
            for index in columns { isHidden[index - column] = true }
        }
        var index = column == 0 ? scalars.firstIndex { $0 != " " } ?? 0 : 0
        while index < scalars.count {
            guard isHidden[index] else {
                index += 1
                continue
            }
            if let end = CredentialText.endOfTemplate(at: index, in: scalars) {
                index = end
            } else {
                scalars[index] = CredentialText.sign
                index += 1
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The key of the credential at a problem's place; nil if there is none, or if the place is a template in it.
    func key(at span: Span) -> String? {
        let place = span.column - 1..<span.column - 1 + span.length
        let found = ranges.filter { columns(of: $0, in: span.line)?.overlaps(place) == true }
        guard let key = found.map(\.key).min(), let line = span.source.line(span.line) else {
            return nil
        }
        let scalars = Array(line.unicodeScalars.dropFirst(place.lowerBound).prefix(place.count))
        let isTemplate = CredentialText.endOfTemplate(at: 0, in: scalars) == place.count
        return isTemplate ? nil : key
    }

    private func columns(of line: Int) -> [Swift.Range<Int>] {
        ranges.compactMap { columns(of: $0, in: line) }
    }

    private func columns(of range: Range, in line: Int) -> Swift.Range<Int>? {
        guard range.start.line <= line, line <= range.end.line else { return nil }
        let start = range.start.line == line ? range.start.column - 1 : 0
        let end = range.end.line == line ? range.end.column - 1 : Int.max
        return start..<max(start, end)
    }

    /// The columns of the line's comment: from the first `#` after all texts.
    private func comment(in span: Span) -> Swift.Range<Int> {
        var start = 0
        for text in texts where text.start.line <= span.line && span.line <= text.end.line {
            let isLast = text.end.line == span.line
            // A comment can also follow the `|` of a block scalar.
            let isHead = text.isBlock && text.start.line == span.line
            guard isLast || isHead else { return 0..<0 }
            start = max(start, isHead ? text.start.column : text.end.column - 1)
        }
        let scalars = (span.source.line(span.line) ?? "").unicodeScalars.enumerated()
        let mark = scalars.first { $0.offset >= start && $0.element == "#" }
        return mark.map { $0.offset..<Int.max } ?? 0..<0
    }
}

extension YAMLValue {
    /// Whether it is true, false or null, none of which is a credential: `automountToken: true`.
    var isSwitch: Bool {
        guard case .scalar(let text, .plain) = content else { return false }
        return ["true", "false", "null", "~"].contains(text)
    }
}

/// Where in a workspace file a value is, which decides whether it is a credential.
enum WorkspaceSchema {
    case root
    /// The keys of a target, an environment, a batch or a chain.
    case settings
    /// Targets and groups, by name.
    case items
    /// Environments, batches and chains, by name.
    case names
    case variables
    /// A secret's origin: `{ env: NAME }` or `{ file: path }`.
    case origin
    case authorization
    /// `oauth2`, `aws` and `custom`, in which some keys have credentials.
    case signing
    case cache
    case captures
    /// Values to send, and everything else without fixed keys.
    case free
    /// A credential and everything in it.
    case credential

    /// The schema of a member's value.
    func member(_ key: String, _ value: YAMLValue) -> WorkspaceSchema {
        if key == "<<" { return self }
        switch self {
        case .root:
            switch key {
            case "targets": return .items
            case "environments", "batches", "chains": return .names
            default: return Self.settings.member(key, value)
            }
        case .settings:
            switch key {
            case "auth": return .authorization
            case "cache": return .cache
            case "capture": return .captures
            case "variables": return .variables
            case "json", "form", "body", "headers", "query", "set": return .free
            default: return CredentialText.isSecret(key) ? .credential : .settings
            }
        case .items:
            if Self.isRequest(value) { return .settings }
            if Self.isGroup(value) { return .items }
            return Self.settings.member(key, value)
        case .names:
            return value.text == nil ? .settings : Self.settings.member(key, value)
        case .variables:
            if case .mapping = value.content { return .origin }
        case .origin: return Self.originNames.contains(key) ? .free : .credential
        case .authorization:
            if ["basic", "digest", "ntlm", "apiKey"].contains(key) { return .authorization }
            if ["oauth2", "aws", "custom"].contains(key), value.text == nil { return .signing }
            if ["user", "in", "name", "netrc"].contains(key) || value.text == "" { return .free }
            if key == "negotiate", value.text == "true" { return .free }
            return Self.namesScheme(key, value) ? .free : .credential
        case .signing:
            if ["clientSecret", "password", "accessKey", "secretKey", "sessionToken"].contains(key)
            {
                return value.text == nil ? .origin : .credential
            }
            if Self.signingNames.contains(key) { return .free }
            return .credential
        case .cache:
            if key == "key" { return .free }
            if key == "password", value.text == nil { return .origin }
        case .captures:
            let isPath = value.text.map { $0.hasPrefix("$") || $0.hasPrefix("header:") }
            if isPath == true { return .free }
        case .credential: return .credential
        case .free: break
        }
        return CredentialText.isSecret(key) ? .credential : .free
    }

    /// Whether a text in this place is a credential.
    func isCredential(_ text: String) -> Bool {
        self == .credential || self == .authorization && text != "none" && text != ""
    }

    /// Whether a key may be shown; where only credentials belong, only if it is a known key or close to one.
    func mayShow(key: String) -> Bool {
        let known: [String]
        switch self {
        case .authorization:
            known =
                FormatSection[.auth].names + FormatSection[.credentials].names
                + FormatSection[.apiKey].names
        // What is close to `secret` may be one.
        case .origin: known = Self.originNames.filter { $0 != "secret" } + ["default"]
        default: return true
        }
        return Suggestion.nearest(to: key, among: known + ["<<"]) != nil
            || CredentialText.isSecret(key) || Self.partNames.contains(key.lowercased())
    }

    /// The keys of a variable that say where its value comes from, and have no credential.
    private static let originNames = [
        "env", "file", "command", "timeout", "ask", "secret", "choices", "from", "capture",
        "expires",
    ]

    /// What the parts of credentials are called elsewhere; as keys they say what is wrong, and nothing secret.
    private static let partNames: Set<String> = [
        "type", "kind", "scheme", "method", "mode", "name", "user", "username", "login", "email",
        "id", "key", "keyid", "value", "header", "headers", "in", "at", "prefix", "query", "param",
        "realm", "client", "clientid", "grant", "granttype", "scope", "scopes", "audience",
        "issuer", "region", "service", "url", "tokenurl", "authurl", "cookie", "from", "env",
        "file", "command", "variable", "algorithm", "enabled", "description", "none",
    ]
    /// The keys of `oauth2`, `aws` and `custom`.
    private static let signingNames = Set(FormatSection.signingSections.flatMap(\.names))

    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "none", "token", "apikey", "api-key", "oauth", "oauth1",
        "oauth2", "jwt", "aws", "awsv4", "sigv4", "hawk", "ntlm", "negotiate", "inherit",
    ]

    /// Whether a member names a way to prove who one is: `type: bearer`.
    private static func namesScheme(_ key: String, _ value: YAMLValue) -> Bool {
        ["type", "kind", "scheme", "method", "mode"].contains(key.lowercased())
            && value.text.map { schemes.contains($0.lowercased()) } == true
    }

    private static func isRequest(_ value: YAMLValue) -> Bool {
        switch value.content {
        case .scalar(let text, _): TargetDecoder.isRequestLine(text)
        case .mapping(let members): members.prefix(20).contains { $0.key.text == "request" }
        default: false
        }
    }

    private static func isGroup(_ value: YAMLValue) -> Bool {
        guard case .mapping(let members) = value.content else { return false }
        return members.prefix(20).contains { isRequest($0.value) }
    }
}
