import Apus
import Documents
import Secrets
import Workspaces

/// A tab of the request pane.
enum RequestTab: CaseIterable {
    case body, headers, query, authorization, options, cookies, preview

    /// The title in the bar.
    var title: String {
        switch self {
        case .body: "Body"
        case .headers: "Headers"
        case .query: "Query"
        case .authorization: "Auth"
        case .options: "Options"
        case .cookies: "Cookies"
        case .preview: "Preview"
        }
    }

    /// The title in the bar if there is little room.
    var shortTitle: String {
        switch self {
        case .body, .query, .authorization: title
        case .headers: "Head"
        case .options: "Opt"
        case .cookies: "Cook"
        case .preview: "Prev"
        }
    }

    /// Whether it shows the prepared request, which is made again after each change.
    var isOfPrepared: Bool { self == .cookies || self == .preview }

    /// The tab a number of places further, cyclically.
    func after(_ steps: Int) -> RequestTab {
        let all = Self.allCases
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + steps + all.count) % all.count]
    }
}

/// A line of the request pane.
struct RequestLine: Equatable {
    /// The part of the request that a line shows.
    enum Subject: Hashable {
        /// The method and the URL, above the tabs.
        case request
        case row(RequestTable, Int)
        /// A value of a JSON body.
        case value(NodeIndex)
        /// A line of a text body, by index.
        case text(Int)
        case file
        case authorization, token, user, password
        /// Words that are not part of the request.
        case note
    }

    enum Mark: Equatable { case added, removed, changed }

    var subject: Subject
    var depth = 0
    /// The path of a value of a JSON body, which identifies it.
    var path = ""
    var fold = FoldState.leaf
    var name = ""
    /// The value as shown, credentials masked.
    var value: String
    /// The kind of value in a JSON body.
    var kind: ValueKind?
    /// Where the value comes from, what it was, or what its variables stand for.
    var remark = ""
    var mark: Mark?
    /// Whether the value is a credential, which is masked even while it is typed.
    var isSecret = false

    static func note(_ text: String) -> RequestLine { RequestLine(subject: .note, value: text) }

    /// Whether its name or value contains a text; ignores case.
    func contains(_ text: String) -> Bool {
        !name.places(of: text, limit: 1).isEmpty || !value.places(of: text, limit: 1).isEmpty
    }
}

/// Makes the lines of a tab.
struct RequestLines {
    let edits: RequestEdits
    let variables: [CatalogVariable]
    /// Who is signed in, in words; nil if the request has no sign-in.
    let signIn: String?
    private let mask = CredentialMask()

    init(_ edits: RequestEdits, variables: [CatalogVariable], signIn: String? = nil) {
        self.edits = edits
        self.variables = variables
        self.signIn = signIn
    }

    /// The lines of a tab; empty for tabs that show the prepared request.
    func lines(of tab: RequestTab) -> [RequestLine] {
        switch tab {
        case .body: body
        case .headers:
            rows(.headers, orNote: "No header fields of its own. n adds one.")
        case .query: queryRows
        case .authorization: authorization
        case .options: rows(.options, orNote: "Nothing else can be set here.")
        case .cookies, .preview: []
        }
    }

    // MARK: Rows

    private func rows(_ table: RequestTable, orNote note: String) -> [RequestLine] {
        let lines = edits[table].enumerated().map { index, row in line(row, index, table) }
        return lines.isEmpty ? [.note(note)] : lines
    }

    /// The parameters in the order in which they are sent: those in the URL come first.
    private var queryRows: [RequestLine] {
        let inURL = edits[.url].enumerated().map { index, row in line(row, index, .url) }
        if !inURL.isEmpty, edits[.query].isEmpty { return inURL }
        return inURL + rows(.query, orNote: "No query parameters. n adds one.")
    }

    private func line(_ row: EditedRow, _ index: Int, _ table: RequestTable) -> RequestLine {
        let shown = row.shown
        // A removed row still shows its value.
        let value = shown.value ?? row.original?.value
        let standard =
            value == nil && table == .options ? shown.standard ?? row.original?.standard : nil
        let isSecret = isSecret(value ?? "", named: shown.name, in: table)
        var line = RequestLine(
            subject: .row(table, index),
            name: shown.name,
            value: value.map { masked($0, isSecret) }
                ?? (table == .options ? standard ?? "" : "not sent"),
            isSecret: isSecret
        )
        if row.isEdited {
            line.mark = row.original == nil ? .added : row.isRemoved ? .removed : .changed
            if let original = row.original, line.mark == .changed {
                line.remark = was(original, now: shown, in: table)
            } else if line.mark == .removed {
                line.remark = table == .options ? "no longer set" : "no longer sent"
            }
        } else if let source = shown.inheritedFrom {
            line.remark = "from \(source)"
        }
        if line.remark.isEmpty { line.remark = meaning(of: value ?? "", isSecret) }
        if line.remark.isEmpty {
            line.remark = standard == nil ? table == .url ? "in the URL" : "" : "default"
        }
        return line
    }

    private func was(
        _ original: TargetDraft.Row,
        now: TargetDraft.Row,
        in table: RequestTable
    ) -> String {
        let source = original.inheritedFrom.map { " from \($0)" } ?? ""
        guard let value = original.value else { return "was not set" }
        let text = masked(value, isSecret(value, named: original.name, in: table))
        let name = original.name == now.name ? "" : "\(original.name) "
        return "was \(name)\(text.isEmpty ? "empty" : text)\(source)"
    }

    /// Whether a value is a credential in clear; a variable in braces is not.
    private func isSecret(_ value: String, named name: String, in table: RequestTable) -> Bool {
        guard !value.isEmpty else { return false }
        if table == .options { return TargetDraft.Row(name, value).hasSecretMember }
        let shown =
            table == .headers
            ? mask.masking(headerLine: "\(name): \(value)")
            : mask.masking(value: value, named: name)
        return shown.contains(CredentialMask.mask) && !isTemplate(value)
    }

    /// Whether a variable in braces is all that could be secret in a value: "Bearer {{ token }}".
    private func isTemplate(_ value: String) -> Bool {
        guard value.contains("{{") else { return false }
        let rest = TemplateNames.withoutNames(value).split(separator: " ")
        return rest.count <= 1
    }

    private func masked(_ value: String, _ isSecret: Bool) -> String {
        isSecret ? CredentialMask.mask : mask.masking(line: value)
    }

    /// The values of the variables in a value, as far as the environment defines them; secrets masked.
    private func meaning(of value: String, _ isSecret: Bool) -> String {
        guard !isSecret, value.contains("{{") else { return "" }
        let names = TemplateNames.names(in: value)
        let texts = names.prefix(3).map { name -> String in
            guard let variable = variables.first(where: { $0.name == name }) else {
                return variables.isEmpty ? "" : "\(name) is not defined"
            }
            guard let text = variable.value, !variable.isSecret else {
                return variable.isSecret ? CredentialMask.mask : ""
            }
            return mask.masking(value: text, named: name)
        }
        let known = texts.filter { !$0.isEmpty }
        return known.isEmpty ? "" : "= \(known.joined(separator: ", "))"
    }

    // MARK: Credentials

    private var authorization: [RequestLine] {
        let now = edits.authorization
        let isEdited = now != edits.original.authorization
        var lines = [
            RequestLine(
                subject: .authorization,
                name: "kind",
                value: now.title,
                remark: isEdited ? "was \(edits.original.authorization.title)" : "",
                mark: isEdited ? .changed : nil
            )
        ]
        switch now {
        case .inherited where !isEdited: lines[0].remark = inherited
        case .inherited: lines[0].remark += "; \(inherited)"
        case .none: break
        case .other where !isEdited: lines[0].remark = "as the file says; `o` opens it"
        case .other: break
        case .bearer(let token):
            lines.append(credential(.token, named: "token", token, isEdited: isEdited))
        case .basic(let user, let password), .digest(let user, let password):
            lines.append(
                RequestLine(
                    subject: .user,
                    name: "user",
                    value: user,
                    remark: meaning(of: user, false),
                    mark: isEdited ? .changed : nil
                )
            )
            lines.append(credential(.password, named: "password", password, isEdited: isEdited))
        }
        if let signIn, !isEdited {
            lines.append(.note("\(signIn); O signs in anew, ctrl+o signs out"))
        }
        return lines
    }

    /// What the request inherits, and from where.
    private var inherited: String {
        guard let inherited = edits.original.inheritedAuthorization else {
            return "nothing: neither the defaults nor the environment have credentials"
        }
        var what = inherited.authorization.title
        switch inherited.authorization {
        case .inherited, .none, .other: break
        case .bearer(let token): what += isTemplate(token) ? " \(token)" : " \(CredentialMask.mask)"
        case .basic(let user, _), .digest(let user, _): what += " as \(user)"
        }
        return "\(what) from \(inherited.source)"
    }

    private func credential(
        _ subject: RequestLine.Subject,
        named name: String,
        _ value: String,
        isEdited: Bool
    ) -> RequestLine {
        let isSecret = !value.isEmpty && !isTemplate(value)
        return RequestLine(
            subject: subject,
            name: name,
            value: masked(value, isSecret),
            remark: meaning(of: value, isSecret),
            mark: isEdited ? .changed : nil,
            isSecret: isSecret
        )
    }

    // MARK: The body

    private var body: [RequestLine] {
        switch edits.body {
        case .none:
            return [
                .note(
                    edits.isBodyEdited
                        ? "The body is no longer sent. t chooses another, ctrl+r undoes that."
                        : "No body. t chooses JSON, a form, parts, GraphQL, text or a file."
                )
            ]
        case .form: return rows(.form, orNote: "The form is empty. n adds a member.")
        case .multipart:
            return rows(
                .form,
                orNote: "No parts. n adds one; @ before a path sends a file."
            )
            .map { line in
                var line = line
                if line.remark.isEmpty, line.value.hasPrefix("@") { line.remark = "a file" }
                return line
            }
        case .graphQL(let query, _, let operation):
            let name = operation.isEmpty ? "" : ", operation \(operation)"
            let variables = edits.body.json.flatMap(JSONBody.init)
            return [.note("The query\(name):")] + textLines(query) + [.note("Its variables:")]
                + (variables.map { values($0) } ?? [.note("They are not JSON.")])
        case .file(let path):
            let was: String? = if case .file(let path) = edits.original.body { path } else { nil }
            return [
                RequestLine(
                    subject: .file,
                    name: "file",
                    value: path,
                    remark: was.map { $0 == path ? "" : "was \($0)" } ?? "",
                    mark: was == path ? nil : .changed
                )
            ]
        case .text(let text): return textLines(text)
        case .json(let text):
            if let tree = JSONBody(text) { return values(tree) }
            guard text.utf8.count <= JSONBody.longestText else {
                return [
                    .note("\(Readable.bytes(text.utf8.count)) of JSON. o opens it in your editor.")
                ]
            }
            let fault = JSONBody.fault(in: text).map { "This is not JSON: \($0)." } ?? ""
            return [.note(fault)] + textLines(text)
        }
    }

    private func textLines(_ text: String) -> [RequestLine] {
        guard text.utf8.count <= JSONBody.longestText else {
            return [.note("\(Readable.bytes(text.utf8.count)) of text. o opens it in your editor.")]
        }
        let old = edits.original.body.text.map {
            Set($0.split(separator: "\n", omittingEmptySubsequences: false))
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
            index,
            line in
            RequestLine(
                subject: .text(index),
                value: mask.masking(line: String(line)),
                mark: old?.contains(line) == true ? nil : .changed
            )
        }
    }

    private func values(_ tree: JSONBody) -> [RequestLine] {
        let old: [String: String]? =
            edits.isBodyEdited
            ? edits.original.body.json.flatMap(JSONBody.init).map { tree in
                Dictionary(tree.values.map { ($0.path, $0.source) }) { first, _ in first }
            } : nil
        return tree.values.map { value in
            let isSecret =
                value.isMember && value.kind == .string && value.source.utf8.count > 2
                && !isTemplate(value.source)
                && mask.masking(value: value.source, named: value.name).contains(
                    CredentialMask.mask
                )
            var line = RequestLine(
                subject: .value(value.node),
                depth: value.depth,
                path: value.path,
                name: value.name,
                value: masked(value.source, isSecret),
                kind: value.kind,
                isSecret: isSecret
            )
            if edits.isBodyEdited {
                let was = old?[value.path]
                if was == nil {
                    line.mark = .added
                } else if was != value.source, !value.kind.isContainer {
                    line.mark = .changed
                    line.remark = "was \(masked(was ?? "", isSecret))"
                }
            }
            if line.remark.isEmpty { line.remark = meaning(of: value.source, isSecret) }
            return line
        }
    }
}
