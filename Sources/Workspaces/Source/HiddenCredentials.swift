import Documents

/// The credentials of a workspace file, hidden where a problem shows a line of it.
///
///     auth: { basic: { user: ada, password: "x{{ nope }}" } }
///     auth: { basic: { user: ada, password: ••{{ nope }}• } }
///
/// They are found in the tree of the file, whichever way YAML lets them be written: all that stands
/// below a secret key, and the parts of other texts that hold one. Each character becomes one sign,
/// so that columns stay. What a template names stays readable.
struct HiddenCredentials: Sendable {
    /// From one place to another.
    private struct Range: Hashable {
        let start: YAMLPlace
        let end: YAMLPlace
        /// The key that it stands below.
        let key: String
    }

    private var ranges: Set<Range> = []
    /// All texts and aliases: a comment is behind them.
    private var texts: [(start: YAMLPlace, end: YAMLPlace, isBlock: Bool)] = []

    /// Nil for a text that is no YAML, or has more in it than a workspace may have.
    init?(of text: String) {
        let limit = 2 * YAMLTreeBuilder.maximumNodes
        // Why it is none is told elsewhere.
        guard let root = try? YAMLValue.parse(text, maximumValues: limit) else {
            if text.isEmpty { return }
            return nil
        }
        guard add(root, limit: limit) else { return nil }
    }

    /// False if aliases make more of it than is looked through.
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
                    // Where a mapping stands in a text's place, its keys are that text.
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

    /// Hides a value with all that is in it; one that an alias stands for, also where it is written.
    private mutating func hide(_ value: YAMLValue, _ key: String) {
        if let alias = value.alias {
            ranges.insert(Range(start: alias.place, end: alias.end, key: key))
        }
        ranges.insert(Range(start: value.place, end: value.end, key: key))
    }

    /// Hides the credentials in a text; all of it where they cannot be told from the rest.
    private mutating func addParts(_ value: YAMLValue, _ key: String) {
        guard case .scalar(let text, let style) = value.content else { return }
        let parts = CredentialText(text).parts
        guard !parts.isEmpty else { return }
        let quote = style == .quoted ? 1 : 0
        // With escapes, an anchor or a tag it is longer in the file.
        let isAsWritten =
            value.end.line == value.place.line
            && value.end.column - value.place.column == text.unicodeScalars.count + 2 * quote
        guard isAsWritten else { return hide(value, key) }
        for part in parts {
            var (start, end) = (value.place, value.place)
            start.column += part.lowerBound + quote
            end.column += part.upperBound + quote
            ranges.insert(Range(start: start, end: end, key: key))
        }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }

    // MARK: showing

    /// A part of a line, that begins at a column from 0, without its credentials and comments.
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
        return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    /// The key of the credential that a problem is about; nil if it is about none, or about what a
    /// template names in it.
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

    /// From the first `#` behind all texts.
    private func comment(in span: Span) -> Swift.Range<Int> {
        var start = 0
        for text in texts where text.start.line <= span.line && span.line <= text.end.line {
            let isLast = text.end.line == span.line
            // Behind the `|` of a block there may be one, too.
            let isHead = text.isBlock && text.start.line == span.line
            guard isLast || isHead else { return 0..<0 }
            start = max(start, isHead ? text.start.column : text.end.column - 1)
        }
        let scalars = (span.source.line(span.line) ?? "").unicodeScalars.enumerated()
        let mark = scalars.first { $0.offset >= start && $0.element == "#" }
        return mark.map { $0.offset..<Int.max } ?? 0..<0
    }
}

/// Where a workspace's own words decide what is a credential.
private enum WorkspaceSchema {
    case root
    /// What a target, an environment, a batch or a chain says of itself.
    case settings
    /// Targets and groups, by names of their own.
    case items
    /// Environments, batches and chains, by names of their own.
    case names
    case variables
    /// `{ env: NAME }`, `{ file: path }`.
    case origin
    case authorization
    case cache
    case captures
    /// Values that are sent, and all that a workspace has no words for.
    case free
    /// A credential, with all that is in it.
    case credential

    /// What holds within a member.
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
        case .origin: return ["env", "file"].contains(key) ? .free : .credential
        case .authorization:
            if key == "basic" || key == "digest" { return .authorization }
            return key == "user" || value.text == "" ? .free : .credential
        case .cache: if key == "key" { return .free }
        case .captures:
            let isPath = value.text.map { $0.hasPrefix("$") || $0.hasPrefix("header:") }
            if isPath == true { return .free }
        case .credential: return .credential
        case .free: break
        }
        return CredentialText.isSecret(key) ? .credential : .free
    }

    /// Whether a text is one where it stands.
    func isCredential(_ text: String) -> Bool {
        self == .credential || self == .authorization && text != "none" && text != ""
    }

    /// Whether a key can be shown: where only credentials stand, one that is known, or was meant to be.
    func mayShow(key: String) -> Bool {
        let known: [String]
        switch self {
        case .authorization: known = SettingsDecoder.authorizationKeys
        case .origin: known = ["env", "file"]
        default: return true
        }
        return Suggestion.nearest(to: key, among: known + ["<<"]) != nil
            || CredentialText.isSecret(key)
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
