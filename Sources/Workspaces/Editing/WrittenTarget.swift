import Apus
import HTTPTypes

/// A target as its file has it, for editing: `{{ name }}` in it is not filled in.
package struct WrittenTarget: Sendable, Hashable {
    /// A header field, a query parameter, a member of a form or an option.
    package struct Row: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Its value as written; nil takes an inherited one away, or says that an option is not set.
        package var value: String?
        /// Where it comes from if the target does not say it: "defaults", "environment local".
        package var inheritedFrom: String?

        /// Makes a row.
        package init(_ name: String, _ value: String?, inheritedFrom: String? = nil) {
            self.name = name
            self.value = value
            self.inheritedFrom = inheritedFrom
        }
    }

    /// The credentials that are sent.
    package enum Authorization: Sendable, Hashable {
        /// Whatever stands around the target.
        case inherited
        case none
        case bearer(String)
        case basic(user: String, password: String)
        case digest(user: String, password: String)
    }

    /// What is sent behind the head.
    package enum Body: Sendable, Hashable {
        case none
        case text(String)
        /// JSON as text.
        case json(String)
        case form([Row])
        /// Parts; the value of one that is a file is "@" and its path, then perhaps ";type=" and its type. "\\@"
        /// begins a text with that sign.
        case multipart([Row])
        /// The query, the variables as JSON, and which operation of the query is run if it has several.
        case graphQL(query: String, variables: String, operation: String)
        /// A file's path.
        case file(String)
    }

    /// What a target can set that is no part of the request itself.
    package static let optionNames =
        SettingsDecoder.keys.filter { !["headers", "query", "auth"].contains($0) } + ["download"]

    /// The request method.
    package var method: String
    /// The path, or the whole URL.
    package var url: String
    /// The header fields; inherited ones first.
    package var headers: [Row]
    /// The query parameters beside those in the URL; a list has a row for each element.
    package var query: [Row]
    /// The credentials.
    package var authorization: Authorization
    /// The body.
    package var body: Body
    /// A row for each of `optionNames`; those in brackets are YAML.
    package var options: [Row]

    /// Makes a target.
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

extension Workspace {
    /// A target as it is written, with what it gets from the defaults and an environment.
    package func written(_ target: TargetDefinition, in environment: String) -> WrittenTarget {
        let environment = self.environment(environment)
        let layers: [(settings: RequestSettings, name: String?)] = [
            (defaults, "defaults"), (environment.settings, "environment \(environment.name)"),
            (target.settings, nil),
        ]
        return WrittenTarget(
            method: target.method.rawValue,
            url: target.path.text,
            headers: Self.inheriting(
                layers.map { layer in layer.settings.headers.map { $0.row(layer.name) } }
            ) { $0.lowercased() },
            query: Self.inheriting(
                layers.map { layer in layer.settings.query.flatMap { $0.rows(layer.name) } }
            ) { $0 },
            authorization: WrittenTarget.Authorization(target.settings.authorization),
            body: WrittenTarget.Body(target.body),
            options: WrittenTarget.optionNames.map { name in
                for layer in layers.reversed() {
                    guard let text = layer.settings.writtenOption(name) else { continue }
                    return WrittenTarget.Row(name, text, inheritedFrom: layer.name)
                }
                return WrittenTarget.Row(name, nil)
            }
        )
    }

    /// What the last layer says, behind what it lets through of those under it.
    private static func inheriting(
        _ layers: [[WrittenTarget.Row]],
        _ key: (String) -> String
    ) -> [WrittenTarget.Row] {
        layers.reduce(into: []) { rows, layer in
            let names = Set(layer.map { key($0.name) })
            rows.removeAll { names.contains(key($0.name)) || $0.value == nil }
            rows += layer
        }
    }
}

extension RequestSettings.Header {
    fileprivate func row(_ origin: String?) -> WrittenTarget.Row {
        WrittenTarget.Row(name.rawName, value?.text, inheritedFrom: origin)
    }
}

extension RequestSettings.QueryItem {
    fileprivate func rows(_ origin: String?) -> [WrittenTarget.Row] {
        guard let value else { return [WrittenTarget.Row(name, nil, inheritedFrom: origin)] }
        return value.texts.map { WrittenTarget.Row(name, $0, inheritedFrom: origin) }
    }
}

extension RequestSettings {
    /// An option as it is written, in one line.
    fileprivate func writtenOption(_ name: String) -> String? {
        guard let node = written.first(where: { $0.key == name })?.value else { return nil }
        if case .scalar(let text, _) = node.content { return text }
        return YAMLWriter().flow(Value(node))
    }
}

extension WrittenTarget.Authorization {
    init(_ authorization: RequestSettings.Authorization?) {
        self =
            switch authorization {
            case nil: .inherited
            case .some(.none): .none
            case .bearer(let token): .bearer(token.text)
            case .basic(let user, let password):
                .basic(user: user.text, password: password.text)
            case .digest(let user, let password):
                .digest(user: user.text, password: password.text)
            }
    }
}

extension WrittenTarget.Body {
    init(_ body: BodySetting) {
        self =
            switch body {
            case .none: .none
            case .text(let template): .text(template.text)
            case .json(let value): .json(value.written.prettyJSON)
            case .form(let members):
                .form(
                    members.flatMap { member in
                        member.value.texts.map { WrittenTarget.Row(member.name, $0) }
                    }
                )
            case .multipart(let parts): .multipart(parts.flatMap(\.rows))
            case .graphQL(let setting):
                .graphQL(
                    query: setting.query.text,
                    variables: setting.variables?.written.prettyJSON ?? "",
                    operation: setting.operation?.text ?? ""
                )
            case .upload(let setting): .file(setting.path.text)
            }
    }
}

extension PartSetting {
    fileprivate var rows: [WrittenTarget.Row] {
        switch content {
        case .text(let value):
            value.texts.map { text in
                let isMarked = text.hasPrefix("@") || text.hasPrefix("\\@")
                return WrittenTarget.Row(name, isMarked ? "\\\(text)" : text)
            }
        case .file(let setting, let type):
            [
                WrittenTarget.Row(
                    name,
                    "@\(setting.path.text)" + (type.map { ";type=\($0.text)" } ?? "")
                )
            ]
        }
    }
}

extension TemplateValue {
    /// The value with its templates as texts.
    var written: Value {
        switch self {
        case .constant(let value): value
        case .text(let template): .string(template.text)
        case .array(let elements): .array(elements.map(\.written))
        case .object(let members):
            .object(members.map { Value.Member($0.name, $0.value.written) })
        }
    }

    /// A text for each element of a list.
    fileprivate var texts: [String] {
        if case .array(let elements) = self { return elements.map { $0.written.scalarText ?? "" } }
        return [written.scalarText ?? ""]
    }
}
