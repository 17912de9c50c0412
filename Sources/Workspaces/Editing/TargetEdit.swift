import Apus
import Documents
import Secrets

/// Writes the differences between two versions of a target: into its file's text, or into its value.
struct TargetEdit<Editor: ValueEditing> {
    private typealias Row = TargetDraft.Row

    private(set) var editor: Editor
    private let path: [YAMLStep]

    init(_ editor: Editor, at path: [YAMLStep]) {
        self.editor = editor
        self.path = path
    }

    mutating func apply(
        from old: TargetDraft,
        to new: TargetDraft
    ) throws(YAMLEditError) {
        try Self.refuseMasks(in: new, old)
        if old.withoutLine != new.withoutLine { try makeMapping() }
        if old.line != new.line {
            guard !new.method.isEmpty, !new.url.isEmpty else {
                throw YAMLEditError(message: "a request needs a method and a path or a URL")
            }
            try setLine(old, new)
        }
        try setRows(
            Self.own(old.headers, byField: true),
            Self.own(new.headers, byField: true),
            under: "headers",
            byField: true
        )
        try setRows(Self.own(old.query), Self.own(new.query), under: "query")
        try setAuthorization(old.authorization, new.authorization)
        try setBody(old.body, new.body)
        try setOptions(Self.own(old.options), Self.own(new.options))
    }

    /// Writes the method and the URL: in one line, or the method under its own key if a line cannot have it.
    ///
    /// A method that is typed over another one never gets its own key, because it is probably a mistake.
    fileprivate mutating func setLine(
        _ old: TargetDraft,
        _ new: TargetDraft
    ) throws(YAMLEditError) {
        let isTyped = old.method != new.method
        guard !isTyped, !TargetDecoder.fitsRequestLine(method: new.method) else {
            let isLine = editor.value(at: path)?.scalarText != nil
            try editor.set(.string(new.line), at: isLine ? path : at("request"))
            if !isLine, editor.value(at: at("method")) != nil {
                try editor.remove(at: at("method"))
            }
            return
        }
        try makeMapping()
        try editor.set(.string(new.url), at: at("request"))
        try editor.set(.string(new.method), at: at("method"))
    }

    private func at(_ keys: String...) -> [YAMLStep] { path + keys.map { .key($0) } }

    /// Turns `GET /path` into `request: GET /path`, so that more keys can be added.
    private mutating func makeMapping() throws(YAMLEditError) {
        guard editor.value(at: path)?.scalarText != nil else { return }
        try editor.wrap(at: path, in: "request")
    }
}

extension Value {
    /// The value of a new target.
    init(_ target: TargetDraft) throws(YAMLEditError) {
        let bare = TargetDraft(method: target.method, url: target.url)
        let isLine = TargetDecoder.fitsRequestLine(method: target.method)
        let start = isLine ? Value.string(target.line) : .object([])
        var edit = TargetEdit(start, at: [])
        if !isLine { try edit.setLine(bare, bare) }
        try edit.apply(from: bare, to: target)
        self = edit.editor
    }
}

extension TargetDraft {
    /// The draft as the value of a target in a workspace file: a request line, or a mapping.
    ///
    /// - Throws: `RequestTextError` if no file can have it, such as JSON that is none.
    package func written() throws(RequestTextError) -> Value {
        do throws(YAMLEditError) { return try Value(self) } catch {
            throw RequestTextError(error.message)
        }
    }
}

// MARK: - Its parts

extension TargetEdit {
    /// Writes rows; several rows of one name become a list, because a mapping has each key once.
    ///
    /// A new name is written after the one before it, so that the file has the order of the screen. Names of
    /// header fields are compared without regard to case.
    private mutating func setRows(
        _ old: [Row],
        _ new: [Row],
        under key: String,
        byField: Bool = false
    ) throws(YAMLEditError) {
        guard old != new else { return }
        var done: Set<String> = []
        var last: String?
        for row in new where done.insert(row.key(byField)).inserted {
            let before = old.first { $0.key(byField) == row.key(byField) }
            let name = before?.name ?? row.name
            let values = Self.values(of: row, in: new, byField)
            let same = old.filter { $0.key(byField) == row.key(byField) }
            if values != same.map(\.value) {
                try write(values, named: name, under: key, behind: last)
                for other in Set(same.map(\.name)) where other != name {
                    try editor.remove(at: at(key, other))
                }
            }
            // What removes an inherited row is not sent, so that it has no position among the others.
            if values != [nil] { last = name }
        }
        try remove(old.filter { !done.contains($0.key(byField)) }, of: old, key)
    }

    /// The values of all rows with a row's name; nil alone if none of them is sent.
    private static func values(of row: Row, in rows: [Row], _ byField: Bool) -> [String?] {
        let all = rows.filter { $0.key(byField) == row.key(byField) }.map(\.value)
        let sent = all.filter { $0 != nil }
        return sent.isEmpty ? [nil] : sent
    }

    /// Writes the values of a name: one as it is, several as a list.
    private mutating func write(
        _ values: [String?],
        named name: String,
        under key: String,
        behind last: String?
    ) throws(YAMLEditError) {
        let before = editor.value(at: at(key, name))
        var elements: [Value] = []
        var isList = values.count > 1
        if case .array(let list) = before {
            (elements, isList) = (list, values != [nil])
        } else if let before {
            elements = [before]
        }
        let wanted = values.enumerated().map { index, text in
            let same = elements.indices.contains(index) ? elements[index] : nil
            return same.flatMap { $0.scalarText == text ? $0 : nil }
                ?? text.map { Value(text: $0) } ?? .null
        }
        let value = isList ? Value.array(wanted) : wanted[0]
        guard before == nil, values != [nil] else {
            return try editor.change(at: at(key, name), from: before, to: value)
        }
        try editor.add(value, named: name, behind: last, at: at(key))
    }

    /// Removes entries; removing the last one removes the mapping, except for `form`.
    private mutating func remove(
        _ rows: [Row],
        of all: [Row],
        _ key: String
    ) throws(YAMLEditError) {
        var names: [String] = []
        for row in rows where !names.contains(row.name) { names.append(row.name) }
        guard !names.isEmpty else { return }
        if case .object(let members) = editor.value(at: at(key)),
            members.allSatisfy({ names.contains($0.name) })
        {
            guard key == "form" else { return try editor.remove(at: at(key)) }
            return try editor.set(.object([]), at: at(key))
        }
        for name in names { try editor.remove(at: at(key, name)) }
    }

    private mutating func setAuthorization(
        _ old: TargetDraft.Authorization,
        _ new: TargetDraft.Authorization
    ) throws(YAMLEditError) {
        guard old != new else { return }
        let before = editor.value(at: at("auth"))
        switch new {
        case .inherited: try editor.remove(at: at("auth"))
        case .none: try editor.set(.string("none"), at: at("auth"))
        // It is there already: nothing else makes one.
        case .other: break
        case .bearer(let token):
            let value = Value.object([Value.Member("bearer", Value(text: token))])
            try editor.change(at: at("auth"), from: before, to: value)
        case .basic(let user, let password):
            try editor.change(
                at: at("auth"),
                from: before,
                to: Self.authorization("basic", user, password)
            )
        case .digest(let user, let password):
            try editor.change(
                at: at("auth"),
                from: before,
                to: Self.authorization("digest", user, password)
            )
        }
    }

    private static func authorization(_ name: String, _ user: String, _ password: String) -> Value {
        let pair = Value.object([
            Value.Member("user", Value(text: user)),
            Value.Member("password", Value(text: password)),
        ])
        return .object([Value.Member(name, pair)])
    }

    private mutating func setBody(
        _ old: TargetDraft.Body,
        _ new: TargetDraft.Body
    ) throws(YAMLEditError) {
        guard old != new else { return }
        if let key = old.key, key != new.key { try editor.remove(at: at(key)) }
        switch new {
        case .none: break
        case .text(let text): try editor.set(Value(text: text), at: at("body"))
        case .json(let text):
            let value = try Self.value(ofJSON: text)
            try editor.change(at: at("json"), from: editor.value(at: at("json")), to: value)
        case .form(let rows):
            if case .form(let before) = old {
                try setRows(before, rows, under: "form")
            } else {
                try editor.set(.object([]), at: at("form"))
                try setRows([], rows, under: "form")
            }
        case .multipart(let rows): try setParts(old, rows)
        case .graphQL(let query, let variables, let operation):
            try setGraphQL(query, variables, operation)
        case .file(let path):
            let isMapping = editor.value(at: at("upload", "file")) != nil
            try editor.set(Value(text: path), at: isMapping ? at("upload", "file") : at("upload"))
        }
    }

    /// Writes the parts of a multipart form; unchanged parts stay as they are written.
    private mutating func setParts(
        _ old: TargetDraft.Body,
        _ rows: [Row]
    ) throws(YAMLEditError) {
        var before: [Row] = []
        if case .multipart(let rows) = old { before = rows }
        var members: [Value.Member] = []
        for name in rows.map(\.name) where !members.contains(where: { $0.name == name }) {
            let parts = rows.filter { $0.name == name }
            if parts.map(\.value) == before.filter({ $0.name == name }).map(\.value),
                let kept = editor.value(at: at("multipart", name))
            {
                members.append(Value.Member(name, kept))
                continue
            }
            let values = parts.map { Value($0.part) }
            members.append(Value.Member(name, values.count == 1 ? values[0] : .array(values)))
        }
        let value = Value.object(members)
        try editor.change(at: at("multipart"), from: editor.value(at: at("multipart")), to: value)
    }

    private mutating func setGraphQL(
        _ query: String,
        _ variables: String,
        _ operation: String
    ) throws(YAMLEditError) {
        var members = [Value.Member("query", .string(query))]
        if !operation.isEmpty { members.append(Value.Member("operation", .string(operation))) }
        if !variables.isEmpty {
            let value = try Self.value(ofJSON: variables)
            guard case .object(let names) = value else {
                throw YAMLEditError(message: "GraphQL variables must be a JSON object")
            }
            if !names.isEmpty { members.append(Value.Member("variables", value)) }
        }
        // A query without other members stays a plain text if it was one.
        let before = editor.value(at: at("graphql"))
        let isLine = members.count == 1 && before?.scalarText != nil
        try editor.change(
            at: at("graphql"),
            from: before,
            to: isLine ? .string(query) : .object(members)
        )
    }

    private mutating func setOptions(_ old: [Row], _ new: [Row]) throws(YAMLEditError) {
        for row in new {
            let before = old.first { $0.name == row.name }?.value
            guard let text = row.value, text != before else { continue }
            let value = Value(typed: text)
            try editor.change(at: at(row.name), from: editor.value(at: at(row.name)), to: value)
        }
        for row in old where row.value != nil {
            guard new.first(where: { $0.name == row.name })?.value == nil else { continue }
            try editor.remove(at: at(row.name))
        }
    }

    private static func value(ofJSON text: String) throws(YAMLEditError) -> Value {
        let json: JSON
        do throws(DocumentFault) {
            json = try JSON(parsing: text)
        } catch {
            let line = text.utf8.prefix(error.offset).count { $0 == 0x0A } + 1
            let hint =
                text.contains("{{") ? "; write `{{ name }}` in quotes; it keeps its type" : ""
            throw YAMLEditError(message: "the body is not JSON (line \(line))\(hint)")
        }
        guard let value = Value(json) else {
            throw YAMLEditError(
                message: "the JSON body is nested more than \(Value.maximumLevels) levels deep"
            )
        }
        if let name = value.repeatedName {
            throw YAMLEditError(message: "the JSON body has the member `\(name)` twice")
        }
        return value
    }

    /// The target's own rows, including those that remove inherited ones.
    ///
    /// If some rows of a name are the target's own, all of them are: its own replace the inherited ones in the
    /// file, and what is shown is sent.
    private static func own(_ rows: [Row], byField: Bool = false) -> [Row] {
        let names = Set(
            rows.filter { $0.inheritedFrom == nil || $0.value == nil }.map { $0.key(byField) }
        )
        return rows.filter { names.contains($0.key(byField)) }
    }

    /// Refuses new texts with the mask in them, which only stands for a credential on the screen.
    private static func refuseMasks(
        in new: TargetDraft,
        _ old: TargetDraft
    ) throws(YAMLEditError) {
        let before = Set(old.texts)
        guard
            new.texts.contains(where: { $0.contains(CredentialMask.mask) && !before.contains($0) })
        else { return }
        throw YAMLEditError(
            message: "\(CredentialMask.mask) stands for a hidden credential: enter a new value"
        )
    }
}

extension TargetDraft {
    /// The request line: `GET /users`.
    fileprivate var line: String { "\(method) \(url)" }

    /// The target without what a target in one line has: the request line and inherited rows.
    fileprivate var withoutLine: TargetDraft {
        var target = self
        (target.method, target.url) = ("", "")
        target.inheritedAuthorization = nil
        for rows in [\TargetDraft.headers, \.query, \.options] {
            target[keyPath: rows].removeAll {
                $0.inheritedFrom != nil && $0.value != nil
                    || rows == \.options && $0.value == nil
            }
        }
        return target
    }
}

extension TargetDraft.Row {
    /// What rows of the same name have in common.
    fileprivate func key(_ isField: Bool) -> String { isField ? name.asciiLowercased : name }
}

extension Value {
    /// The value of a typed text: text in brackets is YAML, except `{{ name }}`.
    init(typed text: String) {
        guard text.hasPrefix("{") && !text.hasPrefix("{{") || text.hasPrefix("["),
            let value = YAMLEditor(text)?.model
        else {
            self.init(text: text)
            return
        }
        self = value
    }

    /// The value of a plain scalar, except that null becomes text.
    init(text: String) {
        let value = Value(plain: text)
        self = value == .null ? .string(text) : value
    }

    /// The value of a part of a multipart form.
    fileprivate init(_ part: TargetDraft.Row.Part) {
        switch part {
        case .text(let text): self = Value(text: text)
        case .file(let path, let type):
            let type = type.map { Member("type", Value(text: $0)) }
            self = .object([Member("file", Value(text: path))] + (type.map { [$0] } ?? []))
        }
    }

    /// A name that an object in the value has twice; nil if there is none.
    fileprivate var repeatedName: String? {
        switch self {
        case .object(let members):
            var names: Set<String> = []
            return members.first { !names.insert($0.name).inserted }?.name
                ?? members.lazy.compactMap(\.value.repeatedName).first
        case .array(let elements): return elements.lazy.compactMap(\.repeatedName).first
        default: return nil
        }
    }
}
