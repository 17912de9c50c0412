import Workspaces

/// Whole workspaces around single keys of the format.
enum FormatDocument {
    /// The files that examples refer to.
    static let files = [".env": "NAME=value\n"]

    /// A workspace in which a mapping of a kind has only these entries, which are in flow style.
    static func text(of section: FormatSection.ID, _ entries: [String]) -> String {
        let inner = "{ \(entries.joined(separator: ", ")) }"
        let request = "request: POST /a"
        switch section {
        case .workspace: return base(entries)
        case .environment: return base(["environments: { e: \(inner), local: }"])
        case .defaults: return base(["defaults: \(inner)"])
        case .secret: return base(["variables: { secret: \(inner) }"])
        case .question: return base(["variables: { asked: \(inner) }"])
        case .response: return base(["variables: { sent: \(inner) }"])
        case .mask: return base(["mask: \(inner)"])
        case .group:
            let others = entries + ["T: GET /"]
            return base(["targets: { G: { \(others.joined(separator: ", ")) } }"])
        case .target:
            return base(["targets: { T: \(inner), Home: GET /, Users: { Show: GET / } }"])
        case .sample: return target("\(request), sample: \(inner)")
        case .part: return target("\(request), multipart: { p: \(inner) }")
        case .upload: return target("\(request), upload: \(inner)")
        case .download: return target("\(request), download: \(inner)")
        case .graphql: return target("\(request), graphql: \(inner)")
        case .auth: return target("\(request), auth: \(inner)")
        case .apiKey: return target("\(request), auth: { apiKey: \(inner) }")
        case .credentials: return target("\(request), auth: { basic: \(inner) }")
        case .oauth2: return target("\(request), auth: { oauth2: \(inner) }")
        case .aws: return target("\(request), auth: { aws: \(inner) }")
        case .custom: return target("\(request), auth: { custom: \(inner) }")
        case .clientCertificate: return target("\(request), clientCertificate: \(inner)")
        case .expect: return target("\(request), expect: \(inner)")
        case .comparison:
            return target("\(request), expect: { json: { $.a: \(inner) } }")
        case .batchExpect:
            return base(["batches: { B: { targets: [Home], expect: \(inner) } }"])
        case .cache: return target("\(request), cache: \(inner)")
        case .sharedCache: return base(["cache: \(inner)"])
        case .sharedSecret:
            return base(["cache: { shared: \"redis://h/0\", key: \(inner) }"])
        case .cacheKey: return target("\(request), cache: { key: \(inner) }")
        case .batch: return base(["batches: { B: \(inner) }"])
        case .batchTarget: return base(["batches: { B: { targets: [\(inner)] } }"])
        case .chain: return base(["chains: { C: \(inner) }"])
        case .step: return chain(inner)
        case .forEach:
            return chain("{ step: last, target: Home, needs: [create, rates], forEach: \(inner) }")
        }
    }

    /// The entries of a mapping that has this key: its example, and those of what the mapping cannot do without.
    static func entries(with key: FormatKey, in section: FormatSection.ID) -> [String] {
        var keys = FormatSection[section].keys.filter { $0.isRequired && $0.name != key.name }
        // A request line has a method of its own.
        if key.name == "method" { return [key.example, "request: /users"] }
        if section == .target { keys.removeAll { $0.name == "request" } }
        var entries = keys.map(\.example) + [key.example]
        if section == .target, key.name != "request", key.name != "like" {
            entries.insert("request: POST /a", at: 0)
        }
        // A time limit belongs to a command.
        if section == .secret, key.name == "timeout" { entries.append("command: id") }
        if section == .oauth2 { entries += oauth2Entries(with: key) }
        if section == .aws { entries += awsEntries(with: key) }
        if section == .step, key.name == "when" || key.name == "forEach" || key.name == "join" {
            entries.append("needs: [create, rates]")
        }
        return entries
    }

    /// What a grant cannot do without.
    private static func oauth2Entries(with key: FormatKey) -> [String] {
        let needed = [
            "clientSecret: s", "username: u", "password: p", "authorizationURL: https://a.test/a",
            "deviceURL: https://a.test/d",
        ]
        return needed.filter { !$0.hasPrefix("\(key.name):") }
    }

    /// The parts of a key of AWS go together.
    private static func awsEntries(with key: FormatKey) -> [String] {
        guard ["accessKey", "secretKey", "sessionToken"].contains(key.name) else { return [] }
        return ["accessKey: a", "secretKey: s"].filter { !$0.hasPrefix("\(key.name):") }
    }

    private static func target(_ entries: String) -> String {
        base(["targets: { T: { \(entries) } }"])
    }

    private static func chain(_ step: String) -> String {
        base([
            """
            chains:
              C:
                - { step: create, target: Home, capture: { users: $.users, role: $.role } }
                - { step: rates, target: Home, needs: [] }
                - \(step)
            """
        ])
    }

    /// The workspace with these entries at its top, and what examples refer to unless they have it.
    private static func base(_ entries: [String]) -> String {
        let others = [
            "targets":
                "targets: { Home: GET /, Login: POST /, Users: { Show: GET /, Create: POST / } }",
            "environments": "environments: { e: { baseURL: \"http://localhost\" } }",
            "variables":
                "variables: { user: 7, token: t, password: p, name: n, tenant: x, other: y }",
        ]
        let given = entries.map { String($0.prefix { $0 != ":" }) }
        var lines = entries
        // An environment of its own may lack the URL.
        if given.contains("environments") {
            lines.append("defaults: { baseURL: \"http://localhost\" }")
        }
        for (key, text) in others.sorted(by: { $0.key < $1.key }) where !given.contains(key) {
            lines.append(text)
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
