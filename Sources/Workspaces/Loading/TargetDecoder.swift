import Documents
import HTTPTypes

/// Reads targets and the groups around them.
package struct TargetDecoder {
    static let bodyKeys = ["body", "json", "form", "multipart", "graphql", "upload"]

    let log: ProblemLog
    private let tables: TableFiles
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, tables: TableFiles = TableFiles()) {
        self.log = log
        self.tables = tables
    }

    /// The items of a group, or of `targets`.
    func items(_ entries: [YAMLNode.Entry], in group: String?) -> [TreeItem] {
        entries.compactMap { item($0, in: group) }
    }

    /// Reads a target: `METHOD path`, or a mapping with `request`; nil if it is neither, which is logged.
    func target(_ node: YAMLNode, name: String, id: String, span: Span) -> TargetDefinition? {
        if case .scalar = node.content {
            let line = requestLine(node) ?? Self.unreadable(node)
            return TargetDefinition(
                id: TargetID(id),
                name: name,
                summary: nil,
                method: line.method,
                span: span,
                path: line.path,
                settings: RequestSettings(),
                body: .none,
                download: nil,
                node: node
            )
        }
        guard let fields = Fields(node, of: .target, log: log) else {
            return nil
        }
        let summary = read.text(fields["description"], "`description`")
        let settings = SettingsDecoder(log: log).decode(fields)
        let body = body(fields)
        let download = fields["download"].flatMap(download)
        let note = read.text(fields["note"], "`note`")
        let sample = fields["sample"].flatMap(sample)
        let hasRows = fields["rows"] != nil || fields["matrix"] != nil
        let faults = log.problems.count
        let rows = hasRows ? RowsDecoder(log: log, tables: tables).rows(fields) : []
        let hasFaultyRows = log.problems.count > faults
        let like = read.text(fields["like"], "`like`", expected: "a target's name")
        if fields["request"] == nil, fields["like"] == nil, !fields.misspelt.contains("request") {
            log.add(
                span,
                "the target `\(name)` has no `request`",
                expected: "`request: METHOD path`"
            )
        }
        let takesDefaults = read.word(
            fields["defaults"],
            "`defaults`",
            ["workspace": true, "none": false],
            order: ["workspace", "none"]
        )
        let line =
            fields["request"].flatMap { requestLine($0, method: fields["method"]) }
            ?? Self.unreadable(node)
        return TargetDefinition(
            id: TargetID(id),
            name: name,
            summary: summary,
            method: line.method,
            span: span,
            path: line.path,
            settings: settings,
            takesDefaults: takesDefaults ?? true,
            body: body,
            download: download,
            note: note,
            sample: sample,
            rows: hasFaultyRows ? nil : rows,
            like: like.flatMap { name in fields["like"].map { (name, $0.span) } },
            node: node
        )
    }

    /// Stands for a request that cannot be read.
    ///
    /// References to the target are then not reported as faults. It is never sent, because its own fault is
    /// logged.
    static func unreadable(_ node: YAMLNode) -> (method: HTTPRequest.Method, path: Template) {
        (.get, Template("http://unreadable.invalid/", node.span, ProblemLog()))
    }

    /// Whether a text is a request line rather than a target's name.
    static func isRequestLine(_ text: String) -> Bool {
        guard let space = text.firstIndex(of: " ") else { return false }
        let rest = text[space...].drop { $0 == " " }
        return isMethod(text[..<space])
            && (rest.hasPrefix("/") || rest.hasPrefix("http") || rest.hasPrefix("{{"))
    }

    private func item(_ entry: YAMLNode.Entry, in group: String?) -> TreeItem? {
        guard !entry.key.contains("/") else {
            log.add(
                entry.keySpan,
                "a name cannot contain `/`",
                hint: "a target is named by its groups and itself, with `/` between them"
            )
            return .target(standIn(for: entry, in: group))
        }
        let id = group.map { "\($0)/\(entry.key)" } ?? entry.key
        switch entry.value.content {
        case .mapping(let entries) where isGroup(entries):
            let settings = entries.filter { $0.key == "defaults" && isOfGroup($0) }
            let note = entries.first { $0.key == "note" && isOfGroup($0) }
            let items = items(entries.filter { !isOfGroup($0) }, in: id)
            var group = TargetGroup(id: id, name: entry.key, items: items)
            if let note, let text = read.text(note.value, "`note`") {
                group.note = (text, note.keySpan)
            }
            for setting in settings where !setting.value.isNull {
                guard let fields = Fields(setting.value, of: .defaults, log: log) else { continue }
                let decoded = SettingsDecoder(log: log).decode(fields)
                group.defaults = (decoded, setting.keySpan)
            }
            return .group(group)
        case .sequence:
            log.add(
                entry.keySpan,
                "`\(entry.key)` cannot be a list",
                expected: "a target (`METHOD path`, or a mapping with `request`) or a group of them"
            )
            return .target(standIn(for: entry, in: group))
        default:
            return target(entry.value, name: entry.key, id: id, span: entry.keySpan)
                .map { .target($0) }
        }
    }

    /// Stands for an entry that is no target, which is logged, so that references to it are not reported too.
    private func standIn(for entry: YAMLNode.Entry, in group: String?) -> TargetDefinition {
        let line = Self.unreadable(entry.value)
        return TargetDefinition(
            id: TargetID(group.map { "\($0)/\(entry.key)" } ?? entry.key),
            name: entry.key,
            summary: nil,
            method: line.method,
            span: entry.keySpan,
            path: line.path,
            settings: RequestSettings(),
            body: .none,
            download: nil
        )
    }

    /// A mapping without `request` is a group, unless a key suggests that `request` was forgotten or misspelled.
    private func isGroup(_ entries: [YAMLNode.Entry]) -> Bool {
        for entry in entries {
            // A target may have any name, if it is a mapping with a request.
            if case .mapping = entry.value.content, looksLikeItem(entry.value) { continue }
            if entry.key == "request" { return false }
            if isOfGroup(entry) { continue }
            if entry.key == "like", !looksLikeItem(entry.value) { return false }
            // As other programs write a request.
            if ["method", "url", "uri", "path"].contains(entry.key), !looksLikeItem(entry.value) {
                return false
            }
            if Suggestion.nearest(to: entry.key, among: ["request"]) != nil { return false }
            if FormatSection[.target].names.contains(entry.key), !looksLikeItem(entry.value) {
                return false
            }
        }
        return true
    }

    /// Whether a target of this name in a group must be a mapping, for a request line would be taken for a key.
    package static func needsMapping(_ name: String) -> Bool {
        Suggestion.nearest(to: name, among: ["request"]) != nil || name == "request"
    }

    /// Whether an entry of a group is the group's own `defaults` or `note`, rather than a target of that name.
    private func isOfGroup(_ entry: YAMLNode.Entry) -> Bool {
        if entry.key == "note", case .scalar = entry.value.content {
            return !looksLikeItem(entry.value)
        }
        guard entry.key == "defaults" else { return false }
        if case .mapping = entry.value.content { return !looksLikeItem(entry.value) }
        return entry.value.isNull
    }

    private func looksLikeItem(_ node: YAMLNode) -> Bool {
        switch node.content {
        case .scalar(let text, _): Self.isRequestLine(text)
        case .mapping(let entries):
            entries.contains { $0.key == "request" || looksLikeItem($0.value) }
        case .sequence: false
        }
    }

    /// Reads `METHOD path`; with `method`, which is sent as it is written, only the path.
    private func requestLine(
        _ node: YAMLNode,
        method: YAMLNode?
    ) -> (method: HTTPRequest.Method, path: Template)? {
        guard let method else { return requestLine(node) }
        guard let name = read.text(method, "`method`") else { return nil }
        guard let method = HTTPRequest.Method(name) else {
            log.add(
                method.span,
                "`\(name)` is not a method",
                expected: "letters, digits, and `!#$%&'*+-.^_|~` or a back-tick"
            )
            return nil
        }
        guard let path = read.text(node, "`request`"), !path.isEmpty else {
            log.add(node.span, "the request has no path", expected: "a path or a URL")
            return nil
        }
        return (method, Template(path, node.span, log))
    }

    private func requestLine(_ node: YAMLNode) -> (method: HTTPRequest.Method, path: Template)? {
        let form = "`METHOD path`, as in `GET /users`"
        guard case .scalar(let text, _) = node.content, !node.isNull else {
            log.add(node.span, "a request cannot be \(node.kindName)", expected: form)
            return nil
        }
        guard let space = text.firstIndex(of: " ") else {
            log.add(node.span, "`\(text)` is not a request", expected: form)
            return nil
        }
        let word = text[..<space]
        // Any word of capitals may be a method, but one close to a known method is a mistake.
        let nearest = Self.mistake(in: String(word))
        guard Self.isMethod(word), nearest == nil, let method = HTTPRequest.Method(String(word))
        else {
            let hint =
                nearest.map { "did you mean `\($0)`?" }
                ?? "another method stands under `method`, beside `request`"
            log.add(node.span, "`\(word)` is not a method", expected: form, hint: hint)
            return nil
        }
        let path = text[space...].drop { $0 == " " }
        guard !path.isEmpty else {
            log.add(node.span, "the request has no path", expected: form)
            return nil
        }
        return (method, Template(String(path), node.span, log))
    }

    private static let methods = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
    ]

    /// The known method that a word is taken for a mistyped form of; nil if there is none.
    private static func mistake(in word: String) -> String? {
        methods.contains(word) ? nil : Suggestion.nearest(to: word, among: methods)
    }

    /// Whether a request line can have a method; another one needs the key `method`.
    static func fitsRequestLine(method: String) -> Bool {
        isMethod(method[...]) && mistake(in: method) == nil
    }

    private static func isMethod(_ word: Substring) -> Bool {
        !word.isEmpty && word.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x2D }
    }

    private func body(_ fields: Fields) -> BodySetting {
        let bodies = fields.entries(of: Self.bodyKeys)
        guard let entry = bodies.first else { return .none }
        for extra in bodies.dropFirst() {
            log.add(
                extra.keySpan,
                "a request can have only one body, and this one already has `\(entry.key)`",
                expected: Fields.list(Self.bodyKeys)
            )
        }
        switch entry.key {
        case "json": return .json(TemplateValue(entry.value, log))
        case "form":
            return .form(
                read.entries(entry.value, "`form`").map {
                    TemplateValue.Member(name: $0.key, value: TemplateValue($0.value, log))
                }
            )
        case "multipart":
            return .multipart(read.entries(entry.value, "`multipart`").flatMap(parts))
        case "graphql": return graphQL(entry.value).map { .graphQL($0) } ?? .none
        case "upload": return upload(entry.value).map { .upload($0) } ?? .none
        default:
            let expected =
                "a string; other bodies stand under `json`, `form`, `multipart`, `graphql` or `upload`"
            return read.template(entry.value, "`body`", expected: expected).map { .text($0) }
                ?? .none
        }
    }

    private func sample(_ node: YAMLNode) -> SampleSetting? {
        guard let fields = Fields(node, of: .sample, log: log) else { return nil }
        let bodies = fields.entries(of: ["json", "body", "file"])
        for extra in bodies.dropFirst() {
            log.add(
                extra.keySpan,
                "a sample can have only one body, and this one already has `\(bodies[0].key)`",
                expected: "`json`, `body` or `file`"
            )
        }
        var setting = SampleSetting(
            status: read.integer(fields["status"], "`status`", in: 100...599) ?? 200,
            headers: SettingsDecoder(log: log).headers(fields)
        )
        switch bodies.first?.key {
        case "json": setting.body = .json(TemplateValue(bodies[0].value, log))
        case "body":
            if let text = read.template(bodies[0].value, "`body`") { setting.body = .text(text) }
        case "file":
            setting.file = read.text(bodies[0].value, "`file`").map {
                TextFile.resolve($0, besideFile: node.span.source.name)
            }
        default: break
        }
        return setting
    }

    /// Reads the parts with one name: a list has a part for each element.
    private func parts(_ entry: YAMLNode.Entry) -> [PartSetting] {
        var nodes = [entry.value]
        if case .sequence(let elements) = entry.value.content { nodes = elements }
        return nodes.compactMap { node in
            guard case .mapping = node.content else {
                let value = TemplateValue(node, log)
                return PartSetting(name: entry.key, content: .text(value))
            }
            let what = "the part `\(entry.key)`"
            guard let fields = Fields(node, of: .part, what, log: log) else { return nil }
            guard fields["file"] != nil else {
                guard fields.misspelt.isEmpty else { return nil }
                log.add(node.span, "\(what) has no `file`", expected: "a file's path, or a string")
                return nil
            }
            let file = node.span.source.name
            guard let path = read.template(fields["file"], "`file`") else { return nil }
            let folder = fields["from"].flatMap { read.text($0, "`from`") }
            let setting = UploadSetting(
                path: path,
                folder: folder.map { TextFile.resolve($0, besideFile: file) },
                besideFile: file
            )
            let type = read.template(fields["type"], "`type`")
            return PartSetting(name: entry.key, content: .file(setting, type: type))
        }
    }

    private func graphQL(_ node: YAMLNode) -> GraphQLSetting? {
        guard case .mapping = node.content else {
            return read.template(node, "`graphql`").map {
                GraphQLSetting(query: $0, operation: nil, variables: nil)
            }
        }
        guard let fields = Fields(node, of: .graphql, log: log) else { return nil }
        guard fields["query"] != nil else {
            guard fields.misspelt.isEmpty else { return nil }
            log.add(node.span, "`graphql` has no `query`", expected: "the text of a query")
            return nil
        }
        guard let query = read.template(fields["query"], "`query`") else { return nil }
        if let variables = fields["variables"] {
            guard case .mapping = variables.content else {
                log.add(variables.span, "`variables` must be a mapping")
                return nil
            }
        }
        return GraphQLSetting(
            query: query,
            operation: read.template(fields["operation"], "`operation`"),
            variables: fields["variables"].map { TemplateValue($0, log) }
        )
    }

    private func upload(_ node: YAMLNode) -> UploadSetting? {
        let file = node.span.source.name
        guard case .mapping = node.content else {
            return read.template(node, "`upload`").map {
                UploadSetting(path: $0, folder: nil, besideFile: file)
            }
        }
        guard let fields = Fields(node, of: .upload, log: log) else {
            return nil
        }
        guard fields["file"] != nil, fields["from"] != nil else {
            guard fields.misspelt.isEmpty else { return nil }
            log.add(node.span, "`upload` is not complete", expected: "`file` and `from`")
            return nil
        }
        guard let path = read.template(fields["file"], "`file`"),
            let folder = read.text(fields["from"], "`from`")
        else { return nil }
        return UploadSetting(
            path: path,
            folder: TextFile.resolve(folder, besideFile: file),
            besideFile: file
        )
    }

    private func download(_ node: YAMLNode) -> DownloadSetting? {
        let file = node.span.source.name
        if case .mapping = node.content {
            guard
                let fields = Fields(node, of: .download, log: log)
            else { return nil }
            guard fields["to"] != nil else {
                log.add(node.span, "`download` has no `to`", expected: "a file's path")
                return nil
            }
            let replaces = read.boolean(fields["replace"], "`replace`") ?? false
            return read.template(fields["to"], "`to`").map {
                DownloadSetting(path: $0, replacesExisting: replaces, besideFile: file)
            }
        }
        return read.template(node, "`download`").map {
            DownloadSetting(path: $0, replacesExisting: false, besideFile: file)
        }
    }
}
