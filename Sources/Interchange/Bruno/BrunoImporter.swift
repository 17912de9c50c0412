import Documents
import Workspaces

/// Collections of Bruno: folders of `.bru` or YAML files, and single files of them.
package enum BrunoImporter: Importer {
    package static let name = "bruno"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if head.source.isFolder {
            return head.names.contains {
                ["bruno.json", "opencollection.yml", "collection.bru"].contains($0)
                    || $0.hasSuffix(".bru")
            }
        }
        if head.fileExtension == "bru" || head.yamlKeys["opencollection"] != nil { return true }
        if let json = head.json {
            let isCollection = json["version"].string == "1" && json["type"].string == "collection"
            return isCollection && json["name"].exists && !json["info"].exists
                || json["opencollection"].exists
        }
        return head.text.hasPrefix("meta {")
            || head.yamlKeys["http"] != nil && head.yamlKeys["info"] != nil
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        if source.isFolder { return folder(source, as: source) }
        let file = source.path.split(separator: "/").last.map(String.init) ?? ""
        // The file of a collection stands for its folder.
        if ["bruno.json", "opencollection.yml", "collection.bru"].contains(file), !source.isURL {
            let folder = source.path.dropLast(file.count + 1)
            let whole = ImportSource(folder: folder.isEmpty ? "." : String(folder))
            if whole.names().count > 1 { return self.folder(whole, as: whole) }
        }
        var reader = BrunoReader(source)
        if file.hasSuffix(".bru")
            || String(decoding: source.bytes.prefix(64), as: UTF8.self).contains("meta {")
        {
            readSurroundings(of: source, &reader)
            let bru = BruText(SourceText.decoded(source.bytes))
            if bru.block("vars") != nil, bru.block("meta") == nil {
                reader.readEnvironment(bru, named: String(file.dropLast(4)))
            } else if file == "collection.bru" || file == "folder.bru" {
                reader.readCollection(BrunoRequest(bru))
            } else if let item = reader.item(
                BrunoRequest(bru),
                named: String(file.dropLast(4)),
                BrunoScope(),
                ""
            ) {
                reader.workspace.items = [item]
            }
            return reader.finished()
        }
        let tree = try source.tree().root
        if tree["items"].exists || tree["opencollection"].exists || tree["config"].exists {
            reader.readCollection(tree)
            reader.workspace.items = items(tree["items"], &reader, reader.root)
        } else if let item = reader.item(BrunoRequest(tree), named: file, BrunoScope(), "") {
            reader.workspace.items = [item]
        }
        return reader.finished()
    }

    /// Reads the collection and the environments that a single file belongs to.
    private static func readSurroundings(of source: ImportSource, _ reader: inout BrunoReader) {
        guard !source.isURL, !source.path.isEmpty else { return }
        for level in 0..<6 {
            let up = String(repeating: "../", count: level)
            guard source.bytes(of: up + "bruno.json") != nil else { continue }
            readHead(in: up, source, &reader)
            return
        }
    }

    private static func folder(_ source: ImportSource, as whole: ImportSource) -> ImportedWorkspace
    {
        var reader = BrunoReader(source)
        readHead(in: "", source, &reader)
        reader.workspace.items = items(in: "", source, &reader, reader.root, depth: 0)
        return reader.finished()
    }

    /// Reads what the whole collection has; `folder` ends with `/`, or is empty.
    private static func readHead(
        in folder: String,
        _ source: ImportSource,
        _ reader: inout BrunoReader
    ) {
        if let bytes = source.bytes(of: folder + ".env") { reader.readDotenv(bytes) }
        if let bytes = source.bytes(of: folder + "bruno.json"), let json = try? JSON(parsing: bytes)
        {
            reader.readConfiguration(json)
        }
        let place = folder + "environments"
        for name in source.names(in: place) {
            guard let bytes = source.bytes(of: "\(place)/\(name)") else { continue }
            if name.hasSuffix(".bru") {
                reader.readEnvironment(
                    BruText(SourceText.decoded(bytes)),
                    named: String(name.dropLast(4))
                )
            } else if name.hasSuffix(".yml") || name.hasSuffix(".yaml"),
                let tree = try? ImportTree(bytes, named: name)
            {
                let title = name.prefix { $0 != "." }
                reader.readEnvironment(tree.root, named: String(title))
            }
        }
        if let bytes = source.bytes(of: folder + "collection.bru") {
            reader.readCollection(BrunoRequest(BruText(SourceText.decoded(bytes))))
        }
        if let bytes = source.bytes(of: folder + "opencollection.yml"),
            let tree = try? ImportTree(bytes, named: "opencollection.yml")
        {
            reader.readCollection(tree.root)
        }
    }

    private static func items(
        _ list: JSON,
        _ reader: inout BrunoReader,
        _ scope: BrunoScope,
        depth: Int = 0
    ) -> [ImportedItem] {
        guard depth < 32 else { return [] }
        return list.elements.compactMap { element in
            let request = BrunoRequest(element)
            guard element["items"].exists || request.type == "folder" else {
                return reader.item(request, named: "Request", scope, "")
            }
            var group = ImportedGroup(name: request.name ?? "Folder")
            let inner = reader.enter(request, scope, &group)
            group.items = items(element["items"], &reader, inner, depth: depth + 1)
            return .group(group)
        }
    }

    private static func items(
        in folder: String,
        _ source: ImportSource,
        _ reader: inout BrunoReader,
        _ scope: BrunoScope,
        depth: Int
    ) -> [ImportedItem] {
        guard depth < 32 else { return [] }
        var found: [(sequence: Double, name: String, path: String, request: BrunoRequest?)] = []
        for name in source.names(in: folder) where ImportSource.mayHaveRequests(name) {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            if source.isFolder(path) {
                if folder.isEmpty, name == "environments" { continue }
                if let loss = source.loss(ofLink: path) {
                    reader.workspace.losses.append(loss)
                    continue
                }
                let request = Self.request(path + "/folder", source)
                found.append((request?.sequence ?? 1e6, name, path, nil))
                continue
            }
            let base = name.prefix { $0 != "." }
            if ["folder", "collection", "opencollection", "workspace"].contains(base) { continue }
            guard name.hasSuffix(".bru") || name.hasSuffix(".yml") || name.hasSuffix(".yaml") else {
                continue
            }
            let stem = String(path.dropLast(name.hasSuffix(".yaml") ? 5 : 4))
            guard let request = Self.request(stem, source) else {
                let text = source.bytes(of: path).map { SourceText.decoded($0) } ?? ""
                reader.workspace.losses.append(
                    ImportLoss("the file \(path)", "it cannot be read as a request", text: text)
                )
                continue
            }
            found.append(
                (
                    request.sequence ?? 1e6,
                    String(name.prefix(name.count - (name.hasSuffix(".yaml") ? 5 : 4))), path,
                    request
                )
            )
        }
        found.sort { ($0.sequence, $0.name) < ($1.sequence, $1.name) }
        return found.compactMap { entry in
            if let request = entry.request {
                return reader.item(request, named: entry.name, scope, folder)
            }
            let own = Self.request(entry.path + "/folder", source)
            var group = ImportedGroup(name: own?.name ?? entry.name)
            let inner = own.map { reader.enter($0, scope, &group) } ?? scope
            group.items = items(in: entry.path, source, &reader, inner, depth: depth + 1)
            return group.items.isEmpty && group.note == nil ? nil : .group(group)
        }
    }

    /// The request of a file by its path without `.bru` or `.yml`; nil if there is none, or it has none.
    private static func request(_ stem: String, _ source: ImportSource) -> BrunoRequest? {
        if let bytes = source.bytes(of: stem + ".bru") {
            let bru = BruText(SourceText.decoded(bytes))
            return bru.blocks.isEmpty ? nil : BrunoRequest(bru)
        }
        for ending in [".yml", ".yaml"] {
            guard let bytes = source.bytes(of: stem + ending),
                let tree = try? ImportTree(bytes, named: stem + ending),
                tree.root.kind == .object, tree.root["info"].exists || tree.root["http"].exists
            else { continue }
            return BrunoRequest(tree.root)
        }
        return nil
    }
}
