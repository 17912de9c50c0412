import Documents
import Workspaces

/// A server of a description, as the `baseURL` of an environment.
struct OpenAPIServer {
    /// What begins a URL: a template of its variables; without `/` at its end.
    var baseURL: String
    var name: String?
    var description: String?
    /// Its variables with their defaults, by their names in templates.
    var variables: [Value.Member] = []
    /// The same with the defaults filled in; nil if one is not known.
    var plainURL: String?
    /// What a description says of the values that its variables may have.
    var choices: [String] = []
}

extension OpenAPIReader {
    /// The variable that stands for a server that the description does not name.
    static let serverVariable = "server"

    /// The servers of the whole, in their order.
    func servers() -> [OpenAPIServer] {
        let found = isSwagger ? swaggerServers() : servers(of: root)
        if !found.isEmpty { return found }
        return [OpenAPIServer(baseURL: base(of: ""), plainURL: plain(base: ""))]
    }

    /// The servers of the whole, a path or an operation that can be sent to.
    func servers(of object: OpenAPIObject) -> [OpenAPIServer] {
        object.list("servers").compactMap { node in
            if let url = node.json.string { return server(url, nil, node) }
            guard let server = document.object(node) else {
                if !node.json.isNull { workspace.losses.append(loss("a server", "", node)) }
                return nil
            }
            return self.server(server.text("url") ?? "", server, node)
        }
    }

    private func server(_ url: String, _ object: OpenAPIObject?, _ node: OpenAPINode)
        -> OpenAPIServer?
    {
        var url = url.trimmingBlanks
        let scheme = url.prefix { $0.isLetter || "+-.".contains($0) }.lowercased()
        if url.dropFirst(scheme.count).hasPrefix("://") {
            url = scheme + url.dropFirst(scheme.count)
        }
        if url.dropFirst(scheme.count).hasPrefix("://"), scheme != "http", scheme != "https" {
            workspace.losses.append(
                ImportLoss(
                    "a server",
                    "its URL is none of HTTP",
                    text: url,
                    line: document.line(of: node)
                )
            )
            return nil
        }
        var server = OpenAPIServer(baseURL: "")
        server.name = object?.words("name")
        server.description = object?.words("description")
        let known = document.object(object?["variables"])
        var plain: String? = ""
        var template = ""
        for piece in Self.pieces(of: url) {
            guard piece.isName else {
                template += ImportNames.literal(piece.text)
                plain? += piece.text
                continue
            }
            let variable = document.object(known?[piece.text])
            let preset =
                variable?.text("default") ?? variable?.list("enum").first?.text
            let name = workspace.names.use(piece.text)
            template += "{{ \(name) }}"
            guard let preset else {
                plain = nil
                continue
            }
            plain? += preset
            if server.variables[name] == nil {
                server.variables[name] = .string(ImportNames.literal(preset))
                server.choices += choices(of: variable, piece.text)
            }
        }
        server.plainURL = plain.map { self.plain(base: $0) } ?? nil
        server.baseURL = base(of: template, plain: plain)
        return server
    }

    private func choices(of variable: OpenAPIObject?, _ name: String) -> [String] {
        var words: [String] = []
        let values = variable?.list("enum").compactMap(\.text) ?? []
        if values.count > 1 { words.append(values.joined(separator: ", ")) }
        if let description = variable?.words("description") { words.append(description) }
        return words.isEmpty ? [] : ["`\(name)`: \(words.joined(separator: "; "))"]
    }

    /// The parts of a text with `{name}` in it.
    static func pieces(of text: String) -> [(text: String, isName: Bool)] {
        var pieces: [(text: String, isName: Bool)] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let name = rest[open..<close].dropFirst().drop { $0 == "{" }
            if open > rest.startIndex { pieces.append((String(rest[..<open]), false)) }
            let after = rest[close...].dropFirst()
            let isDouble = rest[open...].hasPrefix("{{") && after.hasPrefix("}")
            if !name.isEmpty { pieces.append((String(name), true)) }
            rest = isDouble ? after.dropFirst() : after
        }
        if !rest.isEmpty { pieces.append((String(rest), false)) }
        return pieces
    }

    /// A server's URL as a `baseURL`; relative ones are resolved.
    private func base(of template: String, plain: String? = nil) -> String {
        var url = template
        while url.hasSuffix("/") { url.removeLast() }
        if let mark = url.firstIndex(where: { "?#".contains($0) }) { url = String(url[..<mark]) }
        if url.hasPrefix("{{") {
            // A variable may have the scheme in it, or only be the host.
            let start = plain?.lowercased() ?? ""
            let isWhole = ["http:", "https:", "http", "https"].contains { start.hasPrefix($0) }
            return isWhole || url.dropFirst(2).contains("://") || plain == nil
                ? url : "https://\(url)"
        }
        if ImportSource.isURL(url) {
            let isUsable = Self.hasHost(url) && Self.hasHost(plain ?? url)
            return isUsable ? url : asked(plain ?? url)
        }
        if url.hasPrefix("//") { return Self.hasHost("https:\(url)") ? "https:\(url)" : asked(url) }
        let first = url.prefix { $0 != "/" }
        if first.contains("."), first != ".", first != "..", Self.hasHost("https://\(url)") {
            return "https://\(url)"
        }
        if first.hasPrefix("localhost"), Self.hasHost("http://\(url)") { return "http://\(url)" }
        if document.source.isURL {
            var whole = document.source.resolve(url.isEmpty ? "/" : url)
            while whole.hasSuffix("/") { whole.removeLast() }
            return whole
        }
        let path = url.isEmpty || url.hasPrefix("/") ? url : "/\(url)"
        return "\(serverReference)\(path.replacing("/./", with: "/").replacing("/../", with: "/"))"
    }

    /// The same without templates; nil if the server is not known.
    private func plain(base url: String) -> String? {
        let base = base(of: url, plain: url)
        return base.contains("{{") ? nil : base
    }

    /// A URL whose host cannot be one, with its path only.
    private func asked(_ url: String) -> String {
        let start = url.firstRange(of: "//").map { url[$0.upperBound...] } ?? url[...]
        let path = start.firstIndex(of: "/").map { String(start[$0...]) } ?? ""
        if start.contains(where: { $0 != "/" }) {
            workspace.losses.append(
                ImportLoss(
                    "a server",
                    "its URL has no host that can be used; it is asked for",
                    text: url
                )
            )
        }
        return serverReference + path
    }

    private var serverReference: String {
        let name = workspace.names.use(Self.serverVariable)
        workspace.variables[name] = .object([
            Value.Member("ask", .string("The server's URL, such as https://api.example.com"))
        ])
        return "{{ \(name) }}"
    }

    /// Whether what stands for the host in a URL can be one.
    private static func hasHost(_ url: String) -> Bool {
        guard let start = url.firstRange(of: "://")?.upperBound else { return false }
        let authority = url[start...].prefix { $0 != "/" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard !host.isEmpty else { return false }
        var rest = host
        var isKnown = true
        while let open = rest.firstRange(of: "{{") {
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else { return false }
            isKnown = isKnown && isHost(rest[..<open.lowerBound])
            rest = rest[close.upperBound...]
        }
        return isKnown && isHost(rest) && !host.hasPrefix(":") && isPort(host)
    }

    private static func isHost(_ text: Substring) -> Bool {
        text.allSatisfy { $0.isLetter || $0.isNumber || ".-_:[]".contains($0) }
            && !text.contains("..")
    }

    private static func isPort(_ host: Substring) -> Bool {
        guard !host.contains("]"), !host.contains("{"), let colon = host.lastIndex(of: ":") else {
            return true
        }
        guard host.firstIndex(of: ":") == colon else { return false }
        let port = host[colon...].dropFirst()
        return port.isEmpty || Int(port).map { (1...65535).contains($0) } ?? false
    }

    /// The servers of Swagger 2.0: a host with each of its schemes.
    private func swaggerServers() -> [OpenAPIServer] {
        var path = root.words("basePath") ?? ""
        if !path.hasPrefix("/"), !path.isEmpty { path = "/\(path)" }
        var host = root.words("host") ?? ""
        let schemes = root.list("schemes").compactMap { $0.text?.lowercased() }
        let usable = schemes.filter { $0 == "https" || $0 == "http" }
        for scheme in schemes where !usable.contains(scheme) {
            workspace.losses.append(ImportLoss("a scheme", "it is none of HTTP", text: scheme))
        }
        if let scheme = host.firstRange(of: "://") { host = String(host[scheme.upperBound...]) }
        while host.hasSuffix("/") { host.removeLast() }
        let source = document.source
        let from =
            source.isURL ? [source.path.lowercased().hasPrefix("https") ? "https" : "http"] : []
        let preset = from.isEmpty ? ["https"] : from
        let all = usable.isEmpty ? preset : (usable.contains("https") ? ["https"] : []) + usable
        guard !host.isEmpty else { return server(path, nil, self.rootNode).map { [$0] } ?? [] }
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }.compactMap { scheme in
            server("\(scheme)://\(host)\(path)", nil, self.rootNode)
        }
    }

    /// Makes an environment of each server.
    func addEnvironments(_ servers: [OpenAPIServer]) {
        var taken: Set<String> = []
        for server in servers {
            var members = [Value.Member("baseURL", .string(server.baseURL))]
            let shown = server.plainURL ?? server.baseURL
            let isAsked = shown.hasPrefix("{{ \(workspace.names.name(of: Self.serverVariable)) }}")
            let host = isAsked ? "default" : Self.host(of: shown)
            let described = server.description.flatMap { Self.isShort($0) ? $0 : nil }
            let base = server.name.flatMap { Self.isShort($0) ? $0 : nil } ?? described ?? host
            var name = base
            if taken.contains(name) {
                let scheme =
                    shown.firstRange(of: "://").map { String(shown[..<$0.lowerBound]) } ?? ""
                name =
                    "\(base) (\(base == host && !scheme.isEmpty ? scheme : shown.withoutTemplates))"
            }
            if taken.contains(name) { name = shown.withoutTemplates }
            var number = 2
            while taken.contains(name) {
                name = "\(base) (\(number))"
                number += 1
            }
            taken.insert(name)
            var words = server.description == name ? [] : [server.description].compactMap(\.self)
            words += server.choices
            if !words.isEmpty {
                members.append(
                    Value.Member("description", .string(words.joined(separator: " — ").inOneLine))
                )
            }
            if !server.variables.isEmpty {
                members.append(Value.Member("variables", .object(server.variables)))
            }
            workspace.environments.append(Value.Member(name, .object(members)))
        }
    }

    private static func isShort(_ text: String) -> Bool {
        text.count <= 40 && !text.contains(where: \.isNewline) && text == text.inOneLine
    }

    /// The host and the port of a URL; all of what is no URL.
    private static func host(of url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else {
            return url.withoutTemplates.isEmpty ? "default" : url.withoutTemplates
        }
        let host = String(url[start...].prefix { $0 != "/" }).withoutTemplates
        return host.isEmpty ? "default" : host
    }
}

extension String {
    /// The text with only the names of its templates.
    fileprivate var withoutTemplates: String {
        replacing("{{ ", with: "").replacing(" }}", with: "")
    }
}
