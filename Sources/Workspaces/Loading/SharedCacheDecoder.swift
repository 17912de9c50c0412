import Sharing

/// Reads the `cache` of a workspace: the store that a team shares.
struct SharedCacheDecoder {
    let log: ProblemLog
    let secrets: SecretReader
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, secrets: SecretReader) {
        (self.log, self.secrets) = (log, secrets)
    }

    func decode(_ node: YAMLNode) -> SharedCacheSettings? {
        guard let fields = Fields(node, of: .sharedCache, log: log) else { return nil }
        for name in ["shared", "key"]
        where fields[name] == nil && !fields.misspelt.contains(name) {
            log.add(
                node.span,
                "`cache` has no `\(name)`",
                expected: "`{ shared: \"redis://host/0\", key: { env: TEAM_KEY } }`"
            )
        }
        let address = fields["shared"].flatMap(address)
        let key = fields["key"].flatMap { secret($0, "`key`") }
        let password = fields["password"].flatMap { secret($0, "`password`") }
        let budget = read.timeLimit(fields["budget"], "`budget`")?.duration
        guard let address, let key else { return nil }
        return SharedCacheSettings(
            address: address,
            key: key,
            password: password,
            budget: budget
        )
    }

    private func address(_ node: YAMLNode) -> RedisAddress? {
        guard let text = read.text(node, "`shared`") else { return nil }
        do throws(RedisFault) {
            return try RedisAddress(text)
        } catch {
            log.add(
                node.span,
                "`shared`: \(error)",
                expected: "`redis://host:6379/0`, `rediss://…` or `unix:///path/of/socket`"
            )
            return nil
        }
    }

    private func secret(_ node: YAMLNode, _ what: String) -> Secret? {
        guard let fields = Fields(node, of: .sharedSecret, what, log: log) else { return nil }
        switch (fields["env"], fields["file"]) {
        case (let name?, nil):
            return read.text(name, "`env`").map { secrets.secret(environmentVariable: $0) }
        case (nil, let path?):
            return read.text(path, "`file`").map {
                secrets.secret(file: TextFile.resolve($0, besideFile: path.span.source.name))
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
