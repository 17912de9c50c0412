import Apus
import Documents
import HTTPTypes

extension Workspace {
    /// A target as written, with what it inherits from the defaults and an environment.
    package func written(_ target: TargetDefinition, in environment: String) -> TargetDraft {
        let environment = self.environment(environment)
        let layers = layers(of: target, in: environment)
        let sent = target.takesDefaults ? layers : target.layers
        var authorization = TargetDraft.Authorization(target.settings.authorization)
        if authorization == .inherited, !target.takesDefaults { authorization = .none }
        var written = TargetDraft(
            method: target.method.rawValue,
            url: target.path.text,
            headers: Self.inheriting(
                sent.map { layer in layer.settings.headers.map { $0.row(layer.name) } }
            ) { $0.asciiLowercased },
            query: Self.inheriting(
                sent.map { layer in layer.settings.query.flatMap { $0.rows(layer.name) } }
            ) { $0 },
            authorization: authorization,
            body: TargetDraft.Body(target.sentBody),
            options: TargetDraft.optionNames.map { name in
                let isTaken =
                    target.takesDefaults || RequestSettings.connectionOptions.contains(name)
                for layer in (isTaken ? layers : sent).reversed() {
                    guard let text = layer.settings.writtenOption(name) else { continue }
                    return TargetDraft.Row(name, text, inheritedFrom: layer.name)
                }
                return TargetDraft.Row(name, nil, standard: TargetDraft.standard(of: name))
            }
        )
        written.inheritedAuthorization =
            sent.reversed().lazy.compactMap { settings, name in
                guard let name, let authorization = settings.authorization else { return nil }
                return .init(TargetDraft.Authorization(authorization), from: name)
            }.first
        return written
    }

    /// The rows of the last layer, after the rows of earlier layers that it does not replace or remove.
    private static func inheriting(
        _ layers: [[TargetDraft.Row]],
        _ key: (String) -> String
    ) -> [TargetDraft.Row] {
        layers.reduce(into: []) { rows, layer in
            let names = Set(layer.map { key($0.name) })
            rows.removeAll { names.contains(key($0.name)) || $0.value == nil }
            rows += layer
        }
    }
}

extension TargetDraft {
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
    fileprivate func row(_ origin: String?) -> TargetDraft.Row {
        TargetDraft.Row(name.rawName, value?.text, inheritedFrom: origin)
    }
}

extension RequestSettings.QueryItem {
    fileprivate func rows(_ origin: String?) -> [TargetDraft.Row] {
        guard let value else { return [TargetDraft.Row(name, nil, inheritedFrom: origin)] }
        return value.texts.map { TargetDraft.Row(name, $0, inheritedFrom: origin) }
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

extension TargetDraft.Authorization {
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
            case .ntlm, .negotiate, .netrc, .apiKey, .oauth2, .aws, .custom:
                .other(authorization?.words ?? "")
            }
    }
}

extension TargetDraft.Body {
    init(_ body: BodySetting) {
        self =
            switch body {
            case .none: .none
            case .text(let template): .text(template.text)
            case .json(let value): .json(value.written.prettyJSON)
            case .form(let members):
                .form(
                    members.flatMap { member in
                        member.value.texts.map { TargetDraft.Row(member.name, $0) }
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
    fileprivate var rows: [TargetDraft.Row] {
        switch content {
        case .text(let value): value.texts.map { TargetDraft.Row(name, .text($0)) }
        case .file(let setting, let type):
            [TargetDraft.Row(name, .file(path: setting.path.text, type: type?.text))]
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
