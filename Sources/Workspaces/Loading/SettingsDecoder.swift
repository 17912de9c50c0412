import Apus
import FoundationEssentials
import HTTPTypes

/// Reads the settings that `defaults`, an environment and a target have in common.
struct SettingsDecoder {
    let log: ProblemLog
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog) {
        self.log = log
    }

    func decode(_ fields: Fields) -> RequestSettings {
        var settings = RequestSettings()
        settings.baseURL = read.template(fields["baseURL"], "`baseURL`")
        settings.headers = headers(fields)
        settings.query = read.entries(fields["query"], "`query`").map(queryItem)
        settings.authorization = fields["auth"].flatMap(authorization)
        settings.validation = fields["validate"].flatMap(validation)
        settings.expectations =
            fields["expect"].map { ExpectationDecoder(log: log).decode($0) } ?? []
        settings.tags = (read.list(fields["tags"], "`tags`") ?? []).compactMap {
            read.text($0, "a tag")
        }
        settings.source = Self.source(fields["source"], log)
        if let cache = fields["cache"] { settings.cache = CacheDecoder(log: log).decode(cache) }
        decodeTransport(fields, into: &settings)
        settings.written = fields.entries(of: TargetDraft.optionNames)
        return settings
    }

    static func source(_ node: YAMLNode?, _ log: ProblemLog) -> DataSource? {
        let names = SourceName.allCases
        let choices = names.map { ($0.rawValue, $0.source) }
        return NodeReader(log: log).word(
            node,
            "`source`",
            Dictionary(uniqueKeysWithValues: choices),
            order: names.map(\.rawValue)
        )
    }

    private func decodeTransport(_ fields: Fields, into settings: inout RequestSettings) {
        settings.timeout = read.timeLimit(fields["timeout"], "`timeout`")
        settings.connectTimeout = read.timeLimit(fields["connectTimeout"], "`connectTimeout`")
        settings.maximumRedirects = read.integer(fields["redirects"], "`redirects`", in: 0...1000)
        settings.trustsRedirects = read.boolean(
            fields["trustRedirects"],
            "`trustRedirects`"
        )
        settings.verifiesTLS = read.boolean(fields["verifyTLS"], "`verifyTLS`")
        settings.certificateAuthorityFile = path(fields["caFile"], "`caFile`")
        settings.clientCertificate = fields["clientCertificate"].flatMap(certificate)
        settings.unixSocket = path(fields["unixSocket"], "`unixSocket`")
        settings.requestedVersion = read.word(
            fields["httpVersion"],
            "`httpVersion`",
            ["automatic": .automatic, "1.1": .http1, "2": .http2],
            order: ["automatic", "1.1", "2"]
        )
        settings.proxy = read.template(fields["proxy"], "`proxy`")
        settings.decodesContent = read.boolean(fields["decode"], "`decode`")
        settings.maximumBodySize = read.size(fields["maxBody"], "`maxBody`")
        settings.tracesWire = read.boolean(fields["trace"], "`trace`")
        settings.sendsCookies = read.word(
            fields["cookies"],
            "`cookies`",
            ["environment": true, "none": false],
            order: ["environment", "none"]
        )
    }

    /// Reads a path, and resolves it against the workspace file.
    private func path(_ node: YAMLNode?, _ what: String) -> String? {
        guard let node, let text = read.text(node, what) else { return nil }
        return TextFile.resolve(text, besideFile: node.span.source.name)
    }

    private func certificate(_ node: YAMLNode) -> RequestSettings.Certificate? {
        let what = "`clientCertificate`"
        guard case .mapping = node.content else {
            return path(node, what).map {
                RequestSettings.Certificate(file: $0, keyFile: nil, password: nil)
            }
        }
        guard let fields = Fields(node, of: .clientCertificate, log: log) else { return nil }
        guard fields["file"] != nil else {
            guard fields.misspelt.isEmpty else { return nil }
            log.add(node.span, "\(what) has no `file`", expected: "the path of a certificate")
            return nil
        }
        guard let file = path(fields["file"], "`file`") else { return nil }
        return RequestSettings.Certificate(
            file: file,
            keyFile: path(fields["key"], "`key`"),
            password: read.template(fields["password"], "`password`")
        )
    }

    /// The lines of the header fields under `headers`.
    func headers(_ fields: Fields) -> [RequestSettings.Header] {
        read.entries(fields["headers"], "`headers`").flatMap(fieldLines)
    }

    /// Reads a header field: a list has a line for each element, and null leaves the field out.
    private func fieldLines(_ entry: YAMLNode.Entry) -> [RequestSettings.Header] {
        guard let name = HTTPField.Name(entry.key) else {
            log.add(entry.keySpan, "`\(entry.key)` cannot be the name of a header field")
            return []
        }
        func line(_ node: YAMLNode, _ value: Template?) -> RequestSettings.Header {
            RequestSettings.Header(name: name, span: node.span, value: value)
        }
        let what = "the field `\(entry.key)`"
        guard case .sequence(let nodes) = entry.value.content else {
            if entry.value.isNull { return [line(entry.value, nil)] }
            let expected = "a string, a list of strings, or null to leave it out"
            return read.template(entry.value, what, expected: expected)
                .map { [line(entry.value, $0)] } ?? []
        }
        if nodes.isEmpty { return [line(entry.value, nil)] }
        return nodes.compactMap { node in
            read.template(node, "a line of \(what)").map { line(node, $0) }
        }
    }

    private func queryItem(_ entry: YAMLNode.Entry) -> RequestSettings.QueryItem {
        RequestSettings.QueryItem(
            name: entry.key,
            span: entry.value.span,
            value: entry.value.isNull ? nil : TemplateValue(entry.value, log)
        )
    }

    private func authorization(_ node: YAMLNode) -> RequestSettings.Authorization? {
        if case .scalar("none", _) = node.content { return RequestSettings.Authorization.none }
        guard let fields = Fields(node, of: .auth, log: log) else { return nil }
        let given = fields.entries(of: FormatSection[.auth].names)
        guard given.count == 1, let way = given.first else {
            guard fields.misspelt.isEmpty else { return nil }
            log.add(
                node.span,
                "`auth` needs exactly one method",
                expected: Fields.list(FormatSection[.auth].names)
            )
            return nil
        }
        switch way.key {
        case "bearer":
            return read.template(way.value, "`bearer`", expected: Self.secret).map { .bearer($0) }
        case "basic":
            return pair(way).map { .basic(user: $0.user, password: $0.password) }
        case "digest": return pair(way).map { .digest(user: $0.user, password: $0.password) }
        case "ntlm": return pair(way).map { .ntlm(user: $0.user, password: $0.password) }
        case "negotiate":
            return read.word(way.value, "`negotiate`", ["true": .negotiate], order: ["true"])
        case "netrc":
            if case .scalar("true", _) = way.value.content { return .netrc(file: nil) }
            return path(way.value, "`netrc`").map { .netrc(file: $0) }
        case "oauth2": return SigningDecoder(log: log).oauth2(way.value).map { .oauth2($0) }
        case "aws": return SigningDecoder(log: log).aws(way.value).map { .aws($0) }
        case "custom": return SigningDecoder(log: log).custom(way.value).map { .custom($0) }
        default: return apiKey(way.value).map { .apiKey($0) }
        }
    }

    /// What a credential is.
    private static let secret = "a string, such as \"{{ env('NAME') }}\" or \"{{ variable }}\""

    private func apiKey(_ node: YAMLNode) -> RequestSettings.APIKey? {
        guard let fields = Fields(node, of: .apiKey, log: log) else { return nil }
        guard let nameNode = fields["name"], fields["value"] != nil else {
            guard fields.misspelt.isEmpty else { return nil }
            log.add(node.span, "`apiKey` is not complete", expected: "`name` and `value`")
            return nil
        }
        let place: RequestSettings.APIKey.Place? =
            fields["in"] == nil ? .header : read.word(fields["in"], "`in`")
        guard let place, let name = read.text(nameNode, "`name`"),
            let value = read.template(fields["value"], "`value`", expected: Self.secret)
        else { return nil }
        guard place == .query || HTTPField.Name(name) != nil else {
            let kind = place == .header ? "header field" : "cookie"
            log.add(nameNode.span, "`\(name)` cannot be the name of a \(kind)")
            return nil
        }
        return RequestSettings.APIKey(place: place, name: name, value: value)
    }

    /// Reads a user and a password.
    private func pair(_ way: YAMLNode.Entry) -> (user: Template, password: Template)? {
        let what = "`\(way.key)`"
        guard let fields = Fields(way.value, of: .credentials, what, log: log) else { return nil }
        guard fields["user"] != nil, fields["password"] != nil else {
            log.add(
                way.value.span,
                "\(what) is not complete",
                expected: "`user` and `password`"
            )
            return nil
        }
        guard let user = read.template(fields["user"], "`user`"),
            let password = read.template(fields["password"], "`password`", expected: Self.secret)
        else { return nil }
        return (user, password)
    }

    private func validation(_ node: YAMLNode) -> Validation? {
        guard case .sequence(let nodes) = node.content else {
            return read.word(
                node,
                "`validate`",
                ["none": .none, "success": .successCodes, "redirects": .successAndRedirectCodes],
                order: ["none", "success", "redirects"]
            )
        }
        let codes = nodes.compactMap { read.integer($0, "a status", in: 100...999) }
        return codes.count == nodes.count ? .codes(Set(codes)) : nil
    }
}
