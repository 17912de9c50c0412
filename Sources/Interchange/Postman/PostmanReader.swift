import Documents
import Secrets
import Workspaces

/// Reads the parts of Postman's files into one workspace.
final class PostmanReader {
    /// What requests inherit from the folders around them.
    struct Inherited {
        /// Their `auth`; an empty array if there is none.
        var auth: [Value.Member] = []
        /// The number of what says so, by which is known whether a request inherits it.
        var authNumber = 0
        /// Header fields, as rows of a collection.
        var headers: [JSON] = []
        /// What names of variables mean, because a folder has its own values.
        var aliases: [String: String] = [:]
        var levels = 0
    }

    let tree: ImportTree
    let variables = PostmanVariables()
    var workspace = ImportedWorkspace(format: "Postman")
    /// Tables beside the collection, which may be rows for its requests.
    private(set) var tables: [PostmanData] = []
    /// What scripts capture: the variable's name in the file, where it is, and the index of its target.
    var captures: [PostmanCapture] = []
    /// What scripts before requests set variables to.
    var presets: [PostmanPreset] = []
    var targetCount = 0
    /// The numbers of credentials that a request inherits, and how many there are.
    var inheritedNumbers: Set<Int> = []
    private var authCount = 0
    /// Values of path variables, each of which is a variable if all requests agree.
    var pathValues: [String: String] = [:]
    private(set) var sharedIndexes: [String: Int] = [:]
    var shared: [(name: String, value: String, isSecret: Bool)] = []
    /// What names mean in the values of variables of folders.
    private(set) var scopes: [String: [String: String]] = [:]
    private(set) var environments: [(name: String, values: [(String, String, Bool)])] = []
    private var environmentNames: Set<String> = []

    init(_ tree: ImportTree) { self.tree = tree }

    func readFilesBeside(_ source: ImportSource) {
        guard !source.isURL, !source.path.isEmpty, source.path != "-" else { return }
        let folder = source.path.split(separator: "/", omittingEmptySubsequences: false)
            .dropLast().joined(separator: "/")
        let place = folder.isEmpty && !source.path.hasPrefix("/") ? "." : folder + "/"
        let names = ImportFile.names(in: place).sorted().filter {
            $0.hasSuffix(".postman_environment.json") || $0.hasSuffix(".postman_globals.json")
        }
        let own = source.path.split(separator: "/").last.map(String.init)
        for name in ImportFile.names(in: place).sorted().prefix(500)
        where name != own && PostmanData.mayBe(name) && !names.contains(name) {
            if let bytes = source.bytes(of: name), let table = PostmanData(bytes, named: name) {
                tables.append(table)
            }
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
        if isGlobal { addShared(values) } else { addEnvironment(name, values) }
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

    func addEnvironment(_ name: String, _ values: [(String, String, Bool)]) {
        environments.append((name, values))
        environmentNames.formUnion(values.map(\.0))
    }

    /// Adds the variables of a folder; one that has another value elsewhere gets a name of its own in it.
    ///
    /// - Returns: What names mean in the folder.
    func addScoped(
        _ rows: [(String, String, Bool)],
        of folder: String,
        _ aliases: [String: String]
    ) -> [String: String] {
        var aliases = aliases
        var added: [String] = []
        for (name, value, isSecret) in rows {
            var own = name
            var number = 1
            func isFree() -> Bool {
                guard !environmentNames.contains(own) || own != name else { return false }
                return sharedIndexes[own].map { shared[$0].value == value } ?? true
            }
            while !isFree() {
                own = number == 1 ? "\(name) \(folder)" : "\(name) \(folder) \(number)"
                number += 1
            }
            aliases[name] = own == name ? nil : own
            variables.addValue(value, of: own)
            addShared([(own, value, isSecret)])
            added.append(own)
        }
        for name in added { scopes[name] = aliases }
        return aliases
    }

    /// The variables that are switched on; the others are listed in the workspace's note.
    func variableRows(_ json: JSON, of owner: String, isScoped: Bool = false)
        -> [(String, String, Bool)]
    {
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
                if !isScoped { variables.addValue(text, of: name) }
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
        inherit(auth(json["auth"], inherited, &losses), &inherited)
        workspace.losses += losses
        let scripts = script(of: json["event"])
        workspace.defaults += scripts.defaults
        workspace.losses += scripts.losses
        if let tests = scripts.tests { addNote(tests) }
        workspace.losses += protocolLosses(json["protocolProfileBehavior"])
        workspace.items += items(json["item"], inherited)
        workspace.losses += unusedCredentials(inherited, of: Inherited())
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
        let rows = variableRows(json["variable"], of: "the folder", isScoped: true)
        inherited.aliases = addScoped(rows, of: group.name, inherited.aliases)
        variables.aliases = inherited.aliases
        let outer = inherited
        inherit(auth(json["auth"], inherited, &group.losses), &inherited)
        let scripts = script(of: json["event"])
        group.defaults = scripts.defaults
        group.losses += scripts.losses
        if let tests = scripts.tests { group.appendNote(tests) }
        group.losses += protocolLosses(json["protocolProfileBehavior"])
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
        group.losses += unusedCredentials(inherited, of: outer)
        return group
    }

    /// Has what is in a folder inherit its credentials; nil leaves those of the folders around it.
    func inherit(_ auth: [Value.Member]?, _ inherited: inout Inherited) {
        guard let auth else { return }
        authCount += 1
        inherited.auth = auth
        inherited.authNumber = authCount
    }

    /// The credentials of a folder that no request inherits.
    func unusedCredentials(_ inherited: Inherited, of outer: Inherited) -> [ImportLoss] {
        guard inherited.authNumber != outer.authNumber, !inherited.auth.isEmpty,
            !inheritedNumbers.contains(inherited.authNumber)
        else { return [] }
        return [
            ImportLoss(
                "credentials of a folder",
                "no request in it inherits them",
                text: Value.object(inherited.auth).json
            )
        ]
    }

    private static let maximumLevels = 24

    /// Scripts of a collection or a folder: what they expect holds for all requests in it.
    private func script(of events: JSON)
        -> (defaults: [Value.Member], losses: [ImportLoss], tests: String?)
    {
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
        presets += script.presets
        return (
            script.expect.isEmpty ? [] : [Value.Member("expect", .object(script.expect))], losses,
            script.testNote
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

    func member(_ name: String, _ value: String, _ isSecret: Bool) -> Value.Member {
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
