import Documents
import Workspaces

/// Reads exports of Insomnia.
///
/// Its requests have the parts of Postman's under other names, and are read as those.
final class InsomniaReader {
    private let tree: ImportTree
    private let postman: PostmanReader
    private let texts = InsomniaTexts()
    private var indexes: [String: Int] = [:]
    private var children: [String: [JSON]] = [:]

    init(_ tree: ImportTree) {
        self.tree = tree
        postman = PostmanReader(tree)
    }

    // MARK: - Version 4

    func readResources(_ json: JSON) {
        let version = json["__export_format"].looseText ?? "4"
        postman.workspace.format = "Insomnia \(version)"
        var workspaces: [JSON] = []
        var ids: Set<String> = []
        for resource in json["resources"].elements where resource.kind == .object {
            if let id = resource["_id"].looseText { ids.insert(id) }
            if resource["_type"].looseText == "workspace" { workspaces.append(resource) }
            children[resource["parentId"].looseText ?? "", default: []].append(resource)
        }
        for (id, resources) in children {
            children[id] = resources.enumerated().sorted { first, second in
                let keys = (
                    first.element["metaSortKey"].double ?? 0,
                    second.element["metaSortKey"].double ?? 0
                )
                return keys.0 == keys.1 ? first.offset < second.offset : keys.0 < keys.1
            }.map(\.element)
        }
        var roots = workspaces.compactMap { $0["_id"].looseText }
        // What names a parent that is not there stands at the top.
        roots += children.keys.filter { !ids.contains($0) && $0 != "" }.sorted() + [""]
        postman.workspace.name = workspaces.first?["name"].filledText
        for workspace in workspaces {
            if let about = workspace["description"].filledText { postman.addNote(about) }
            readEnvironments(of: workspace["_id"].looseText ?? "")
        }
        for root in roots {
            let before = postman.targetCount
            let (items, losses) = self.items(of: root, PostmanReader.Inherited())
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
    }

    private func readEnvironments(of workspace: String) {
        for base in children[workspace] ?? [] where base["_type"].looseText == "environment" {
            addVariables(base["data"])
            for environment in children[base["_id"].looseText ?? ""] ?? [] {
                addEnvironment(environment["name"].looseText ?? "", environment["data"])
            }
        }
    }

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
            case let type: losses += other(type, resource)
            }
        }
        return (items, losses)
    }

    /// What is no request and no folder.
    private func other(_ type: String, _ json: JSON) -> [ImportLoss] {
        let kinds = [
            "grpc_request": "a gRPC request", "websocket_request": "a WebSocket request",
            "websocket_payload": "a message of a WebSocket", "api_spec": "an API's description",
            "unit_test": "a unit test", "unit_test_suite": "a suite of unit tests",
            "proto_file": "a file of protocol buffers", "cookie_jar": "kept cookies",
            "mock_route": "a route of a mock server", "socketio_request": "a Socket.IO request",
        ]
        if type == "cookie_jar", json["cookies"].count == 0 { return [] }
        if type == "api_spec", json["contents"].filledText == nil { return [] }
        let text =
            json["contents"].filledText ?? json["code"].filledText ?? json["protoText"].filledText
            ?? json.text(.pretty) ?? ""
        let name = json["name"].filledText ?? json["fileName"].filledText ?? ""
        return [
            ImportLoss(
                kinds[type] ?? "what Insomnia calls \(type.isEmpty ? "nothing" : type)",
                "a workspace has nothing like it" + (name.isEmpty ? "" : ": “\(name.inOneLine)”"),
                text: ImportedBody.shortened(text, to: 64 << 10),
                line: tree.line(of: json)
            )
        ]
    }

    // MARK: - Version 5

    func readFile(_ json: JSON) {
        postman.workspace.format = "Insomnia 5"
        postman.workspace.name = json["name"].filledText
        if let about = json["meta"]["description"].filledText { postman.addNote(about) }
        for environments in [json["environments"]] + Array(json["environments"].elements) {
            addVariables(environments["data"])
            for environment in environments["subEnvironments"].elements {
                addEnvironment(environment["name"].looseText ?? "", environment["data"])
            }
        }
        let (items, losses) = self.items(json["collection"], PostmanReader.Inherited())
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
    }

    private func items(_ json: JSON, _ inherited: PostmanReader.Inherited)
        -> ([ImportedItem], [ImportLoss])
    {
        var items: [ImportedItem] = []
        var losses: [ImportLoss] = []
        for item in json.elements where item.kind == .object {
            if item["children"].exists || !item["url"].exists && !item["method"].exists {
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
            if id.hasPrefix("ws-req") || id.hasPrefix("socketio") {
                losses += other("websocket_request", item)
            } else if id.hasPrefix("greq") || item["protoFileId"].exists
                || item["protoMethodName"].exists
            {
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
        let own = InsomniaRequest.auth(json["authentication"], texts)
        if let auth = postman.auth(own, inherited, &group.losses) { inherited.auth = auth }
        for row in json["headers"].elements where row["disabled"].bool != true {
            group.losses.append(
                ImportLoss(
                    "a header field of a folder",
                    "it is sent with the requests of one server alone",
                    text: "\(row["name"].looseText ?? ""): \(row["value"].looseText ?? "")"
                )
            )
        }
        addVariables(json["environment"], isOwn: false)
        var script = PostmanScript(postman.variables)
        let (before, after) = InsomniaRequest.scripts(json)
        script.read(before.looseText ?? "", isTest: false, line: tree.line(of: before))
        script.read(after.looseText ?? "", isTest: true, line: tree.line(of: after))
        if !script.expect.isEmpty {
            group.defaults = [Value.Member("expect", .object(script.expect))]
        }
        group.losses += script.losses
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
        return group
    }

    private func target(_ json: JSON, _ inherited: PostmanReader.Inherited) -> ImportedTarget {
        if let id = json["_id"].looseText ?? json["meta"]["id"].looseText {
            indexes[id] = postman.targetCount
        }
        let losses = texts.losses.count
        let item = InsomniaRequest(json, texts).item
        let index = postman.targetCount
        var target = postman.target(item, inherited)
        var script = PostmanScript(postman.variables)
        let (before, after) = InsomniaRequest.scripts(json)
        script.read(before.looseText ?? "", isTest: false, line: tree.line(of: before))
        script.read(after.looseText ?? "", isTest: true, line: tree.line(of: after))
        if !script.expect.isEmpty { target["expect"] = .object(script.expect) }
        target.losses += script.losses + texts.losses[losses...]
        for var capture in script.captures {
            capture.target = index
            postman.captures.append(capture)
        }
        return target
    }

    private func addVariables(_ json: JSON, isOwn: Bool = true) {
        var rows: [(String, String, Bool)] = []
        flatten(json, "", 0, &rows)
        for (name, value, _) in rows { postman.variables.addValue(value, of: name) }
        postman.addShared(isOwn ? rows : rows.filter { row in !postman.isShared(row.0) })
    }

    private func addEnvironment(_ name: String, _ json: JSON) {
        var rows: [(String, String, Bool)] = []
        flatten(json, "", 0, &rows)
        for (name, value, _) in rows { postman.variables.addValue(value, of: name) }
        postman.addEnvironment(name, rows)
    }

    /// The values of nested mappings by their paths, as templates name them: `api.users[0]`.
    private func flatten(
        _ json: JSON,
        _ path: String,
        _ depth: Int,
        _ rows: inout [(String, String, Bool)]
    ) {
        guard depth < 12, rows.count < 20_000 else { return }
        switch json.kind {
        case .object:
            for (name, value) in json.members {
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
            guard let index = indexes[response.request] else { continue }
            var capture = PostmanCapture(
                name: response.name,
                path: response.path,
                text: response.text
            )
            capture.target = index
            postman.captures.append(capture)
        }
        return postman.finished()
    }
}
