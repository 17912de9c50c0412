import Documents
import HTTPTypes
import Workspaces

/// A row of an edited draft: the original and the current one.
struct EditedRow: Hashable {
    /// The row in the catalog; nil for an added row.
    let original: TargetDraft.Row?
    /// The edited row; nil if one of the target's own rows was removed.
    var current: TargetDraft.Row?
    /// How `original` and `current` are written in the URL, if they are parameters there.
    var originalText: String?
    var text: String?

    /// Whether it differs from the row in the catalog.
    var isEdited: Bool { original != current }

    /// The row to show: for a removed one, the original.
    var shown: TargetDraft.Row { current ?? original ?? TargetDraft.Row("", nil) }

    /// Whether it is no longer sent.
    var isRemoved: Bool {
        current == nil || current?.value == nil && original?.value != nil
    }
}

/// The parts of a draft that are rows of names and values.
enum RequestTable: Hashable, CaseIterable {
    case headers
    /// The parameters in the URL, and those in addition to them.
    case url, query
    case form, options
}

/// The edits of a target's draft, relative to the one in the catalog.
struct RequestEdits: Hashable {
    /// The draft in the catalog.
    let original: TargetDraft
    /// The method.
    var method: String
    /// The URL without its query, and what stands after that.
    private var urlPath: String
    private var urlEnd: String
    var authorization: TargetDraft.Authorization
    /// The body; the rows of a form are in `self[.form]`.
    var body: TargetDraft.Body
    private var tables: [RequestTable: [EditedRow]]

    init(_ original: TargetDraft) {
        self.original = original
        method = original.method
        (authorization, body) = (original.authorization, original.body)
        tables = [
            .headers: original.headers, .query: original.query, .form: original.body.formRows,
            .options: original.options,
        ]
        .mapValues { rows in rows.map { EditedRow(original: $0, current: $0) } }
        let parts = URLQuery(original.url)
        (urlPath, urlEnd) = (parts.path, parts.end)
        tables[.url] = parts.pieces.map { piece in
            let row = URLQuery.row(piece)
            return EditedRow(original: row, current: row, originalText: piece, text: piece)
        }
    }

    /// The URL as it is written, with the query that stands in it; the rows of that are in `self[.url]`.
    var url: String {
        get {
            let pieces = self[.url].compactMap(\.text)
            return URLQuery(path: urlPath, pieces: pieces, end: urlEnd).text
        }
        set {
            let parts = URLQuery(newValue)
            (urlPath, urlEnd) = (parts.path, parts.end)
            var old = self[.url].filter { $0.original != nil }
            self[.url] = parts.pieces.map { piece in
                let row = URLQuery.row(piece)
                let place =
                    old.firstIndex { $0.originalText == piece }
                    ?? old.firstIndex { $0.original?.name == row.name }
                let known = place.map { old.remove(at: $0) }
                return EditedRow(
                    original: known?.original,
                    current: row,
                    originalText: known?.originalText,
                    text: piece
                )
            }
        }
    }

    /// The rows of a table.
    subscript(table: RequestTable) -> [EditedRow] {
        get { tables[table] ?? [] }
        set { tables[table] = newValue }
    }

    /// The edited draft.
    var draft: TargetDraft {
        func rows(_ table: RequestTable) -> [TargetDraft.Row] { self[table].compactMap(\.current) }
        var draft = TargetDraft(
            method: method,
            url: url,
            headers: rows(.headers),
            query: rows(.query),
            authorization: authorization,
            body: body,
            options: rows(.options)
        )
        if case .form = body { draft.body = .form(rows(.form)) }
        if case .multipart = body { draft.body = .multipart(rows(.form)) }
        return draft
    }

    /// Whether anything differs from the draft in the catalog.
    var isEdited: Bool {
        method != original.method || url != original.url || authorization != original.authorization
            || isBodyEdited
            || [RequestTable.headers, .query, .options].contains {
                self[$0].contains(where: \.isEdited)
            }
    }

    /// Whether the body differs.
    var isBodyEdited: Bool {
        guard body.isTable, body.title == original.body.title else { return body != original.body }
        return self[.form].contains(where: \.isEdited)
    }

    // MARK: Rows

    /// Sets the name and the value of a row; an inherited row becomes the target's own.
    mutating func set(_ name: String, _ value: String, at index: Int, of table: RequestTable) {
        guard self[table].indices.contains(index) else { return }
        var row = TargetDraft.Row(name, value)
        if let original = self[table][index].original, original.name == name,
            original.value == value
        {
            row = original
        }
        self[table][index].current = row
        guard table == .url else { return }
        let old = self[table][index]
        self[table][index].text =
            row == old.original ? old.originalText : URLQuery.piece(row, like: old.text)
    }

    /// Adds a row after another, where it is sent and saved: the target's own rows follow inherited ones, and
    /// rows of one name follow each other.
    ///
    /// - Returns: The index of the new row.
    @discardableResult
    mutating func insert(
        _ name: String,
        _ value: String,
        after index: Int,
        of table: RequestTable
    ) -> Int {
        let rows = self[table]
        var place = max(0, min(index + 1, rows.count))
        let inherited = rows.lastIndex {
            $0.current?.inheritedFrom != nil && $0.current?.value != nil
        }
        place = max(place, inherited.map { $0 + 1 } ?? 0)
        func key(_ name: String) -> String { table == .headers ? name.asciiLowercased : name }
        if table != .url, let last = rows.lastIndex(where: { key($0.shown.name) == key(name) }) {
            place = last + 1
        }
        let row = TargetDraft.Row(name, value)
        let text = table == .url ? URLQuery.piece(row, like: nil) : nil
        self[table].insert(EditedRow(original: nil, current: row, text: text), at: place)
        return place
    }

    /// Removes a row; an inherited row or an option stays, without a value.
    mutating func remove(at index: Int, of table: RequestTable) {
        guard self[table].indices.contains(index) else { return }
        guard let original = self[table][index].original else {
            self[table].remove(at: index)
            return
        }
        if original.inheritedFrom != nil || table == .options {
            var row = original
            row.value = nil
            self[table][index].current = row
        } else {
            (self[table][index].current, self[table][index].text) = (nil, nil)
        }
    }

    /// Undoes the edit of a row; an added row is removed.
    mutating func takeBack(_ index: Int, of table: RequestTable) {
        guard self[table].indices.contains(index) else { return }
        guard let original = self[table][index].original else {
            self[table].remove(at: index)
            return
        }
        self[table][index].current = original
        self[table][index].text = self[table][index].originalText
    }

    // MARK: Another original

    /// These edits applied to another draft, from another environment or from changed files.
    func rebased(onto draft: TargetDraft) -> RequestEdits {
        var edits = RequestEdits(draft)
        if method != original.method { edits.method = method }
        if url != original.url { edits.url = url }
        if authorization != original.authorization { edits.authorization = authorization }
        if isBodyEdited {
            let kinds = Set([body.title, original.body.title, draft.body.title])
            if body.isTable, kinds.count == 1 {
                edits.lay(self[.form], over: .form)
            } else {
                edits.body = body
                edits[.form] = self[.form].map { EditedRow(original: nil, current: $0.current) }
                    .filter { $0.current != nil }
            }
        }
        for table in [RequestTable.headers, .query, .options] {
            edits.lay(self[table], over: table)
        }
        return edits
    }

    /// Applies edited rows to those of a table, matched by name and occurrence.
    private mutating func lay(_ rows: [EditedRow], over table: RequestTable) {
        var seen: [String: Int] = [:]
        for row in rows {
            let name = row.original?.name
            let occurrence = name.map { seen[$0, default: 0] } ?? 0
            if let name { seen[name] = occurrence + 1 }
            guard row.isEdited else { continue }
            let places = self[table].indices.filter { self[table][$0].original?.name == name }
            guard name != nil, places.indices.contains(occurrence) else {
                if let current = row.current, current.value != nil {
                    self[table].append(EditedRow(original: nil, current: current))
                }
                continue
            }
            let index = places[occurrence]
            if row.isRemoved {
                remove(at: index, of: table)
            } else if let current = row.current {
                set(current.name, current.value ?? "", at: index, of: table)
            }
        }
    }
}

extension RequestEdits {
    /// Takes the text that was typed in a line; returns the index of the row, if it is one.
    @discardableResult
    mutating func accept(_ field: RequestField, name: String, value: String) -> Int? {
        switch field.subject {
        case .row(let table, let index):
            // No name has blanks at its ends, nor has a header field's value (RFC 9110, section 5.5).
            let name = name.trimmed
            let value = table == .headers ? value.trimmed : value
            if field.isNew { return insert(name, value, after: index, of: table) }
            set(
                table == .options ? self[table][index].shown.name : name,
                value,
                at: index,
                of: table
            )
            return index
        case .value(let node):
            guard let text = body.json, let tree = JSONBody(text) else { return nil }
            let new =
                field.isNew ? tree.adding(name, value, after: node) : tree.setting(node, to: value)
            if let new { body = body.with(json: new) }
        case .text(let index):
            var lines = body.textLines
            if field.isNew {
                lines.insert(value, at: min(index + 1, lines.count))
            } else if lines.indices.contains(index) {
                lines[index] = value
            }
            body = body.with(lines.joined(separator: "\n"))
        case .file: body = .file(value)
        case .token: authorization = .bearer(value)
        case .user:
            if let pair = authorization.pair { authorization.pair = (value, pair.password) }
        case .password:
            if let pair = authorization.pair { authorization.pair = (pair.user, value) }
        case .request: setRequestLine(value)
        case .authorization, .note: break
        }
        return nil
    }

    /// Takes "POST /users", or a URL alone.
    private mutating func setRequestLine(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        let first = words.first ?? ""
        let isMethod = HTTPRequest.Method(String(first)) != nil && !first.contains(".")
        guard isMethod, words.count == 2 else {
            if words.count == 1, !isMethod { url = text.trimmed }
            return
        }
        // A method that stays is kept as it is written.
        if first != method { method = first.asciiUppercased }
        url = String(words[1]).trimmed
    }

    /// The body of the next kind; the original text and the rows of a form are kept.
    var nextBody: TargetDraft.Body {
        switch body {
        case .none: .json(original.body.text ?? "{}")
        case .json: .form(self[.form].compactMap(\.current))
        case .form: .multipart(self[.form].compactMap(\.current))
        case .multipart:
            if case .graphQL = original.body {
                original.body
            } else {
                .graphQL(query: original.body.text ?? "", variables: "", operation: "")
            }
        case .graphQL: .text(original.body.text ?? "")
        case .text: .file("")
        case .file: .none
        }
    }
}

extension TargetDraft.Body {
    /// Whether it has rows of names and values.
    var isTable: Bool {
        switch self {
        case .form, .multipart: true
        case .none, .text, .json, .graphQL, .file: false
        }
    }

    /// The name to show.
    var title: String {
        switch self {
        case .none: "none"
        case .text: "text"
        case .json: "JSON"
        case .form: "form"
        case .multipart: "multipart"
        case .graphQL: "GraphQL"
        case .file: "file"
        }
    }

    /// The text that an editor can open: text, JSON, or the query of GraphQL.
    var text: String? {
        switch self {
        case .text(let text), .json(let text), .graphQL(let text, _, _): text
        case .none, .form, .multipart, .file: nil
        }
    }

    /// The JSON in it: a whole JSON body, or the variables of GraphQL.
    var json: String? {
        switch self {
        case .json(let text): text
        case .graphQL(_, let variables, _): variables.isEmpty ? "{}" : variables
        case .none, .text, .form, .multipart, .file: nil
        }
    }

    /// The lines of `text`.
    var textLines: [String] {
        (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The body with other JSON.
    func with(json: String) -> TargetDraft.Body {
        guard case .graphQL(let query, _, let operation) = self else { return with(json) }
        return .graphQL(query: query, variables: json, operation: operation)
    }

    /// The body with another text.
    func with(_ text: String) -> TargetDraft.Body {
        switch self {
        case .json: .json(text)
        case .graphQL(_, let variables, let operation):
            .graphQL(query: text, variables: variables, operation: operation)
        default: .text(text)
        }
    }
}

extension TargetDraft.Authorization {
    /// The name to show.
    var title: String {
        switch self {
        case .inherited: "inherited"
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .digest: "digest"
        case .other(let name): name
        }
    }

    /// A user and a password; nil for kinds without them, which are not changed by setting them.
    var pair: (user: String, password: String)? {
        get {
            switch self {
            case .basic(let user, let password), .digest(let user, let password): (user, password)
            case .inherited, .none, .bearer, .other: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .basic: self = .basic(user: newValue.user, password: newValue.password)
            case .digest: self = .digest(user: newValue.user, password: newValue.password)
            case .inherited, .none, .bearer, .other: break
            }
        }
    }

    /// The next kind, cyclically; common values are kept.
    var next: TargetDraft.Authorization {
        switch self {
        case .inherited: .bearer("")
        case .bearer(let token): .basic(user: "", password: token)
        case .basic(let user, let password): .digest(user: user, password: password)
        case .digest: .none
        case .none, .other: .inherited
        }
    }
}
