import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// Reads `cache`: a mapping, or only a storage (`memory`), a time (`5 min`), `http` or `shared`.
struct CacheDecoder {
    private static let places = ["none", "memory", "disk", "memoryAndDisk"]

    let log: ProblemLog
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog) {
        self.log = log
    }

    func decode(_ node: YAMLNode) -> CacheSettings {
        if case .scalar(let text, _) = node.content { return shorthand(text, node) }
        var settings = CacheSettings()
        guard let fields = Fields(node, of: .cache, log: log) else {
            return settings
        }
        settings.rules = fields["rules"].flatMap(rules)
        settings.storage = storage(fields["storage"], "`storage`")
        settings.expiry = fields["expires"].flatMap(expiry)
        settings.expiryExtension = fields["extend"].flatMap(expiryExtension)
        settings.maximumLifetime = read.timeLimit(fields["maximum"], "`maximum`")
        settings.key = fields["key"].flatMap(key)
        settings.extraKey = read.template(fields["extraKey"], "`extraKey`")
        settings.ignoredParameters = read.list(fields["ignore"], "`ignore`")?
            .compactMap { read.text($0, "a parameter's name") }
        settings.keyFields = read.list(fields["vary"], "`vary`")?.compactMap(fieldName)
        settings.accounts = read.word(fields["accounts"], "`accounts`")
        settings.answersGatewayTimeout = read.boolean(
            fields["gatewayTimeout"],
            "`gatewayTimeout`"
        )
        return settings
    }

    private func shorthand(_ text: String, _ node: YAMLNode) -> CacheSettings {
        var settings = CacheSettings()
        if let duration = Quantity.duration(text) {
            settings.expiry = .seconds(duration.inSeconds)
        } else if let rules = CacheSettings.Rules(rawValue: text), rules != .own {
            settings.rules = rules
        } else {
            settings.storage = storage(node, "`cache`", or: ["http", "shared"])
        }
        return settings
    }

    private func rules(_ node: YAMLNode) -> CacheSettings.Rules? {
        read.word(node, "`rules`")
    }

    private func storage(
        _ node: YAMLNode?,
        _ what: String,
        or others: [String] = []
    ) -> CachePolicy.Storage?? {
        let choices: [String: CachePolicy.Storage?] = [
            "none": nil, "memory": .memory, "disk": .disk, "memoryAndDisk": .memoryAndDisk,
        ]
        return read.word(node, what, choices, order: Self.places + others)
    }

    private func expiry(_ node: YAMLNode) -> CachePolicy.Expiry? {
        if case .scalar(let text, _) = node.content {
            if text == "never" { return .forever }
            if text == "expired" { return .expired }
            if let duration = Quantity.duration(text) { return .seconds(duration.inSeconds) }
            // An invalid date is reported below.
            if let date = try? Date(text, strategy: .iso8601) { return .date(date) }
        }
        log.add(
            node.span,
            "`expires` cannot be \(read.shown(node))",
            expected: "`never`, `expired`, a time such as `5 min`, or a date such as "
                + "`2030-01-31T12:00:00Z`"
        )
        return nil
    }

    private func expiryExtension(_ node: YAMLNode) -> CachePolicy.Extension? {
        if case .scalar(let text, _) = node.content {
            if text == "none" { return CachePolicy.Extension.none }
            if text == "again" { return .cacheTime }
            if let duration = Quantity.duration(text) { return .fixed(duration) }
        }
        log.add(
            node.span,
            "`extend` cannot be \(read.shown(node))",
            expected: "`none`, `again` (its first lifetime), or a time such as `5 min`"
        )
        return nil
    }

    private func key(_ node: YAMLNode) -> CacheSettings.Key? {
        if case .scalar = node.content {
            return read.word(
                node,
                "`key`",
                ["full": .full, "base": .base],
                order: ["full", "base"]
            )
        }
        guard let fields = Fields(node, of: .cacheKey, log: log) else { return nil }
        return read.template(fields["custom"], "`custom`").map { .custom($0) }
    }

    private func fieldName(_ node: YAMLNode) -> HTTPField.Name? {
        guard let text = read.text(node, "a header field's name") else { return nil }
        guard let name = HTTPField.Name(text) else {
            log.add(node.span, "`\(text)` cannot be the name of a header field")
            return nil
        }
        return name
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
