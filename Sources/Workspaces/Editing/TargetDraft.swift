/// A request as written, for editing: `{{ name }}` is not filled in.
package struct TargetDraft: Sendable, Hashable {
    /// A header field, a query parameter, a member of a form or an option.
    package struct Row: Sendable, Hashable {
        /// The name as written, of the field, parameter, member or option.
        package var name: String
        /// Its value as written; nil removes an inherited row, or means that an option is not set.
        package var value: String?
        /// Where it is inherited from: "defaults", "environment local"; nil if the target itself has it.
        package var inheritedFrom: String?
        /// What an option is while nothing sets it, in words; nil if there are none.
        package var standard: String?

        /// Makes a row.
        package init(
            _ name: String,
            _ value: String?,
            inheritedFrom: String? = nil,
            standard: String? = nil
        ) {
            self.name = name
            self.value = value
            self.inheritedFrom = inheritedFrom
            self.standard = standard
        }
    }

    /// The credentials that are sent.
    package enum Authorization: Sendable, Hashable {
        /// Those of the environment or the defaults.
        case inherited
        case none
        case bearer(String)
        case basic(user: String, password: String)
        /// Sent in response to a server's challenge (RFC 7616), which costs one more request.
        case digest(user: String, password: String)
        /// Another kind, by its name, which only the file itself can change.
        case other(String)
    }

    /// The credentials that `Authorization.inherited` stands for.
    package struct InheritedAuthorization: Sendable, Hashable {
        /// The credentials that are sent unless the request has its own; never `inherited`.
        package var authorization: Authorization
        /// What sets them: "defaults", "environment local".
        package var source: String

        /// Makes inherited credentials.
        package init(_ authorization: Authorization, from source: String) {
            self.authorization = authorization
            self.source = source
        }
    }

    /// The body of the request.
    package enum Body: Sendable, Hashable {
        case none
        case text(String)
        /// JSON as text; a string that is only `{{ name }}` takes the variable's type.
        case json(String)
        case form([Row])
        /// Parts of a form, each as `Row.Part` says.
        case multipart([Row])
        /// A GraphQL query, its variables as JSON, and the operation to run if the query has several.
        case graphQL(query: String, variables: String, operation: String)
        /// A file's path.
        case file(String)
    }

    /// The names of the options of a workspace's target: all settings that are not part of the request itself.
    package static let optionNames =
        FormatSection.settings.map(\.name).filter { !["headers", "query", "auth"].contains($0) }
        + ["download", "defaults"]

    /// The request method as written, such as `GET`.
    package var method: String
    /// The path, or a whole URL.
    package var url: String
    /// The header fields, in order; inherited ones first.
    package var headers: [Row]
    /// The query parameters that are not in the URL, in order; inherited ones first.
    ///
    /// A list has a row for each element.
    package var query: [Row]
    /// How the request says who sends it; by default `inherited`.
    package var authorization: Authorization
    /// What is inherited if the request has no credentials of its own; nil for nothing.
    package var inheritedAuthorization: InheritedAuthorization?
    /// What is sent as the body, in the form in which it is edited.
    package var body: Body
    /// All other settings: a row for each of `optionNames`, if it is a workspace's target.
    ///
    /// A value in brackets is YAML.
    package var options: [Row]

    /// Makes a draft.
    package init(
        method: String,
        url: String,
        headers: [Row] = [],
        query: [Row] = [],
        authorization: Authorization = .inherited,
        body: Body = .none,
        options: [Row] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.query = query
        self.authorization = authorization
        self.body = body
        self.options = options
    }
}

// MARK: - Its texts

extension TargetDraft {
    /// All texts but the method, as they are written.
    package var texts: [String] {
        var texts: [String] = []
        _ = mapTexts { text, _ in
            texts.append(text)
            return text
        }
        return texts
    }

    /// The draft with each of its texts but the method changed; the second argument says whether a text is JSON.
    package func mapTexts(_ change: (String, Bool) -> String) -> TargetDraft {
        var draft = self
        draft.url = change(url, false)
        draft.headers = Self.mapping(headers, change)
        draft.query = Self.mapping(query, change)
        draft.options = Self.mapping(options, change)
        switch authorization {
        case .inherited, .none, .other: break
        case .bearer(let token): draft.authorization = .bearer(change(token, false))
        case .basic(let user, let password):
            let user = change(user, false)
            draft.authorization = .basic(user: user, password: change(password, false))
        case .digest(let user, let password):
            let user = change(user, false)
            draft.authorization = .digest(user: user, password: change(password, false))
        }
        draft.body = body.mapTexts(change)
        return draft
    }

    fileprivate static func mapping(_ rows: [Row], _ change: (String, Bool) -> String) -> [Row] {
        rows.map { row in
            var row = row
            row.value = row.value.map { change($0, false) }
            return row
        }
    }
}

extension TargetDraft.Body {
    /// The rows of a form; empty for other bodies.
    package var formRows: [TargetDraft.Row] {
        switch self {
        case .form(let rows), .multipart(let rows): rows
        case .none, .text, .json, .graphQL, .file: []
        }
    }

    /// The body with each of its texts changed; the second argument says whether a text is JSON.
    package func mapTexts(_ change: (String, Bool) -> String) -> TargetDraft.Body {
        switch self {
        case .none: .none
        case .text(let text): .text(change(text, false))
        case .json(let text): .json(change(text, true))
        case .form(let rows): .form(TargetDraft.mapping(rows, change))
        case .multipart(let rows): .multipart(TargetDraft.mapping(rows, change))
        case .graphQL(let query, let variables, let operation):
            .graphQL(
                query: change(query, false),
                variables: change(variables, true),
                operation: change(operation, false)
            )
        case .file(let path): .file(change(path, false))
        }
    }

    /// The key in a workspace's target that this kind of body stands under; nil if there is no body.
    package var key: String? {
        switch self {
        case .none: nil
        case .text: "body"
        case .json: "json"
        case .form: "form"
        case .multipart: "multipart"
        case .graphQL: "graphql"
        case .file: "upload"
        }
    }
}

// MARK: - Parts of a form

extension TargetDraft.Row {
    /// What the value of a part of a multipart form stands for.
    ///
    /// That of a file is "@" and its path, optionally followed by ";type=" and its type. A text that begins with
    /// "@" is written with "\\@".
    package enum Part: Sendable, Hashable {
        case text(String)
        case file(path: String, type: String?)
    }

    /// Makes the row of a part.
    package init(_ name: String, _ part: Part) {
        switch part {
        case .text(let text):
            let isMarked = text.hasPrefix("@") || text.hasPrefix("\\@")
            self.init(name, isMarked ? "\\\(text)" : text)
        case .file(let path, let type):
            self.init(name, "@\(path)" + (type.map { ";type=\($0)" } ?? ""))
        }
    }

    /// The part that the row stands for.
    package var part: Part {
        let value = value ?? ""
        guard value.hasPrefix("@") else {
            let isMarked = value.hasPrefix("\\@") || value.hasPrefix("\\\\@")
            return .text(isMarked ? String(value.dropFirst()) : value)
        }
        let path = value.dropFirst()
        guard let mark = path.firstRange(of: ";type=") else {
            return .file(path: String(path), type: nil)
        }
        return .file(
            path: String(path[..<mark.lowerBound]),
            type: String(path[mark.upperBound...])
        )
    }
}

extension TargetDraft {
    /// The option that says whether a target takes the workspace's defaults.
    package static let defaultsOption = "defaults"
    /// The option's value if it does not.
    private static let noDefaults = "none"

    /// Whether the workspace's and the environment's fields, query, credentials and cookies are added.
    package var takesDefaults: Bool {
        get { options.first { $0.name == Self.defaultsOption }?.value != Self.noDefaults }
        set {
            options.removeAll { $0.name == Self.defaultsOption }
            if !newValue { options.append(Row(Self.defaultsOption, Self.noDefaults)) }
        }
    }

    /// The draft without the workspace's defaults.
    package var asItStands: TargetDraft {
        var draft = self
        draft.takesDefaults = false
        return draft
    }
}
