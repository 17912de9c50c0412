import Apus
import Documents
import HTTPTypes
import Secrets

/// A request that is pasted or typed: a `curl` command, a URL, or the text of an HTTP message.
///
/// Files are not read and shell variables are not expanded. Credentials stay in the draft in clear; screens mask
/// them.
public struct RequestText: Sendable, Hashable {
    /// The request as it was read, to be edited and sent.
    package var draft: TargetDraft
    /// A suggested name: "users 7".
    public var name: String
    /// Warnings about parts that were left out, and about saving it.
    public var warnings: [String]
    /// The warnings that reading the text gave, without those about the draft.
    private var sourceWarnings: [String] = []

    /// The warnings without the one that concerns saving only.
    package var notes: [String] {
        warnings.filter { !$0.hasPrefix(Self.credentialWarning) }
    }

    private static let credentialWarning = "it contains a credential"

    /// The longest text that is read, in bytes.
    private static let maximumSize = 1 << 20

    /// Reads a request.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - variables: The names that `{{ name }}` may use. Others are kept as text; with nil, none is.
    /// - Throws: `RequestTextError` that says what cannot be read.
    public init(_ text: String, variables: Set<String>? = nil) throws(RequestTextError) {
        try self.init(reading: text)
        guard let variables else { return }
        let unknown = draft.usedNames.filter { !variables.contains($0) }
        guard !unknown.isEmpty else { return }
        let names = Set(unknown)
        if let name = draft.namesBeforePath.first(where: names.contains) {
            throw RequestTextError(
                "the URL has `{{ \(name) }}` before its path, and there is no variable `\(name)`"
            )
        }
        draft = draft.mapTexts { TargetDraft.keeping(names, asTextIn: $0, inJSON: $1) }
        self = RequestText(draft, warnings: sourceWarnings)
        let list = unknown.map { "`{{ \($0) }}`" }.joined(separator: ", ")
        let isOne = unknown.count == 1
        warnings.insert(
            "\(list) \(isOne ? "is" : "are") kept as text: there is no variable of that name",
            at: 0
        )
    }

    private init(reading text: String) throws(RequestTextError) {
        guard text.utf8.count <= Self.maximumSize else {
            throw RequestTextError("the text of a request is limited to 1 MiB")
        }
        let text = Self.trimmed(text)
        // First, because a line of its body may be a command.
        if let message = RawRequest(text) {
            try self.init(try message.draft(), message.warnings)
        } else if let command = PastedCommand(text) {
            try self.init(curl: command)
        } else if Self.isURL(text) {
            var draft = TargetDraft(method: "GET", url: "")
            draft.takeURL(Self.withScheme(text))
            try self.init(draft, [])
        } else {
            throw Self.fault(of: text)
        }
    }

    /// Whether a text is probably meant as a request instead of a file name.
    public static func isProbable(_ text: String) -> Bool {
        let text = trimmed(text)
        return PastedCommand(text) != nil || hasScheme(text) || RawRequest(text) != nil
    }

    /// Whether a text is a curl command.
    package static func isCurlCommand(_ text: String) -> Bool { PastedCommand(text) != nil }

    /// The requests of a curl command: one for each of its URLs, and for each part after `--next`, with the value of
    /// `auth` that a draft cannot have; the variables of the shell that they use as `{{ NAME }}`, and those that
    /// stand for the texts of files, with their templates.
    ///
    /// What cannot be read is left out with a warning.
    ///
    /// - Throws: `RequestTextError` that says what cannot be read.
    package static func commands(
        _ text: String
    ) throws(RequestTextError) -> (
        requests: [(request: RequestText, auth: Value?)], variables: [String],
        files: [String: String]
    ) {
        guard text.utf8.count <= maximumSize else {
            throw RequestTextError("the text of a request is limited to 1 MiB")
        }
        guard var command = PastedCommand(trimmed(text)) else {
            throw RequestTextError("this is no curl command")
        }
        guard let words = ShellWords(command.text, expanding: true) else {
            throw RequestTextError("the curl command has an unclosed quote")
        }
        let inInput = command.expandInput()
        var requests: [(request: RequestText, auth: Value?)] = []
        var files: [String: String] = [:]
        for part in words.words.dropFirst().split(whereSeparator: { $0 == "--next" || $0 == "-:" })
        {
            var line = CurlLine(command, isLenient: true)
            try line.read(["curl"] + part)
            if requests.isEmpty {
                if words.hasMore {
                    line.warnings.append("the text after the curl command is ignored")
                }
                if words.hasExpansion {
                    line.warnings.append("what a shell expands is kept as text")
                }
            }
            line.warnAboutParts()
            files.merge(line.fileVariables) { first, _ in first }
            for url in line.urls {
                line.select(url)
                let request = try RequestText(try line.draft(), line.warnings)
                requests.append((request, line.otherAuthorization))
            }
        }
        guard !requests.isEmpty else { throw RequestTextError("the curl command has no URL") }
        let names = words.expanded + inInput.filter { !words.expanded.contains($0) }
        return (requests, names, files)
    }

    /// What the command has that the draft does not.
    package var sourceNotes: [String] { sourceWarnings }

    /// Why a text is not a request.
    private static func fault(of text: String) -> RequestTextError {
        if text.isEmpty { return RequestTextError("there is no text to read a request from") }
        let word = text.prefix { !$0.isWhitespace }.lowercased()
        if ["invoke-webrequest", "invoke-restmethod", "iwr", "irm"].contains(word) {
            return RequestTextError("this is a command of PowerShell: copy it as cURL instead")
        }
        return RequestTextError(
            URLFault.words(for: text)
                ?? "this is neither a curl command, nor a URL, nor an HTTP request"
        )
    }

    private init(curl command: PastedCommand) throws(RequestTextError) {
        guard let words = ShellWords(command.text) else {
            throw RequestTextError("the curl command has an unclosed quote")
        }
        var line = CurlLine(command)
        try line.read(words.words)
        if words.lacksContinuation {
            line.warnings.append(
                "a line does not end with `\\`: the options after it are taken too"
            )
        }
        if words.hasMore { line.warnings.append("the text after the curl command is ignored") }
        if words.hasExpansion {
            line.warnings.append("shell variables are not expanded: write `{{ name }}`")
        }
        try self.init(try line.draft(), line.warnings)
    }

    private init(_ draft: TargetDraft, _ warnings: [String]) throws(RequestTextError) {
        guard !draft.url.isEmpty, !draft.url.hasSuffix("://") else {
            throw RequestTextError("the request has no host")
        }
        self.init(draft, warnings: warnings)
    }

    private init(_ draft: TargetDraft, warnings: [String]) {
        sourceWarnings = warnings
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
                Self.credentialWarning + ", which saving writes to the file in clear; a variable "
                    + "`{ env: NAME }` keeps it out"
            )
        }
    }

    static func trimmed(_ text: String) -> String {
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
    package static func withScheme(_ url: String) -> String {
        guard let mark = url.utf8.firstRange(of: "://".utf8) else { return "http://\(url)" }
        return url[..<mark.lowerBound].asciiLowercased + url[mark.lowerBound...]
    }
}

/// Why a text cannot be read as a request, in words for people; credentials in it are masked.
public struct RequestTextError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The reason, without a period at its end.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension TargetDraft {
    /// Takes a URL; its query becomes rows if that changes no byte of it.
    package mutating func takeURL(_ text: String) {
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
        if name.asciiLowercased == "authorization", parts.count == 2,
            parts[0].asciiLowercased == "bearer"
        {
            authorization = .bearer(Self.literal(String(parts[1])))
        } else {
            headers.append(Row(name, Self.literal(value)))
        }
    }

    /// Takes a body, as JSON or as a form if its type says so and it is one, else as text.
    mutating func takeBody(_ text: String) {
        let place = headers.firstIndex { $0.name.asciiLowercased == "content-type" }
        let type = place.flatMap { headers[$0].value }.map { $0.asciiLowercased } ?? ""
        let isOnly = { (wanted: String) in type == wanted || type == "\(wanted); charset=utf-8" }
        if type.prefix(while: { $0 != ";" }).hasSuffix("json"), let json = try? JSON(parsing: text),
            json.canBeEdited, !Self.spellsBraces(text)
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

    /// Whether JSON has a brace or a dollar sign as an escape, which `literal` does not see.
    private static func spellsBraces(_ text: String) -> Bool {
        ["\\u007b", "\\u007B", "\\u0024", "\\u005c", "\\u005C"].contains {
            text.utf8.firstRange(of: $0.utf8) != nil
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

    /// A name made of the end of the path, or the host: "users 7".
    package var suggestedName: String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? Substring(url)
        let parts = rest.prefix { $0 != "?" }.split(separator: "/")
        // The host may follow a user and a password.
        let host = parts.first.map { $0.split(separator: "@").last ?? $0 } ?? "request"
        let path = parts.dropFirst().suffix(2).joined(separator: " ")
        return path.isEmpty ? String(host) : path
    }

    /// The files that it sends.
    fileprivate var filePaths: [String] {
        switch body {
        case .file(let path): [path]
        case .multipart(let rows):
            rows.compactMap { row in
                if case .file(let path, _) = row.part { path } else { nil }
            }
        case .none, .text, .json, .form, .graphQL: []
        }
    }

    /// Whether it has a secret in clear.
    var hasCredential: Bool {
        let isLiteral = { (text: String) in !text.isEmpty && !text.contains("{{") }
        switch authorization {
        case .inherited, .none, .other: break
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
    package var hasSecretMember: Bool {
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

extension TargetDraft {
    /// Whether it has a header field of this name, in lowercase.
    func hasField(_ name: String) -> Bool {
        headers.contains { $0.name.asciiLowercased == name }
    }

    /// Adds to the query; as rows if that changes no byte of it, else to the URL.
    mutating func takeQuery(_ text: String) {
        let escapes = [PercentEncoding.component, PercentEncoding.form]
        let rows = escapes.lazy.compactMap { Self.rows(of: text, escape: $0) }.first
        if let rows, !url.contains("?") {
            query += rows
        } else {
            let whole = query.map { row in
                "\(PercentEncoding.component(row.name))=\(PercentEncoding.component(row.value ?? ""))"
            }
            url +=
                (url.contains("?") ? "&" : "?")
                + (whole + [Self.literal(text)]).joined(separator: "&")
            query = []
        }
    }
}
