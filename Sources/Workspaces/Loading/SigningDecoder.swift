import Apus

/// Reads what of `auth` needs more than a field: OAuth 2, AWS signatures and commands.
struct SigningDecoder {
    let log: ProblemLog
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog) { self.log = log }

    // MARK: OAuth 2

    func oauth2(_ node: YAMLNode) -> OAuth2Setting? {
        guard let fields = Fields(node, of: .oauth2, log: log) else { return nil }
        // All of it is read, so that everything that is wrong is told at once.
        let grant: OAuth2Grant? = read.word(fields["grant"], "`grant`")
        var isWhole = isComplete(fields, ["grant", "tokenURL", "clientID"], "`oauth2`")
        if let grant {
            let name = "`oauth2` with `\(grant.rawValue)`"
            isWhole = isComplete(fields, Self.keys(of: grant), name) && isWhole
        }
        let tokenURL = read.template(fields["tokenURL"], "`tokenURL`")
        let clientID = read.template(fields["clientID"], "`clientID`")
        let redirect = redirect(fields["redirect"])
        let style: OAuth2Configuration.ClientAuthentication? =
            fields["clientAuthentication"] == nil
            ? .basic : read.word(fields["clientAuthentication"], "`clientAuthentication`")
        let secret = fields["clientSecret"].map { credential($0, "`clientSecret`") }
        let password = fields["password"].map { credential($0, "`password`") }
        let scopes = fields["scope"].map(scopes) ?? []
        guard isWhole, let grant, let style, let scopes, let redirect, let tokenURL, let clientID,
            secret.map({ $0 != nil }) != false, password.map({ $0 != nil }) != false
        else { return nil }
        return OAuth2Setting(
            grant: grant,
            tokenURL: tokenURL,
            authorizationURL: read.template(fields["authorizationURL"], "`authorizationURL`"),
            deviceURL: read.template(fields["deviceURL"], "`deviceURL`"),
            clientID: clientID,
            clientSecret: secret ?? nil,
            clientAuthentication: style,
            scopes: scopes,
            parameters: parameters(fields),
            username: read.template(fields["username"], "`username`"),
            password: password ?? nil,
            redirect: redirect
        )
    }

    /// The keys that a grant cannot do without.
    private static func keys(of grant: OAuth2Grant) -> [String] {
        switch grant {
        case .clientCredentials: ["clientSecret"]
        case .password: ["username", "password"]
        case .authorizationCode: ["authorizationURL"]
        case .deviceCode: ["deviceURL"]
        }
    }

    /// Reads a list of scopes, or a string of them, which may have several; nil if it is neither.
    private func scopes(_ node: YAMLNode) -> [Template]? {
        guard case .sequence(let nodes) = node.content else {
            let expected = "a string, or a list of strings"
            return read.template(node, "`scope`", expected: expected).map { [$0] }
        }
        let scopes = nodes.compactMap { read.template($0, "a scope") }
        return scopes.count == nodes.count ? scopes : nil
    }

    private func parameters(_ fields: Fields) -> [(name: String, value: Template)] {
        var parameters = read.entries(fields["parameters"], "`parameters`").compactMap { entry in
            read.template(entry.value, "the parameter `\(entry.key)`").map { (entry.key, $0) }
        }
        if let audience = read.template(fields["audience"], "`audience`") {
            parameters.append(("audience", audience))
        }
        return parameters
    }

    private func redirect(_ node: YAMLNode?) -> LoopbackRedirect? {
        guard let node else { return LoopbackRedirect() }
        guard let text = read.text(node, "`redirect`") else { return nil }
        if let redirect = LoopbackRedirect(text) { return redirect }
        log.add(
            node.span,
            "`redirect` cannot be \(read.shown(node))",
            expected: "a URL of this machine, as in `http://127.0.0.1:8400/callback`",
            hint: "without a port, any free one is used"
        )
        return nil
    }

    // MARK: AWS

    func aws(_ node: YAMLNode) -> AWSSetting? {
        guard let fields = Fields(node, of: .aws, log: log) else { return nil }
        let isWhole = isComplete(fields, ["service"], "`aws`")
        let service = read.template(fields["service"], "`service`")
        let payload: AWSSigner.Payload? =
            fields["payload"] == nil
            ? .signed
            : read.word(
                fields["payload"],
                "`payload`",
                ["signed": .signed, "unsigned": .unsigned],
                order: ["signed", "unsigned"]
            )
        guard isWhole, let service, let payload else { return nil }
        var keys: AWSSetting.Keys?
        if let given = ["accessKey", "secretKey", "sessionToken"].first(where: {
            fields[$0] != nil
        }) {
            guard
                isComplete(fields, ["accessKey", "secretKey"], "`aws` with `\(given)`"),
                let access = fields["accessKey"].flatMap({ credential($0, "`accessKey`") }),
                let secret = fields["secretKey"].flatMap({ credential($0, "`secretKey`") })
            else { return nil }
            let token = fields["sessionToken"].map { credential($0, "`sessionToken`") }
            guard token.map({ $0 != nil }) != false else { return nil }
            keys = AWSSetting.Keys(
                accessKey: access,
                secretKey: secret,
                sessionToken: token ?? nil
            )
            if let profile = fields.entry("profile") {
                log.add(profile.keySpan, "`aws` has keys of its own and takes none of a profile")
                return nil
            }
        }
        return AWSSetting(
            service: service,
            region: read.template(fields["region"], "`region`"),
            profile: read.template(fields["profile"], "`profile`"),
            keys: keys,
            payload: payload
        )
    }

    // MARK: A command

    func custom(_ node: YAMLNode) -> CustomSetting? {
        guard let fields = Fields(node, of: .custom, log: log),
            isComplete(fields, ["command"], "`custom`"),
            let command = read.text(fields["command"], "`command`")
        else { return nil }
        guard !command.allSatisfy(\.isWhitespace), !command.utf8.contains(0) else {
            log.add(node.span, "`command` is empty", expected: "a command for `/bin/sh`")
            return nil
        }
        let limit = read.timeLimit(fields["timeout"], "`timeout`")
        let lifetime = read.timeLimit(fields["expires"], "`expires`")
        let file = node.span.source.name
        return CustomSetting(
            command: command,
            folder: TextFile.resolve(".", besideFile: file),
            limit: limit?.duration ?? .seconds(30),
            lifetime: lifetime?.duration
        )
    }

    // MARK: Both

    private func isComplete(_ fields: Fields, _ keys: [String], _ what: String) -> Bool {
        let missing = keys.filter { fields[$0] == nil }
        guard !missing.isEmpty else { return true }
        guard missing.allSatisfy({ !fields.misspelt.contains($0) }) else { return false }
        log.add(
            fields.span,
            "\(what) is not complete",
            expected: missing.map { "`\($0)`" }.joined(separator: " and ")
        )
        return false
    }

    /// Reads a credential: a string, or `{ env: NAME }` or `{ file: path }`.
    private func credential(_ node: YAMLNode, _ what: String) -> CredentialSetting? {
        guard case .mapping = node.content else {
            let expected = "a string, `{ env: NAME }` or `{ file: path }`"
            return read.template(node, what, expected: expected).map { .template($0) }
        }
        guard let fields = Fields(node, of: .secret, what, log: log) else { return nil }
        switch (fields["env"], fields["file"]) {
        case (let name?, nil):
            return read.text(name, "`env`").map { .secret(.environmentVariable($0), node.span) }
        case (nil, let path?):
            return read.text(path, "`file`").map {
                .secret(.file(TextFile.resolve($0, besideFile: node.span.source.name)), node.span)
            }
        default:
            guard fields.misspelt.isEmpty else { return nil }
            log.add(
                node.span,
                "\(what) needs one origin",
                expected: "`{ env: NAME }` or `{ file: path }`"
            )
            return nil
        }
    }
}
