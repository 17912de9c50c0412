import Documents
import Secrets

/// Moves the credentials that stand in the texts of a workspace into a file of `NAME=value` lines, which `envFile` names.
///
///     variables: { token: a1b2 }           ─▶  token=a1b2          (without the variable)
///     live: { variables: { token: c3d4 } } ─▶  live_token=c3d4     token: "{{ live_token }}"
///     auth: { bearer: e5f6 }               ─▶  bearer_token=e5f6   bearer: "{{ bearer_token }}"
///     GET https://h.example/?api_key=g7h8  ─▶  api_key=g7h8        GET https://h.example/?api_key={{ api_key }}
///
/// The same texts give the same names. What the workspace would no longer be valid with stays where it is.
package struct CredentialSeparation: Sendable {
    /// A line of the file.
    package struct Entry: Sendable, Hashable {
        /// The name in templates.
        package let name: String
        /// The credential.
        package let value: String
    }

    /// The texts of the workspace without the credentials, in the order in which they were given.
    package let texts: [String]
    /// The lines that the file has to have, without those that it has already.
    package let entries: [Entry]
    /// The names of variables that have another value in the file, which stays.
    package let left: [String]
    /// What stays in the texts although it may be a credential: the names, in the texts' order.
    package let kept: [String]
    /// What the texts name under `envFile`.
    package let files: [String]
    private let existing: [Entry]

    /// Separates the texts of the files of one workspace.
    ///
    /// - Parameters:
    ///   - texts: The texts; the first gets the line with `envFile`.
    ///   - path: What that line says: the path of the file from the workspace's folder.
    ///   - existing: What the file has already.
    ///   - reserved: Names that the workspace's other variables have.
    package init(
        _ texts: [String],
        to path: String,
        existing: [Entry] = [],
        reserved: Set<String> = []
    ) {
        let found = texts.enumerated().flatMap { FoundCredential.all(in: $1, number: $0) }
        // A credential in a part of a URL may be at a place where no template can be.
        let result =
            Self.separate(texts, found, to: path, existing, reserved)
            ?? Self.separate(texts, found.filter(\.isWhole), to: path, existing, reserved)
        self.existing = existing
        files = [path]
        kept = Self.distinct(
            result == nil
                ? found.map { $0.variable ?? $0.kind }
                : found.filter { credential in
                    result?.separated.contains(credential.key) != true
                }.map { $0.variable ?? $0.kind }
        )
        self.texts = result?.texts ?? texts
        entries = result?.names.entries ?? []
        left = result?.names.left ?? []
    }

    /// A text that keeps its credentials.
    package init(unchanged text: String) {
        (texts, entries, left, kept, files, existing) = ([text], [], [], [], [], [])
    }

    /// Nil if nothing is separated, or the workspace would not be valid with it.
    private static func separate(
        _ texts: [String],
        _ found: [FoundCredential],
        to path: String,
        _ existing: [Entry],
        _ reserved: Set<String>
    ) -> (texts: [String], names: CredentialNames, separated: Set<FoundCredential.Key>)? {
        guard !found.isEmpty else { return nil }
        var names = CredentialNames(texts, existing, reserved)
        let named = found.compactMap { credential in
            names.name(for: credential).map { NamedCredential(credential: credential, name: $0) }
        }
        var separated = texts.enumerated().map { number, text in
            SeparatedText(text, named.filter { $0.credential.number == number }, of: named).text
        }
        guard let first = separated.first, let head = SeparatedText.naming(path, in: first) else {
            return nil
        }
        separated[0] = head
        let file = EnvironmentFileText.lines(existing + names.entries)
        guard isValid(separated, path, file) else { return nil }
        return (separated, names, Set(named.map(\.credential.key)))
    }

    private static func distinct(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }

    private static func isValid(_ texts: [String], _ path: String, _ file: String) -> Bool {
        let sources = texts.enumerated().map {
            SourceText(name: "\($0).apus.yaml", text: $1, original: $1, isNew: true)
        }
        let secrets = SecretReader.process.serving(file, at: path)
        // What is wrong is said of the texts as they were.
        return
            (try? WorkspaceLoader.read(sources, given: [:], secrets: secrets, ProblemLog())) != nil
    }

    /// Reads the texts' credentials as if their file were written already, at any of some paths.
    package func reader(at paths: [String]) -> SecretReader {
        let lines = EnvironmentFileText.lines(existing + entries)
        return paths.reduce(.process) { $0.serving(lines, at: $1) }
    }

    /// The text of the file with the lines: of a new one, or after those that are there.
    package func fileText(for workspace: String, after old: String? = nil) -> String {
        let lines = EnvironmentFileText.lines(entries)
        if let old { return old + (old.isEmpty || old.hasSuffix("\n") ? "" : "\n") + lines }
        let name = workspace.split(separator: "/").last.map(String.init) ?? workspace
        return
            "# Credentials of \(name), which reads them by `envFile`. Keep this file out of version control.\n"
            + lines
    }

    /// The texts with the credentials asked for, where no file has them.
    package static func asking(_ text: String) -> (text: String, count: Int) {
        let separated = CredentialSeparation([text], to: ".env")
        guard let first = separated.texts.first, !separated.entries.isEmpty else {
            return (text, 0)
        }
        let asked = separated.entries.map { entry in
            Value.Member(
                entry.name,
                .object([
                    Value.Member("ask", .string(entry.name)),
                    Value.Member("secret", .boolean(true)),
                ])
            )
        }
        guard let written = SeparatedText.asking(asked, insteadOf: "envFile", in: first) else {
            return (text, 0)
        }
        return (written, separated.entries.count)
    }

    /// The path of a file that is named from a workspace file's folder.
    package static func path(of name: String, beside workspace: String) -> String {
        TextFile.resolve(name, besideFile: workspace)
    }

    /// The name of a new file for the credentials of a workspace at a path: `.env`, or beside another's `.env.shop`.
    ///
    /// - Parameters:
    ///   - workspace: The path of the workspace.
    ///   - isOwn: Whether a file that is there, of a name and with a text, is the one that would be written.
    /// - Returns: The name, from the workspace's folder.
    package static func newFile(
        beside workspace: String,
        orOwn isOwn: (_ name: String, _ text: String) -> Bool = { _, _ in false }
    ) -> String {
        let name = workspace.split(separator: "/").last.map(String.init) ?? "workspace"
        let own = name.hasSuffix(".apus.yaml") ? String(name.dropLast(10)) : name
        var candidate = ".env"
        var number = 1
        while case let path = TextFile.resolve(candidate, besideFile: workspace),
            !TextFile.isFree(path)
        {
            // Another file is not read, and stays.
            if let text = try? TextFile.readWhole(path), isOwn(candidate, text) { break }
            candidate = number == 1 ? ".env.\(own)" : ".env.\(own).\(number)"
            number += 1
        }
        return candidate
    }
}

extension CredentialSeparation {
    /// What was done, in words, with the path of the file that has the credentials now.
    package func words(_ path: String) -> String {
        let count = entries.count
        return count == 1
            ? "1 credential is in \(path), not in the workspace"
            : "\(count) credentials are in \(path), not in the workspace"
    }

    /// Whether no credentials were found.
    package var isEmpty: Bool { entries.isEmpty && kept.isEmpty }

    /// What stays in the texts, in words; nil if nothing does.
    package var keptWords: String? {
        guard !kept.isEmpty else { return nil }
        let names = kept.prefix(5).joined(separator: ", ") + (kept.count > 5 ? ", …" : "")
        return
            "what may be a credential stays in the workspace, for it is too long or no template can stand there: \(names)"
    }

    /// What a text of `NAME=value` lines has.
    package static func entries(of text: String, file path: String) -> [Entry] {
        var reader = EnvironmentFileReader(
            text,
            file: path,
            log: ProblemLog(),
            variable: SecretReader.process.environmentVariable
        )
        return reader.entries().map { Entry(name: $0.name, value: $0.value) }
    }
}

/// A credential with the name that it gets.
struct NamedCredential {
    let credential: FoundCredential
    let name: String
}

/// Gives credentials the names of variables: one for the same value of the same kind.
private struct CredentialNames {
    private(set) var entries: [CredentialSeparation.Entry] = []
    private(set) var left: [String] = []
    private let existing: [String: String]
    private var taken: Set<String>
    private var known: [String: String] = [:]
    private var numbers: [String: Int] = [:]
    private var size: Int
    private static let shortestShared = 8
    /// More than `envFile` reads is not written.
    private static let maximumSize = SecretReader.largestFile - (4 << 10)

    init(
        _ texts: [String],
        _ existing: [CredentialSeparation.Entry],
        _ reserved: Set<String>
    ) {
        self.existing = Dictionary(existing.map { ($0.name, $0.value) }) { $1 }
        size = EnvironmentFileText.lines(existing).utf8.count
        taken = texts.reduce(into: reserved) { $0.formUnion(FoundCredential.words(of: $1)) }
    }

    /// The name of a credential; nil if the file would become too large with it.
    mutating func name(for credential: FoundCredential) -> String? {
        if let variable = credential.variable {
            guard let old = existing[variable] else {
                return write(credential.value, as: variable) ? variable : nil
            }
            if old != credential.value { left.append(variable) }
            return variable
        }
        let isShared = credential.value.utf8.count >= Self.shortestShared
        let owner = credential.isOfEnvironment ? credential.owner : ""
        let key = "\(isShared ? "" : credential.kind)\u{0}\(owner)\u{0}\(credential.value)"
        if let name = known[key] { return name }
        let name = newName(for: credential)
        guard existing[name] != nil || write(credential.value, as: name) else { return nil }
        known[key] = name
        taken.insert(name)
        return name
    }

    private mutating func write(_ value: String, as name: String) -> Bool {
        let entry = CredentialSeparation.Entry(name: name, value: value)
        let more = EnvironmentFileText.lines([entry]).utf8.count
        guard size + more <= Self.maximumSize else { return false }
        size += more
        entries.append(entry)
        return true
    }

    private mutating func newName(for credential: FoundCredential) -> String {
        let kind = Self.plain(credential.kind)
        let owner = Self.plain(credential.owner)
        var candidates = ["\(owner)_\(kind)"]
        if !credential.isOfEnvironment || owner.isEmpty { candidates.insert(kind, at: 0) }
        for candidate in candidates.map(Self.secret) where isFree(candidate, credential.value) {
            return candidate
        }
        // Numbers that were given already are not tried again for each of many.
        let base = "\(owner.isEmpty ? "other" : owner)\u{0}\(kind)"
        while true {
            let number = numbers[base] ?? 2
            numbers[base] = number + 1
            let name = Self.secret("\(owner.isEmpty ? "other" : owner)_\(number)_\(kind)")
            if isFree(name, credential.value) { return name }
        }
    }

    private func isFree(_ name: String, _ value: String) -> Bool {
        !taken.contains(name) && (existing[name] ?? value) == value
    }

    /// A name by which its value is known to be a secret.
    private static func secret(_ name: String) -> String {
        CredentialMask.isSecret(parameter: name) ? name : "\(name)_secret"
    }

    /// `X-API-Key` and `clientSecret` as `x_api_key` and `client_secret`.
    private static func plain(_ text: String) -> String {
        var result = ""
        var wasLower = false
        for character in text.prefix(40) {
            guard character.isASCII, character.isLetter || character.isNumber else {
                if result.last != "_", !result.isEmpty { result.append("_") }
                wasLower = false
                continue
            }
            if character.isUppercase, wasLower { result.append("_") }
            wasLower = character.isLowercase
            result += character.lowercased()
        }
        while result.last == "_" { result.removeLast() }
        return result.first?.isNumber == true ? "n\(result)" : result
    }
}

/// Writes lines as `EnvironmentFileReader` reads them.
enum EnvironmentFileText {
    static func lines(_ entries: [CredentialSeparation.Entry]) -> String {
        entries.map { "\($0.name)=\(value($0.value))\n" }.joined()
    }

    private static func value(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0))
                    || "-._~/+=:@%,".unicodeScalars.contains($0)
            }
        if isPlain { return text }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "$": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
