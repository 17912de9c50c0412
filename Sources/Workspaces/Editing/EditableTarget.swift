import Apus
import Documents
import HTTPTypes

/// A target as written in its file, for editing; `{{ name }}` is not filled in.
package struct EditableTarget: Sendable, Hashable {
    /// A header field, a query parameter, a member of a form or an option.
    package struct Row: Sendable, Hashable {
        /// Its name.
        package var name: String
        /// Its value as written; nil removes an inherited one, or means that an option is not set.
        package var value: String?
        /// Where it is inherited from: "defaults", "environment local"; nil if the target itself has it.
        package var inheritedFrom: String?
        /// What an option is while nothing sets it.
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
        case digest(user: String, password: String)
    }

    /// The credentials that `Authorization.inherited` stands for.
    package struct InheritedAuthorization: Sendable, Hashable {
        /// The credentials.
        package var authorization: Authorization
        /// What sets them: "defaults", "environment local".
        package var source: String

        /// Makes inherited credentials.
        package init(_ authorization: Authorization, from source: String) {
            self.authorization = authorization
            self.source = source
        }
    }

    /// The request body.
    package enum Body: Sendable, Hashable {
        case none
        case text(String)
        /// JSON as text.
        case json(String)
        case form([Row])
        /// Parts; a file's value is "@" and its path, then optionally ";type=" and its type. A text that
        /// begins with "@" is escaped as "\\@".
        case multipart([Row])
        /// The query, the variables as JSON, and which operation of the query is run if it has several.
        case graphQL(query: String, variables: String, operation: String)
        /// A file's path.
        case file(String)
    }

    /// The names of the options that are not part of the request itself.
    package static let optionNames =
        SettingsDecoder.keys.filter { !["headers", "query", "auth"].contains($0) }
        + ["download", "defaults"]

    /// The request method.
    package var method: String
    /// The path, or a whole URL.
    package var url: String
    /// The header fields; inherited ones first.
    package var headers: [Row]
    /// The query parameters that are not in the URL; a list has a row for each element.
    package var query: [Row]
    /// The credentials.
    package var authorization: Authorization
    /// What is inherited if the target has no credentials of its own; nil for nothing.
    package var inheritedAuthorization: InheritedAuthorization?
    /// The body.
    package var body: Body
    /// A row for each of `optionNames`; a value in brackets is YAML.
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
    /// A target as written, with what it inherits from the defaults and an environment.
    package func written(_ target: TargetDefinition, in environment: String) -> EditableTarget {
        let environment = self.environment(environment)
        let layers: [(settings: RequestSettings, name: String?)] = [
            (defaults, "defaults"), (environment.settings, "environment \(environment.name)"),
            (target.settings, nil),
        ]
        let sent = target.takesDefaults ? layers : Array(layers.suffix(1))
        var authorization = EditableTarget.Authorization(target.settings.authorization)
        if authorization == .inherited, !target.takesDefaults { authorization = .none }
        var written = EditableTarget(
            method: target.method.rawValue,
            url: target.path.text,
            headers: Self.inheriting(
                sent.map { layer in layer.settings.headers.map { $0.row(layer.name) } }
            ) { $0.asciiLowercased },
            query: Self.inheriting(
                sent.map { layer in layer.settings.query.flatMap { $0.rows(layer.name) } }
            ) { $0 },
            authorization: authorization,
            body: EditableTarget.Body(target.body),
            options: EditableTarget.optionNames.map { name in
                let isTaken =
                    target.takesDefaults || RequestSettings.connectionOptions.contains(name)
                for layer in (isTaken ? layers : sent).reversed() {
                    guard let text = layer.settings.writtenOption(name) else { continue }
                    return EditableTarget.Row(name, text, inheritedFrom: layer.name)
                }
                return EditableTarget.Row(name, nil, standard: EditableTarget.standard(of: name))
            }
        )
        written.inheritedAuthorization =
            sent.reversed().lazy.compactMap { settings, name in
                guard let name, let authorization = settings.authorization else { return nil }
                return .init(EditableTarget.Authorization(authorization), from: name)
            }.first
        return written
    }

    /// The rows of the last layer, after the rows of earlier layers that it does not replace or remove.
    private static func inheriting(
        _ layers: [[EditableTarget.Row]],
        _ key: (String) -> String
    ) -> [EditableTarget.Row] {
        layers.reduce(into: []) { rows, layer in
            let names = Set(layer.map { key($0.name) })
            rows.removeAll { names.contains(key($0.name)) || $0.value == nil }
            rows += layer
        }
    }
}

extension EditableTarget {
    /// What an option is while nothing sets it, as a file would say it; nil if there are no words for it.
    fileprivate static func standard(of option: String) -> String? {
        let options = TransportOptions()
        func seconds(_ limit: Duration?) -> String {
            limit.map { "\($0.components.seconds) s" } ?? "never"
        }
        switch option {
        case "timeout": return seconds(options.timeout)
        case "connectTimeout": return seconds(options.connectTimeout)
        case "redirects": return "\(options.maximumRedirects)"
        case "trustRedirects": return "\(options.trustsRedirects)"
        case "verifyTLS": return "\(options.verifiesTLS)"
        case "httpVersion": return options.requestedVersion.rawValue
        case "decode": return "\(options.decodesContent)"
        case "maxBody": return "\(TransportOptions.standardMaximumBodySize >> 30) GiB"
        case "trace": return "\(options.tracesWire)"
        case "cookies": return "environment"
        case "validate", "cache", "clientCertificate", "download": return "none"
        case "source": return SourceName.cacheAndServer.rawValue
        case "caFile": return "the system's"
        case "proxy": return "as the shell's environment says"
        default: return nil
        }
    }
}

extension RequestSettings.Header {
    fileprivate func row(_ origin: String?) -> EditableTarget.Row {
        EditableTarget.Row(name.rawName, value?.text, inheritedFrom: origin)
    }
}

extension RequestSettings.QueryItem {
    fileprivate func rows(_ origin: String?) -> [EditableTarget.Row] {
        guard let value else { return [EditableTarget.Row(name, nil, inheritedFrom: origin)] }
        return value.texts.map { EditableTarget.Row(name, $0, inheritedFrom: origin) }
    }
}

extension RequestSettings {
    /// An option as written, in one line; nil if it is not set here.
    fileprivate func writtenOption(_ name: String) -> String? {
        guard let node = written.first(where: { $0.key == name })?.value else { return nil }
        if case .scalar(let text, _) = node.content { return text }
        return YAMLWriter().flow(Value(node))
    }
}

extension EditableTarget.Authorization {
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

extension EditableTarget.Body {
    init(_ body: BodySetting) {
        self =
            switch body {
            case .none: .none
            case .text(let template): .text(template.text)
            case .json(let value): .json(value.written.prettyJSON)
            case .form(let members):
                .form(
                    members.flatMap { member in
                        member.value.texts.map { EditableTarget.Row(member.name, $0) }
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
    fileprivate var rows: [EditableTarget.Row] {
        switch content {
        case .text(let value):
            value.texts.map { text in
                let isMarked = text.hasPrefix("@") || text.hasPrefix("\\@")
                return EditableTarget.Row(name, isMarked ? "\\\(text)" : text)
            }
        case .file(let setting, let type):
            [
                EditableTarget.Row(
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

    /// The text of each element of a list, or the one text of another value.
    fileprivate var texts: [String] {
        if case .array(let elements) = self { return elements.map { $0.written.scalarText ?? "" } }
        return [written.scalarText ?? ""]
    }
}
