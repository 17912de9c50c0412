import Apus
import Documents
import Workspaces

extension PostmanWriter {
    /// The members of `request`.
    func request(_ request: ExportedRequest) -> [Value.Member] {
        var members: [Value.Member] = []
        let (auth, key) = authorization(of: request)
        if let auth { members.append(Value.Member("auth", auth)) }
        members.append(Value.Member("method", .string(request.method)))
        let fields = sentFields(of: request).map { field in
            Value.object([
                Value.Member("key", .string(field.name)),
                Value.Member("value", .string(text(field.value, of: request))),
            ])
        }
        members.append(Value.Member("header", .array(fields)))
        if let body = body(of: request) { members.append(Value.Member("body", body)) }
        members.append(Value.Member("url", url(of: request, without: key)))
        let about = [request.summary, request.note].compactMap(\.self).joined(separator: "\n\n")
        if !about.isEmpty { members.append(Value.Member("description", .string(about))) }
        return members
    }

    private func sentFields(of request: ExportedRequest) -> [ExportedRequest.Field] {
        guard case .multipart = request.body else { return request.ownFields }
        // Postman makes the boundary.
        return request.ownFields.filter { !$0.isNamed("Content-Type") }
    }

    // MARK: The URL

    /// The URL, without the parameter that `auth` adds.
    private func url(of request: ExportedRequest, without key: String?) -> Value {
        let raw = text(request.url, of: request)
        let url = ImportedURL(raw)
        var pairs = url.pairs
        if let key, pairs.last?.name == PercentEncoding.component(key) { pairs.removeLast() }
        let query = pairs.isEmpty ? "" : "?" + ImportedURL.text(pairs)
        let (start, rest) = Self.origin(of: url.base)
        var variables: [Value] = []
        let segments =
            rest.isEmpty
            ? []
            : rest.dropFirst().split(
                separator: "/",
                omittingEmptySubsequences: false
            ).map { segment -> String in
                let name = Self.onlyVariable(String(segment))
                guard let name, !variables.contains(where: { Self.key(of: $0) == name }) else {
                    return String(segment)
                }
                variables.append(
                    .object([
                        Value.Member("key", .string(name)),
                        Value.Member("value", .string("{{\(name)}}")),
                    ])
                )
                return ":\(name)"
            }
        let path = segments.isEmpty ? rest : "/" + segments.joined(separator: "/")
        var members = [Value.Member("raw", .string(start + path + query))]
        var host = start
        if let mark = start.firstRange(of: "://") {
            members.append(Value.Member("protocol", .string(String(start[..<mark.lowerBound]))))
            host = String(start[mark.upperBound...])
            if let colon = host.lastIndex(of: ":"), !host.contains("{"), !host.hasSuffix("]") {
                members.append(
                    Value.Member("port", .string(String(host[host.index(after: colon)...])))
                )
                host = String(host[..<colon])
            }
        }
        let isPlain = !host.contains("{") && !host.contains("[")
        let labels = isPlain ? host.split(separator: ".").map(String.init) : [host]
        members.append(Value.Member("host", .array(labels.map { .string($0) })))
        if !segments.isEmpty {
            members.append(Value.Member("path", .array(segments.map { .string($0) })))
        }
        if !pairs.isEmpty {
            members.append(
                Value.Member(
                    "query",
                    .array(
                        pairs.map { name, value in
                            .object([
                                Value.Member("key", .string(name)),
                                Value.Member("value", value.map { .string($0) } ?? .null),
                            ])
                        }
                    )
                )
            )
        }
        if !variables.isEmpty { members.append(Value.Member("variable", .array(variables))) }
        return .object(members)
    }

    private static func key(of variable: Value) -> String? {
        guard case .object(let members) = variable, case .string(let name)? = members["key"] else {
            return nil
        }
        return name
    }

    /// What stands before the path, and the path.
    private static func origin(of base: String) -> (String, String) {
        let start = base.firstRange(of: "://").map(\.upperBound) ?? base.startIndex
        let slash = base[start...].firstIndex(of: "/") ?? base.endIndex
        return (String(base[..<slash]), String(base[slash...]))
    }

    /// The name of the variable that a segment of a path is; nil if it is more.
    private static func onlyVariable(_ segment: String) -> String? {
        guard segment.hasPrefix("{{"), segment.hasSuffix("}}") else { return nil }
        let name = segment.dropFirst(2).dropLast(2)
        let isName = name.first != "$" && !name.contains { "{} ".contains($0) }
        return isName && !name.isEmpty ? String(name) : nil
    }

    // MARK: The body

    private func body(of request: ExportedRequest) -> Value? {
        switch request.body {
        case .none: return nil
        case .unknown:
            lose("a body", "it is not known before it is sent", of: request)
            return nil
        case .bytes(let bytes):
            lose("a body", "it is no text: save it as a file", "\(bytes.count) bytes", of: request)
            return nil
        case .file(let path):
            return Self.body("file", .object([Value.Member("src", .string(self.path(path)))]))
        case .multipart(let parts, _):
            return Self.body("formdata", .array(parts.compactMap { part($0, of: request) }))
        case .text(let text): return body(text, request)
        }
    }

    private func body(_ content: ExportText, _ request: ExportedRequest) -> Value {
        switch request.bodyKind {
        case .form(let fields):
            let rows = fields.map { field in
                Value.object([
                    Value.Member("key", .string(literal(field.name))),
                    Value.Member("value", .string(text(field.value, of: request))),
                    Value.Member("type", .string("text")),
                ])
            }
            return Self.body("urlencoded", .array(rows))
        case .graphQL(let query, let operation, let variables):
            var members = [Value.Member("query", .string(text(query, of: request)))]
            if let operation {
                members.append(
                    Value.Member("operationName", .string(text(operation, of: request)))
                )
            }
            let shown = variables.map { text($0, of: request) } ?? ""
            members.append(Value.Member("variables", .string(shown)))
            return Self.body("graphql", .object(members))
        case .text, .json:
            let type = request.field("Content-Type")?.literal?.lowercased() ?? ""
            let languages = [
                ("json", "json"), ("xml", "xml"), ("html", "html"), ("javascript", "javascript"),
            ]
            let language = languages.first { type.contains($0.0) }?.1 ?? "text"
            var members = Self.members("raw", .string(text(content, of: request)))
            let options: Value = .object([
                Value.Member("raw", .object([Value.Member("language", .string(language))]))
            ])
            members.append(Value.Member("options", options))
            return .object(members)
        }
    }

    private func part(_ part: ExportedRequest.Part, of request: ExportedRequest) -> Value? {
        var members = [Value.Member("key", .string(literal(part.name)))]
        switch part.content {
        case .text(let content):
            members.append(Value.Member("value", .string(text(content, of: request))))
            members.append(Value.Member("type", .string("text")))
        case .file(let path):
            members.append(Value.Member("type", .string("file")))
            members.append(Value.Member("src", .string(self.path(path))))
        case .bytes(let bytes):
            lose(
                "a part of a form",
                "it is no text: save it as a file",
                "\(part.name), \(bytes.count) bytes",
                of: request
            )
            return nil
        }
        if let type = part.type { members.append(Value.Member("contentType", .string(type))) }
        return .object(members)
    }

    private static func members(_ mode: String, _ value: Value) -> [Value.Member] {
        [Value.Member("mode", .string(mode)), Value.Member(mode, value)]
    }

    private static func body(_ mode: String, _ value: Value) -> Value {
        .object(members(mode, value))
    }

    // MARK: Settings

    /// What of the connection Postman can say for a request; the rest is listed.
    func behavior(of request: ExportedRequest) -> [Value.Member] {
        var members: [Value.Member] = []
        let (options, standard) = (request.options, TransportOptions())
        if options.maximumRedirects == 0 {
            members.append(Value.Member("followRedirects", .boolean(false)))
        } else if options.maximumRedirects != standard.maximumRedirects {
            members.append(Value.Member("maxRedirects", .number("\(options.maximumRedirects)")))
        }
        if !options.verifiesTLS { members.append(Value.Member("strictSSL", .boolean(false))) }
        if !options.sendsCookies { members.append(Value.Member("disableCookies", .boolean(true))) }
        if request.body != .none,
            ["GET", "HEAD", "COPY", "PURGE", "UNLOCK"].contains(request.method)
        {
            members.append(Value.Member("disableBodyPruning", .boolean(true)))
        }
        if !request.omittedFields.isEmpty {
            let names = request.omittedFields.map { Value.Member($0.lowercased(), .boolean(true)) }
            members.append(Value.Member("disabledSystemHeaders", .object(names)))
        }
        let carried: Set = ["redirects", "verifyTLS", "cookies", "expect"]
        losses += request.lostSettings(carrying: carried, "a collection").map { (request.id, $0) }
        return members
    }
}
