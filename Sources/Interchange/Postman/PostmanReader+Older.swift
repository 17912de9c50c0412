import Documents
import Workspaces

extension PostmanReader {
    /// Reads a collection of version 1, whose requests and folders name each other by ids.
    func readOlder(_ json: JSON) {
        workspace.format = "Postman 1"
        workspace.name = json["name"].filledText
        if let about = Self.description(json["description"]) { addNote(about) }
        addShared(variableRows(json["variables"], of: "the collection"))
        var inherited = Inherited()
        inherit(auth(json["auth"], inherited, &workspace.losses), &inherited)
        var requests: [String: JSON] = [:]
        var order: [String] = []
        for (index, request) in json["requests"].elements.enumerated() {
            let id = request["id"].looseText ?? "#\(index)"
            if requests[id] == nil { order.append(id) }
            requests[id] = request
        }
        var folders: [String: JSON] = [:]
        var folderOrder: [String] = []
        for folder in json["folders"].elements {
            guard let id = folder["id"].looseText else { continue }
            if folders[id] == nil { folderOrder.append(id) }
            folders[id] = folder
        }
        var done: Set<String> = []
        func targets(_ ids: JSON, _ inherited: Inherited) -> [ImportedItem] {
            ids.elements.compactMap { id in
                guard let id = id.looseText, let request = requests[id], done.insert(id).inserted
                else { return nil }
                return .target(olderTarget(request, inherited))
            }
        }
        func group(_ folder: JSON, _ inherited: Inherited) -> ImportedItem {
            var group = ImportedGroup(name: folder["name"].looseText ?? "")
            group.note = Self.description(folder["description"])
            var inherited = inherited
            inherited.levels += 1
            let outer = inherited
            inherit(auth(folder["auth"], inherited, &group.losses), &inherited)
            group.items = children(folder["folders_order"], inherited)
            group.items += targets(folder["order"], inherited)
            group.losses += unusedCredentials(inherited, of: outer)
            return .group(group)
        }
        func children(_ ids: JSON, _ inherited: Inherited) -> [ImportedItem] {
            guard inherited.levels < 24 else { return [] }
            return ids.elements.compactMap { id in
                guard let id = id.looseText, let folder = folders.removeValue(forKey: id) else {
                    return nil
                }
                return group(folder, inherited)
            }
        }
        workspace.items += children(json["folders_order"], inherited)
        for id in folderOrder {
            if let folder = folders.removeValue(forKey: id) {
                workspace.items.append(group(folder, inherited))
            }
        }
        workspace.items += targets(json["order"], inherited)
        for id in order where done.insert(id).inserted {
            if let request = requests[id] {
                workspace.items.append(.target(olderTarget(request, inherited)))
            }
        }
    }

    private func olderTarget(_ json: JSON, _ inherited: Inherited) -> ImportedTarget {
        var target = ImportedTarget(name: json["name"].looseText ?? "", request: "")
        target.note = Self.description(json["description"])
        var notes = PostmanNotes()
        let method = json["method"].filledText ?? "GET"
        variables.aliases = inherited.aliases
        var url = JSON.null
        url = JSON(members: [
            (key: "raw", value: json["url"]),
            (
                key: "variable",
                value: json["pathVariableData"].count > 0
                    ? json["pathVariableData"] : json["pathVariables"]
            ),
        ])
        setURL(url, method, &target, &notes)
        for row in json["queryParams"].elements where row["enabled"].bool == false {
            _ = notes.isOff(
                row,
                "parameter",
                row["key"].looseText ?? "",
                row["value"].looseText
            )
        }
        setHeaders(
            json["headerData"].count > 0 ? json["headerData"] : json["headers"],
            &target,
            &notes
        )
        let mode = json["dataMode"].looseText
        let rows = json["data"]
        let members: [(key: String, value: JSON)] =
            switch mode {
            case "params": [("mode", JSON("formdata")), ("formdata", rows)]
            case "urlencoded": [("mode", JSON("urlencoded")), ("urlencoded", rows)]
            case "raw":
                [
                    ("mode", JSON("raw")),
                    ("raw", json["rawModeData"].looseText != nil ? json["rawModeData"] : rows),
                    ("options", json["dataOptions"]),
                ]
            case "graphql": [("mode", JSON("graphql")), ("graphql", json["graphqlModeData"])]
            case "binary": [("mode", JSON("file")), ("file", json["rawModeData"])]
            default: []
            }
        let hasRows =
            rows.count > 0 || rows.filledText != nil || json["rawModeData"].filledText != nil
            || mode == "graphql"
        if hasRows { setBody(JSON(members: members), method, .null, &target, &notes) }
        var own = auth(json["auth"], inherited, &target.losses)
        if own == nil, let helper = json["currentHelper"].filledText {
            let kinds = [
                "basicAuth": "basic", "digestAuth": "digest", "bearerAuth": "bearer",
                "awsSigV4": "awsv4", "oAuth1": "oauth1", "oAuth2": "oauth2", "hawkAuth": "hawk",
                "ntlmAuth": "ntlm", "normal": "noauth", "noAuth": "noauth",
            ]
            let kind = kinds[helper] ?? helper
            // Its fields are in the request already.
            if target.headerField("authorization") == nil {
                let helper = JSON(members: [
                    (key: "type", value: JSON(kind)), (key: kind, value: json["helperAttributes"]),
                ])
                own = auth(helper, inherited, &target.losses)
            }
        }
        setAuth(own, inherited, &target)
        let sent = JSON(members: [
            (key: "method", value: JSON(method)), (key: "url", value: json["url"]),
        ])
        setResponses(json["responses"], sent, &target)
        var script = PostmanScript(variables)
        if json["events"].count > 0 {
            script.read(json["events"], in: tree)
        } else {
            script.read(
                json["tests"].looseText ?? "",
                isTest: true,
                line: tree.line(of: json["tests"])
            )
            script.read(
                json["preRequestScript"].looseText ?? "",
                isTest: false,
                line: tree.line(of: json["preRequestScript"])
            )
        }
        apply(script, to: &target)
        target.appendNote(notes.text)
        targetCount += 1
        return target
    }
}
