import Documents
import Workspaces

/// What a request consists of besides its body: the path, parameters, a server of its own, credentials.
extension OpenAPIReader {
    /// The parameters of a path and its operation; those of the operation go before.
    func parameters(_ item: OpenAPIObject, _ operation: OpenAPIObject) -> [OpenAPIObject] {
        var found: [OpenAPIObject] = []
        for owner in [item, operation] {
            guard let node = owner["parameters"] else { continue }
            var nodes = node.list
            if node.json.kind == .object, let object = document.object(node), object["in"] == nil {
                nodes = object.members.map(\.node)
            }
            for node in nodes {
                guard let parameter = document.object(node) else { continue }
                let same = found.firstIndex { other in
                    other.text("name") == parameter.text("name")
                        && other.text("in") == parameter.text("in")
                }
                if let same { found[same] = parameter } else { found.append(parameter) }
            }
        }
        return found
    }

    /// Parameters without a name or a place, and what is none.
    func lossesOfParameters(
        _ item: OpenAPIObject,
        _ operation: OpenAPIObject,
        _ parameters: [OpenAPIObject]
    ) -> [ImportLoss] {
        let nodes = [item, operation].flatMap { owner -> [OpenAPINode] in
            guard let node = owner["parameters"] else { return [] }
            return node.json.kind == .object ? [] : node.list
        }
        let wrong = nodes.filter { document.object($0) == nil && $0.json["$ref"].string == nil }
        let nameless = parameters.filter { parameter in
            let place = (parameter.text("in") ?? "").lowercased()
            if place == "body" || isSwagger && place == "formdata" { return false }
            return OpenAPIParameter.Place(rawValue: place) == nil
                || (parameter.text("name") ?? "").isEmpty && place != "querystring"
        }
        return wrong.filter { !$0.json.isNull }.map { loss("a parameter", "", $0) }
            + nameless.map { parameter in
                let parts = parameter.members.map {
                    "\($0.name): \($0.node.json.text(.minified) ?? "")"
                }
                return ImportLoss(
                    "a parameter",
                    "it does not say what it is called, or where it stands",
                    text: parts.joined(separator: "\n")
                )
            }
    }

    /// The path with its parameters as variables.
    func requestPath(
        _ path: String,
        _ parameters: [OpenAPIParameter],
        _ variables: inout [String: String],
        _ draft: inout OpenAPIDraft
    ) -> String {
        var result = ""
        var before = ""
        var named: Set<String> = []
        for piece in Self.pieces(of: path.trimmingBlanks) {
            guard piece.isName else {
                result += ImportNames.literal(piece.text)
                let parts = piece.text.split(separator: "/")
                if let last = parts.last { before = String(last) }
                continue
            }
            let plain = String(
                piece.text.drop { "+*;.#?&".contains($0) }.prefix { !"*?".contains($0) }
            )
            let found =
                parameters.first { $0.place == .path && $0.name == piece.text }
                ?? parameters.first { $0.place == .path && $0.name == plain }
            guard let parameter = found else {
                result += workspace.names.reference(to: plain.isEmpty ? piece.text : plain)
                continue
            }
            named.insert(parameter.name)
            let isPlain = parameter.isPlainInPath
            let value = isPlain ? parameter.value : Value.string(parameter.pathText)
            let variable = pathVariable(parameter.name, value, after: before)
            variables[parameter.name] = variable
            result += isPlain ? "{{ \(variable) }}" : "{{ \(variable) | raw }}"
        }
        for parameter in parameters
        where parameter.place == .path && !named.contains(parameter.name) {
            draft.target.losses.append(
                ImportLoss(
                    "a parameter",
                    "the path does not name it",
                    text: "\(parameter.name): \(parameter.pathText)"
                )
            )
        }
        return result.hasPrefix("/") ? result : "/\(result)"
    }

    /// The variable of a path parameter: the same for the same name and value.
    func pathVariable(_ name: String, _ value: Value, after segment: String) -> String {
        let known = pathValues[name] ?? []
        if let same = known.first(where: { $0.value == value }) { return same.variable }
        var original = known.isEmpty ? name : "\(segment)_\(name)"
        var number = 2
        while pathVariables.contains(workspace.names.name(of: original)) {
            original = "\(segment)_\(name)_\(number)"
            number += 1
        }
        let variable = workspace.names.use(original)
        pathVariables.insert(variable)
        pathValues[name, default: []].append((value, variable))
        workspace.variables[variable] = value
        return variable
    }

    /// Adds what is required to the request; the indexes of the rest.
    func add(
        _ parameters: [OpenAPIParameter],
        hasAuth: Bool,
        to draft: inout OpenAPIDraft,
        _ request: inout String
    ) -> Set<Int> {
        var left: Set<Int> = []
        var cookies: [String] = []
        for (index, parameter) in parameters.enumerated() where parameter.place != .path {
            // What `auth` sends is not sent twice.
            let isSent =
                parameter.place == .header && hasAuth
                && parameter.name.lowercased() == "authorization"
            guard parameter.isRequired, !isSent else {
                left.insert(index)
                continue
            }
            let parameter = parameter.isCredential ? asking(for: parameter) : parameter
            switch parameter.place {
            case .header:
                guard FieldName.isValid(parameter.name) else {
                    draft.target.losses.append(
                        ImportLoss(
                            "a header field",
                            "no field can be called so",
                            text: parameter.written
                        )
                    )
                    continue
                }
                draft.headers[parameter.name] = .string(parameter.fieldText)
            case .cookie: cookies.append("\(parameter.name)=\(parameter.fieldText)")
            default:
                switch parameter.query {
                case .pairs(let members):
                    for member in members { draft.query.append(member.value, for: member.name) }
                case .text(let text):
                    request += (request.contains("?") ? "&" : "?") + ImportNames.literal(text)
                }
            }
        }
        if !cookies.isEmpty { draft.headers["Cookie"] = .string(cookies.joined(separator: "; ")) }
        return left
    }

    /// A credential is asked for.
    func asking(for parameter: OpenAPIParameter) -> OpenAPIParameter {
        let key = "credentials \(parameter.name)"
        let name = credentialNames[key] ?? workspace.names.use(parameter.name)
        credentialNames[key] = name
        if workspace.variables[name] == nil {
            let members = [
                Value.Member("ask", .string(parameter.name)),
                Value.Member("secret", .boolean(true)),
            ]
            workspace.variables[name] = .object(members)
        }
        var result = parameter
        result.value = .string("{{ \(name) }}")
        return result
    }

    /// The beginning of the URL, if the path or the operation has servers of its own; nil else.
    func server(
        of operation: OpenAPIObject,
        _ item: OpenAPIObject,
        _ draft: inout OpenAPIDraft
    ) -> String? {
        if isSwagger { return swaggerServer(of: operation) }
        var own = servers(of: operation)
        if own.isEmpty { own = servers(of: item) }
        guard let first = own.first, first.baseURL != firstServer?.baseURL else { return nil }
        for member in first.variables where workspace.variables[member.name] == nil {
            workspace.variables.append(member)
        }
        for other in own.dropFirst() {
            draft.target.losses.append(
                ImportLoss(
                    "a server",
                    "the request goes to the first one",
                    text: other.plainURL ?? other.baseURL
                )
            )
        }
        return first.baseURL
    }

    func swaggerServer(of operation: OpenAPIObject) -> String? {
        let schemes = operation.list("schemes").compactMap { $0.text?.lowercased() }
        guard let scheme = schemes.first, let base = firstServer?.baseURL,
            let mark = base.firstRange(of: "://"),
            !schemes.contains(base[..<mark.lowerBound].lowercased())
        else { return nil }
        guard scheme == "http" || scheme == "https" else { return nil }
        return scheme + base[mark.lowerBound...]
    }

    func addCredentials(
        of operation: OpenAPIObject,
        _ common: OpenAPICredentials?,
        isElsewhere: Bool,
        to draft: inout OpenAPIDraft
    ) {
        let own = credentials(operation)
        guard let used = own ?? (isElsewhere ? common : nil) else { return }
        if own != nil {
            lose(used.losses)
            draft.bodyWords += used.words
        }
        if let auth = used.auth {
            if isElsewhere || auth != common?.auth { draft.target["auth"] = auth }
        } else if common?.auth != nil, !isElsewhere {
            draft.target["auth"] = .string("none")
        }
        for (names, key) in [(common?.headers, true), (common?.query, false)] where !isElsewhere {
            for member in names ?? [] {
                let kept = key ? used.headers[member.name] : used.query[member.name]
                guard kept == nil else { continue }
                if key {
                    draft.headers[member.name] = .null
                } else {
                    draft.query[member.name] = .null
                }
            }
        }
        for member in used.headers where isElsewhere || common?.headers[member.name] != member.value
        {
            draft.headers[member.name] = member.value
        }
        for member in used.query where isElsewhere || common?.query[member.name] != member.value {
            draft.query[member.name] = member.value
        }
    }
}
