import Documents
import Secrets
import Workspaces

/// Reads the parts of Postman's files into one workspace.
final class PostmanReader {
    /// What requests inherit from the folders around them.
    struct Inherited {
        /// Their `auth`; an empty array if there is none.
        var auth: [Value.Member] = []
        var levels = 0
    }

    let tree: ImportTree
    let variables = PostmanVariables()
    var workspace = ImportedWorkspace(format: "Postman")
    /// What scripts capture: the variable's name in the file, where it is, and the index of its target.
    var captures: [PostmanCapture] = []
    var targetCount = 0
    /// Values of path variables, each of which is a variable if all requests agree.
    var pathValues: [String: String] = [:]
    private var sharedIndexes: [String: Int] = [:]
    private var shared: [(name: String, value: String, isSecret: Bool)] = []
    private var environments: [(name: String, values: [(String, String, Bool)])] = []

    init(_ tree: ImportTree) { self.tree = tree }

    func readFilesBeside(_ source: ImportSource) {
        guard !source.isURL, !source.path.isEmpty, source.path != "-" else { return }
        let folder = source.path.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        let place = folder.isEmpty && !source.path.hasPrefix("/") ? "." : folder + "/"
        let names = ImportFile.names(in: place).sorted().filter {
            $0.hasSuffix(".postman_environment.json") || $0.hasSuffix(".postman_globals.json")
        }
        for name in names.prefix(100) {
            guard let bytes = source.bytes(of: name), let file = try? ImportTree(bytes, named: name)
            else {
                workspace.losses.append(
                    ImportLoss("a file beside the collection", "it cannot be read", text: name)
                )
                continue
            }
            readVariables(file.root)
        }
    }

    func readVariables(_ json: JSON) {
        let isGlobal = json["_postman_variable_scope"].looseText == "globals"
        let name = json["name"].filledText ?? "environment"
        let values = variableRows(json["values"], of: isGlobal ? "globals" : name)
        if isGlobal { addShared(values) } else { environments.append((name, values)) }
        if workspace.items.isEmpty, workspace.name == nil {
            workspace.format = isGlobal ? "Postman globals" : "Postman environment"
        }
    }

    func addShared(_ values: [(String, String, Bool)]) {
        for (name, value, isSecret) in values {
            if let index = sharedIndexes[name] {
                shared[index].value = value
            } else {
                sharedIndexes[name] = shared.count
                shared.append((name, value, isSecret))
            }
        }
    }

    /// Whether there is a variable of this name for all environments.
    func isShared(_ name: String) -> Bool { sharedIndexes[name] != nil }

    func addEnvironment(_ name: String, _ values: [(String, String, Bool)]) {
        environments.append((name, values))
    }

    /// The variables that are switched on; the others are listed in the workspace's note.
    func variableRows(_ json: JSON, of owner: String) -> [(String, String, Bool)] {
        var rows: [(String, String, Bool)] = []
        func add(_ name: String, _ row: JSON) {
            let value = row["value"].exists ? row["value"] : row["initialValue"]
            let text =
                value.looseText ?? (value.kind == .null || !value.exists ? "" : value.text() ?? "")
            let isOff = row["disabled"].bool == true || row["enabled"].bool == false
            let isSecret = row["type"].looseText == "secret"
            guard !name.isEmpty else { return }
            if let about = Self.description(row["description"]) {
                addNote("`\(name)`: \(about)")
            }
            if isOff {
                addNote("The variable `\(name)` of \(owner) is switched off: `\(text)`")
            } else {
                rows.append((name, text, isSecret))
                variables.addValue(text, of: name)
            }
        }
        for row in json.elements {
            add(row["key"].looseText ?? row["id"].looseText ?? row["name"].looseText ?? "", row)
        }
        return rows
    }

    func addNote(_ text: String) {
        workspace.note = workspace.note.map { "\($0)\n\n\(text)" } ?? text
    }

    func readDump(_ json: JSON) {
        for environment in json["environments"].elements { readVariables(environment) }
        addShared(variableRows(json["globals"], of: "globals"))
        for collection in json["collections"].elements {
            let before = workspace.items
            workspace.items = []
            let kind = PostmanImporter.kind(of: collection)
            if kind == .older { readOlder(collection) } else { readCollection(collection) }
            var group = ImportedGroup(
                name: collection["info"]["name"].looseText ?? collection["name"].looseText ?? ""
            )
            group.items = workspace.items
            workspace.items = before + [.group(group)]
        }
        workspace.format = "Postman data dump"
    }

    func readCollection(_ json: JSON) {
        let info = json["info"]
        let schema = info["schema"].looseText ?? ""
        workspace.format = schema.contains("v2.0") ? "Postman 2.0" : "Postman 2.1"
        workspace.name = info["name"].filledText
        if let about = Self.description(info["description"]) { addNote(about) }
        addShared(variableRows(json["variable"], of: "the collection"))
        var inherited = Inherited()
        var losses: [ImportLoss] = []
        inherited.auth = auth(json["auth"], inherited, &losses) ?? []
        workspace.losses += losses
        let scripts = script(of: json["event"])
        workspace.defaults += scripts.defaults
        workspace.losses += scripts.losses
        workspace.losses += protocolLosses(json["protocolProfileBehavior"])
        workspace.items += items(json["item"], inherited)
    }

    func items(_ json: JSON, _ inherited: Inherited) -> [ImportedItem] {
        json.elements.compactMap { item in
            guard item.kind == .object else { return nil }
            if item["item"].kind == .array { return .group(group(item, inherited)) }
            if !item["request"].exists || item["request"].isNull, !item["response"].exists {
                return item["name"].exists ? .group(group(item, inherited)) : nil
            }
            return .target(target(item, inherited))
        }
    }

    private func group(_ json: JSON, _ inherited: Inherited) -> ImportedGroup {
        var group = ImportedGroup(name: json["name"].looseText ?? "")
        group.note = Self.description(json["description"])
        var inherited = inherited
        inherited.levels += 1
        if let auth = auth(json["auth"], inherited, &group.losses) { inherited.auth = auth }
        let scripts = script(of: json["event"])
        group.defaults = scripts.defaults
        group.losses += scripts.losses
        group.losses += protocolLosses(json["protocolProfileBehavior"])
        let rows = variableRows(json["variable"], of: "the folder")
        addShared(rows.filter { !isShared($0.0) })
        if inherited.levels > Self.maximumLevels {
            group.losses.append(
                ImportLoss(
                    "a folder",
                    "it is nested too deeply",
                    text: ImportedBody.shortened(
                        json["item"].text(.minified) ?? ""
                    ),
                    line: tree.line(of: json)
                )
            )
        } else {
            group.items = items(json["item"], inherited)
        }
        return group
    }

    private static let maximumLevels = 24

    /// Scripts of a collection or a folder: what they expect holds for all requests in it.
    private func script(of events: JSON) -> (defaults: [Value.Member], losses: [ImportLoss]) {
        var script = PostmanScript(variables)
        script.read(events, in: tree)
        var losses = script.losses
        for capture in script.captures {
            losses.append(
                ImportLoss(
                    "a script",
                    "it sets a variable after every request of a folder",
                    text: capture.text
                )
            )
        }
        return (
            script.expect.isEmpty ? [] : [Value.Member("expect", .object(script.expect))], losses
        )
    }

    private func protocolLosses(_ json: JSON) -> [ImportLoss] {
        let isOther =
            json.members.contains { !Self.ownSettings.contains($0.key) || $0.value.bool == nil }
            || json["followRedirects"].bool == false || json["strictSSL"].bool == false
            || json["disableCookies"].bool == true
        guard json.kind == .object, isOther else { return [] }
        return [
            ImportLoss(
                "settings of the connection",
                "they are of a folder and not of a request",
                text: json.text() ?? "",
                line: tree.line(of: json)
            )
        ]
    }

    static func description(_ json: JSON) -> String? {
        let text = json.looseText ?? json["content"].looseText
        guard let text = text?.trimmingBlanks, !text.isEmpty else { return nil }
        return text
    }

    /// The workspace, with variables and environments.
    func finished() -> ImportedWorkspace {
        for (name, value) in pathValues.sorted(by: { $0.key < $1.key })
        where !variables.isKnown(name) {
            shared.append((name, value, false))
        }
        let supplied = PostmanCaptures(captures, in: workspace, variables).supplied(&workspace)
        var members: [Value.Member] = []
        for (name, value, isSecret) in shared where !supplied.contains(name) {
            members.append(member(name, value, isSecret))
        }
        for (name, values) in environments {
            var inner: [Value.Member] = []
            for (name, value, isSecret) in values where !supplied.contains(name) {
                let member = member(name, value, isSecret)
                inner[member.name] = member.value
            }
            let settings: Value = .object(
                inner.isEmpty ? [] : [Value.Member("variables", .object(inner))]
            )
            var unique = name.inOneLine.trimmingBlanks
            if unique.isEmpty { unique = "environment" }
            let base = unique
            var number = 2
            while workspace.environments[unique] != nil {
                unique = "\(base) (\(number))"
                number += 1
            }
            workspace.environments[unique] = settings
        }
        for name in variables.unset where !supplied.contains(name) {
            let own = variables.names.name(of: name)
            let value: Value = .string("https://unset.invalid")
            if let index = members.firstIndex(where: { $0.name == own }) {
                members[index] = Value.Member(own, value)
            } else {
                members.append(Value.Member(own, value))
            }
            workspace.losses.append(
                ImportLoss(
                    "a variable of a URL of OAuth 2",
                    "it has no value: give it one",
                    text: name
                )
            )
        }
        workspace.variables += members
        for name in variables.unknown {
            workspace.losses.append(
                ImportLoss(
                    "a dynamic variable",
                    "no function makes such values, so it is asked for",
                    text: name
                )
            )
        }
        workspace.names = variables.names
        return workspace
    }

    private func member(_ name: String, _ value: String, _ isSecret: Bool) -> Value.Member {
        let own = variables.names.name(of: name)
        let isCredential = isSecret || CredentialMask.isSecret(parameter: name)
        if value.isEmpty, isCredential || variables.origins.contains(name) {
            var question = [Value.Member("ask", .string(name.inOneLine))]
            if isCredential { question.append(Value.Member("secret", .boolean(true))) }
            return Value.Member(own, .object(question))
        }
        // A variable of itself has no value.
        if value.trimmingBlanks == "{{\(name)}}" {
            return Value.Member(own, .object([Value.Member("ask", .string(name.inOneLine))]))
        }
        return Value.Member(own, .string(variables.template(value)))
    }
}
