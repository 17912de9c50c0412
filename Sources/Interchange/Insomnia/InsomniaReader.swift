import Documents
import Workspaces

/// Reads exports of Insomnia.
///
/// Its requests have the parts of Postman's under other names, and are read as those.
final class InsomniaReader {
    private let tree: ImportTree
    private let postman: PostmanReader
    private let texts: InsomniaTexts
    private var indexes: [String: Int] = [:]
    private var children: [String: [JSON]] = [:]

    init(_ tree: ImportTree) {
        self.tree = tree
        postman = PostmanReader(tree)
        texts = InsomniaTexts(postman.variables)
    }

    // MARK: - Version 4

    func readResources(_ json: JSON) {
        let version = json["__export_format"].looseText ?? "4"
        postman.workspace.format = "Insomnia \(version)"
        var workspaces: [JSON] = []
        var environments: [JSON] = []
        var types: [String: String] = [:]
        for resource in json["resources"].elements where resource.kind == .object {
            let type = resource["_type"].looseText ?? ""
            if let id = resource["_id"].looseText { types[id] = type }
            if type == "workspace" { workspaces.append(resource) }
            if type == "environment" { environments.append(resource) }
            children[resource["parentId"].looseText ?? "", default: []].append(resource)
        }
        for (id, resources) in children { children[id] = Self.sorted(resources, "metaSortKey") }
        postman.workspace.name = workspaces.first?["name"].filledText
        var aliases: [String: [String: String]] = [:]
        // An environment that stands in none is the base of others.
        for base in environments where types[base["parentId"].looseText ?? ""] != "environment" {
            let owner = base["parentId"].looseText ?? ""
            let name = workspaces.first { $0["_id"].looseText == owner }?["name"].filledText
            aliases[owner] = readEnvironments(
                base,
                of: name ?? base["name"].looseText ?? "",
                aliases[owner] ?? [:]
            )
        }
        for workspace in workspaces {
            if let about = workspace["description"].filledText { postman.addNote(about) }
        }
        var roots = workspaces.compactMap { $0["_id"].looseText }
        // What names a parent that is not there stands at the top.
        roots += children.keys.filter { types[$0] == nil && $0 != "" }.sorted() + [""]
        for root in roots {
            let before = postman.targetCount
            var inherited = PostmanReader.Inherited()
            inherited.aliases = aliases[root] ?? [:]
            let (items, losses) = self.items(of: root, inherited)
            postman.workspace.losses += losses
            let name = workspaces.first { $0["_id"].looseText == root }?["name"].looseText
            if workspaces.count > 1, let name, postman.targetCount > before {
                var group = ImportedGroup(name: name)
                group.items = items
                postman.workspace.items.append(.group(group))
            } else {
                postman.workspace.items += items
            }
        }
        // What is left stands in circles, or in something that has nothing in it elsewhere.
        for parent in children.keys.sorted() {
            let (items, losses) = self.items(of: parent, PostmanReader.Inherited())
            postman.workspace.items += items
            postman.workspace.losses += losses
        }
    }

    /// The order in which Insomnia shows them.
    private static func sorted(_ resources: [JSON], _ path: String...) -> [JSON] {
        let keys = resources.enumerated().map { entry in
            let value = path.reduce(entry.element) { json, name in json[name] }
            return (index: entry.offset, key: value.double ?? 0)
        }
        return keys.sorted { $0.key == $1.key ? $0.index < $1.index : $0.key < $1.key }
            .map { resources[$0.index] }
    }

    /// Reads a base environment and those in it.
    ///
    /// - Returns: What its names mean for the requests of its workspace.
    private func readEnvironments(_ base: JSON, of owner: String, _ aliases: [String: String])
        -> [String: String]
    {
        listDisabledRows(base)
        let aliases = postman.addScoped(rows(base["data"]), of: owner, aliases)
        func read(_ id: String, _ inherited: [(String, String, Bool)], depth: Int) {
            guard depth < 8 else { return }
            for environment in children[id] ?? []
            where environment["_type"].looseText == "environment" {
                let own = rows(environment["data"]).map { (aliases[$0.0] ?? $0.0, $0.1, $0.2) }
                listDisabledRows(environment)
                let names = Set(own.map(\.0))
                let all = inherited.filter { !names.contains($0.0) } + own
                for (name, value, _) in own { postman.variables.addValue(value, of: name) }
                postman.addEnvironment(environment["name"].looseText ?? "", all)
                read(environment["_id"].looseText ?? "", all, depth: depth + 1)
            }
        }
        read(base["_id"].looseText ?? "", [], depth: 0)
        keepLosses()
        return aliases
    }

    /// Rows of an environment that is edited as a table; those that are on are in its data, too.
    private func listDisabledRows(_ environment: JSON) {
        for row in environment["kvPairData"].elements where row["enabled"].bool == false {
            let name = row["name"].looseText ?? ""
            postman.addNote(
                "The variable `\(name)` of \(environment["name"].looseText ?? "") is switched off: "
                    + "`\(row["value"].looseText ?? "")`"
            )
        }
    }

    /// Keeps what texts of no request lose.
    private func keepLosses() { postman.workspace.losses += texts.takeLosses() }

    private func items(of parent: String, _ inherited: PostmanReader.Inherited)
        -> ([ImportedItem], [ImportLoss])
    {
        var items: [ImportedItem] = []
        var losses: [ImportLoss] = []
        // Taken out, so that a circle ends.
        guard let resources = children.removeValue(forKey: parent) else { return ([], []) }
        for resource in resources {
            switch resource["_type"].looseText ?? "" {
            case "request": items.append(.target(target(resource, inherited)))
            case "request_group":
                items.append(
                    .group(
                        group(resource, inherited) { inherited in
                            self.items(of: resource["_id"].looseText ?? "", inherited)
                        }
                    )
                )
            case "workspace", "environment": break
            case let type: losses += other(type, resource) + others(in: resource)
            }
        }
        return (items, losses)
    }

    /// What stands in something that is no folder: the tests of a suite, the routes of a mock server.
    private func others(in parent: JSON) -> [ImportLoss] {
        guard let id = parent["_id"].looseText, let resources = children.removeValue(forKey: id)
        else { return [] }
        return resources.flatMap { resource in
            other(resource["_type"].looseText ?? "", resource) + others(in: resource)
        }
    }

    /// What is no request and no folder.
    private func other(_ type: String, _ json: JSON) -> [ImportLoss] {
        let kinds = [
            "grpc_request": "a gRPC request", "websocket_request": "a WebSocket request",
            "websocket_payload": "a message of a WebSocket", "api_spec": "an API's description",
            "unit_test": "a unit test", "unit_test_suite": "a suite of unit tests",
            "proto_file": "a file of protocol buffers", "cookie_jar": "kept cookies",
            "mock_route": "a route of a mock server", "socketio_request": "a Socket.IO request",
            "mock": "a mock server", "mock_server": "a mock server",
            "proto_directory": "a folder of protocol buffers", "mcp": "a client of MCP",
            "certificate": "a client certificate",
        ]
        if type == "cookie_jar", json["cookies"].count == 0 { return [] }
        if type == "api_spec", json["contents"].filledText == nil { return [] }
        let keys = ["contents", "protoText"]
        let text = keys.lazy.compactMap { json[$0].filledText }.first ?? json.text(.pretty) ?? ""
        let name = json["name"].filledText ?? json["fileName"].filledText ?? ""
        return [
            ImportLoss(
                kinds[type] ?? "what Insomnia calls \(type.isEmpty ? "nothing" : type)",
                "a workspace has nothing like it" + (name.isEmpty ? "" : ": “\(name.inOneLine)”"),
                text: ImportedBody.shortened(text, to: 256 << 10),
                line: tree.line(of: json)
            )
        ]
    }

    // MARK: - Version 5

    func readFile(_ json: JSON) {
        postman.workspace.format = "Insomnia 5"
        postman.workspace.name = json["name"].filledText
        if let about = json["meta"]["description"].filledText { postman.addNote(about) }
        let bases =
            json["environments"].kind == .array
            ? Array(json["environments"].elements) : [json["environments"]]
        var aliases: [String: String] = [:]
        for base in bases where base.kind == .object {
            aliases = postman.addScoped(
                rows(base["data"]),
                of: base["name"].looseText ?? "",
                aliases
            )
            listDisabledRows(base)
            for environment in base["subEnvironments"].elements {
                let own = rows(environment["data"]).map { (aliases[$0.0] ?? $0.0, $0.1, $0.2) }
                listDisabledRows(environment)
                for (name, value, _) in own { postman.variables.addValue(value, of: name) }
                postman.addEnvironment(environment["name"].looseText ?? "", own)
            }
        }
        keepLosses()
        var inherited = PostmanReader.Inherited()
        inherited.aliases = aliases
        let (items, losses) = self.items(json["collection"], inherited)
        postman.workspace.items += items
        postman.workspace.losses += losses
        if json["spec"]["contents"].count > 0 || json["spec"]["contents"].filledText != nil {
            let spec = json["spec"]["contents"]
            let content = JSON(members: [
                (key: "contents", value: JSON(spec.looseText ?? spec.text(.pretty) ?? ""))
            ])
            postman.workspace.losses += other("api_spec", content)
        }
        for suite in json["testSuites"].elements {
            postman.workspace.losses += other("unit_test_suite", suite)
        }
        if json["cookieJar"]["cookies"].count > 0 {
            postman.workspace.losses += other("cookie_jar", json["cookieJar"])
        }
        let known: Set<String> = [
            "type", "schema_version", "name", "meta", "collection", "environments", "cookieJar",
            "testSuites", "url", "useInsomniaCloud",
        ]
        let kinds = ["server": "mock", "mcpRequest": "mcp", "certificates": "certificate"]
        for (name, value) in json.members where !known.contains(name) {
            if name == "routes" {
                for route in value.elements {
                    postman.workspace.losses += other("mock_route", route)
                }
            } else if name == "spec", value["file"].filledText == nil {
                continue
            } else if value.count > 0 || value.filledText != nil {
                postman.workspace.losses += other(kinds[name] ?? name, value)
            }
        }
        if let url = json["url"].filledText {
            postman.workspace.losses += other(
                "mock",
                JSON(members: [(key: "url", value: JSON(url))])
            )
        }
    }

    private func items(_ json: JSON, _ inherited: PostmanReader.Inherited)
        -> ([ImportedItem], [ImportLoss])
    {
        var items: [ImportedItem] = []
        var losses: [ImportLoss] = []
        for item in Self.sorted(json.elements.map { $0 }, "meta", "sortKey")
        where item.kind == .object {
            let isCall = item["reflectionApi"].exists || item["protoMethodName"].exists
            if item["children"].exists || !item["url"].exists && !item["method"].exists && !isCall {
                items.append(
                    .group(
                        group(item, inherited) { inherited in
                            self.items(item["children"], inherited)
                        }
                    )
                )
                continue
            }
            let id = item["meta"]["id"].looseText ?? ""
            if id.hasPrefix("socketio") || item["eventListeners"].exists {
                losses += other("socketio_request", item)
            } else if id.hasPrefix("ws-req") {
                losses += other("websocket_request", item)
            } else if id.hasPrefix("greq") || item["protoFileId"].exists || isCall {
                losses += other("grpc_request", item)
            } else {
                items.append(.target(target(item, inherited)))
            }
        }
        return (items, losses)
    }

    // MARK: - Both

    private func group(
        _ json: JSON,
        _ inherited: PostmanReader.Inherited,
        _ content: (PostmanReader.Inherited) -> ([ImportedItem], [ImportLoss])
    ) -> ImportedGroup {
        var group = ImportedGroup(name: json["name"].looseText ?? "")
        group.note = json["description"].filledText ?? json["meta"]["description"].filledText
        var inherited = inherited
        inherited.levels += 1
        inherited.aliases = postman.addScoped(
            rows(json["environment"]),
            of: group.name,
            inherited.aliases
        )
        postman.variables.aliases = inherited.aliases
        texts.request = .null
        let own = InsomniaRequest.auth(json["authentication"], texts)
        let outer = inherited
        postman.inherit(postman.auth(own, inherited, &group.losses), &inherited)
        for row in json["headers"].elements {
            let field = InsomniaRequest.row(row, [], texts)
            let name = field["key"].looseText ?? ""
            if let about = row["description"].filledText { group.appendNote("`\(name)`: \(about)") }
            guard row["disabled"].bool != true else {
                let value = row["value"].looseText ?? ""
                group.appendNote("Switched off: the header field `\(name)=\(value)`")
                continue
            }
            inherited.headers.removeAll { $0["key"].looseText == name }
            inherited.headers.append(
                JSON(members: [
                    (key: "key", value: field["key"]), (key: "value", value: field["value"]),
                ])
            )
        }
        var script = PostmanScript(postman.variables)
        read(json, &script, &group.losses)
        if !script.expect.isEmpty {
            group.defaults = [Value.Member("expect", .object(script.expect))]
        }
        if let tests = script.testNote { group.appendNote(tests) }
        group.losses += script.losses
        for capture in script.captures {
            group.losses.append(
                ImportLoss(
                    "a script",
                    "it sets a variable after every request of a folder",
                    text: capture.text
                )
            )
        }
        postman.presets += script.presets
        group.losses += texts.takeLosses()
        guard inherited.levels < 24 else {
            group.losses.append(
                ImportLoss(
                    "a folder",
                    "it is nested too deeply",
                    text: ImportedBody.shortened(json.text() ?? "")
                )
            )
            return group
        }
        let (items, losses) = content(inherited)
        group.items = items
        group.losses += losses
        group.losses += postman.unusedCredentials(inherited, of: outer)
        if items.isEmpty {
            let own = inherited.headers.dropFirst(outer.headers.count)
            group.losses += own.map { row in
                ImportLoss(
                    "a header field of a folder",
                    "no request is in it",
                    text: "\(row["key"].looseText ?? ""): \(row["value"].looseText ?? "")"
                )
            }
        }
        return group
    }

    private func target(_ json: JSON, _ inherited: PostmanReader.Inherited) -> ImportedTarget {
        if let id = json["_id"].looseText ?? json["meta"]["id"].looseText {
            indexes[id] = postman.targetCount
        }
        postman.variables.aliases = inherited.aliases
        texts.request = json
        let item = InsomniaRequest(json, texts, inherited: inherited.headers).item
        let index = postman.targetCount
        var target = postman.target(item, inherited)
        var script = PostmanScript(postman.variables)
        read(json, &script, &target.losses)
        if !script.expect.isEmpty { target["expect"] = .object(script.expect) }
        if let tests = script.testNote { target.appendNote(tests) }
        target.losses += script.losses + texts.takeLosses()
        for var capture in script.captures {
            capture.target = index
            postman.captures.append(capture)
        }
        for var preset in script.presets {
            preset.target = index
            postman.presets.append(preset)
        }
        return target
    }

    private func read(_ json: JSON, _ script: inout PostmanScript, _ losses: inout [ImportLoss]) {
        let (before, after) = InsomniaRequest.scripts(json)
        for (text, isTest) in [(before, false), (after, true)] {
            script.read(text.looseText ?? "", isTest: isTest, line: tree.line(of: text))
            if text.count > 0 {
                losses.append(ImportLoss("a script", "it is no text", text: text.text() ?? ""))
            }
        }
    }

    private func rows(_ json: JSON) -> [(String, String, Bool)] {
        var rows: [(String, String, Bool)] = []
        flatten(json, "", 0, &rows)
        return rows
    }

    /// The values of nested mappings by their paths, as templates name them: `api.users[0]`.
    private func flatten(
        _ json: JSON,
        _ path: String,
        _ depth: Int,
        _ rows: inout [(String, String, Bool)]
    ) {
        guard depth < 12, rows.count < 20_000 else {
            texts.lose("a variable", "it is nested too deeply", "\(path): \(json.text() ?? "")")
            return
        }
        switch json.kind {
        case .object:
            for (name, value) in json.members {
                guard !name.isEmpty else {
                    texts.lose("a variable", "it has no name", "\(path): \(value.text() ?? "")")
                    continue
                }
                flatten(value, path.isEmpty ? name : "\(path).\(name)", depth + 1, &rows)
            }
        case .array:
            for (index, value) in json.elements.enumerated() {
                flatten(value, "\(path)[\(index)]", depth + 1, &rows)
            }
        case nil: break
        default:
            if !path.isEmpty { rows.append((path, texts.text(json.looseText ?? ""), false)) }
        }
    }

    /// The workspace, with the values that templates have of other requests' responses.
    func finished() -> ImportedWorkspace {
        for response in texts.responses {
            guard let index = indexes[response.request] else {
                postman.workspace.losses.append(
                    ImportLoss(
                        "a value from a response",
                        "its request is not in the file, so that it is asked for",
                        text: response.text
                    )
                )
                continue
            }
            var capture = PostmanCapture(
                name: response.name,
                path: response.path,
                text: response.text
            )
            capture.target = index
            capture.expires = response.expires
            postman.captures.append(capture)
        }
        for (name, value) in texts.questions where !postman.variables.isKnown(name) {
            let own = postman.variables.names.name(of: name)
            if postman.workspace.variables[own] == nil { postman.workspace.variables[own] = value }
        }
        keepLosses()
        return postman.finished()
    }
}
