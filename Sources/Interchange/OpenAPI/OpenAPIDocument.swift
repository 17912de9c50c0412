import Documents

/// A value in one of the files of a description.
struct OpenAPINode {
    let json: JSON
    /// The index of the file that its references start from.
    let file: Int
}

/// An object of a description, with its references followed.
///
/// What stands beside a `$ref` goes before what the reference leads to: OpenAPI 3.1 says so, and it is what people
/// mean in older files.
final class OpenAPIObject {
    /// Tells objects apart that references lead to.
    struct ID: Hashable {
        let file: Int
        let node: Int
    }

    let members: [(name: String, node: OpenAPINode)]
    /// The objects that were passed on the way here, this one last.
    let ids: [ID]
    /// The name by which the last reference calls it: `Pet` of `#/components/schemas/Pet`.
    let referenceName: String?
    /// The object that the references lead to, if nothing stands beside them.
    var plainID: ID? { isPlain ? ids.last : nil }
    private let isPlain: Bool
    /// The members by name, where there are many; most objects have few, which are compared faster.
    private let index: [String: OpenAPINode]?
    private static let mostCompared = 12

    init(
        _ members: [(name: String, node: OpenAPINode)],
        ids: [ID],
        referenceName: String?
    ) {
        self.members = members
        self.ids = ids
        self.referenceName = referenceName
        isPlain = false
        index =
            members.count > Self.mostCompared
            ? Dictionary(members.map { ($0.name, $0.node) }) { _, last in last } : nil
    }

    /// The same object by another way.
    init(_ other: OpenAPIObject, ids: [ID], referenceName: String?) {
        members = other.members
        index = other.index
        self.ids = ids
        self.referenceName = referenceName
        isPlain = true
    }

    subscript(name: String) -> OpenAPINode? {
        let node =
            if let index { index[name] } else { members.last { $0.name == name }?.node }
        guard let node, !node.json.isNull else { return nil }
        return node
    }

    /// A text; numbers and Booleans are one too, as in `version: 1.0`.
    func text(_ name: String) -> String? { self[name]?.text }

    /// A text that has more than blanks.
    func words(_ name: String) -> String? {
        guard let text = text(name)?.trimmingBlanks, !text.isEmpty else { return nil }
        return text
    }

    func flag(_ name: String) -> Bool? { self[name]?.flag }

    func number(_ name: String) -> Double? {
        self[name].flatMap { $0.json.double ?? $0.json.string.flatMap(Double.init) }
    }

    /// A count from 0 to a million.
    func count(_ name: String) -> Int? {
        number(name).flatMap { $0 >= 0 && $0 <= 1_000_000 ? Int($0) : nil }
    }

    /// The elements of a list; a value alone is a list of one.
    func list(_ name: String) -> [OpenAPINode] { self[name]?.list ?? [] }
}

extension OpenAPINode {
    var text: String? {
        switch json.kind {
        case .string: json.string
        case .integer, .decimal: json.numberText
        case .true: "true"
        case .false: "false"
        default: nil
        }
    }

    var flag: Bool? {
        switch json.kind {
        case .true: true
        case .false: false
        case .string: json.string == "true" ? true : json.string == "false" ? false : nil
        default: nil
        }
    }

    var list: [OpenAPINode] {
        switch json.kind {
        case .array: json.elements.map { OpenAPINode(json: $0, file: file) }
        case nil, .null: []
        default: [self]
        }
    }
}

/// A description in one file or several, in which references are followed.
final class OpenAPIDocument {
    private struct File {
        let path: String
        let tree: ImportTree?
        /// Objects that have an anchor or an identifier of their own, found when first asked for.
        var anchors: [String: JSON]?
    }

    private static let maximumHops = 50
    private static let maximumFiles = 500

    let source: ImportSource
    private var files: [File] = []
    private var fileIndex: [String: Int] = [:]
    private var objects: [OpenAPIObject.ID: OpenAPIObject] = [:]
    private var ends: [OpenAPIObject.ID: OpenAPIObject] = [:]
    private var schemas: [SchemaKey: OpenAPISchema] = [:]
    private var targets: [String: OpenAPINode?] = [:]
    /// The objects and lists that were made for schemas, which descriptions use many times.
    var made: [OpenAPIExample.Key: OpenAPIExample.Made] = [:]
    /// How large the examples of bodies are.
    private(set) lazy var exampleSize: OpenAPIExample.Size = {
        let paths = object(object(root)?["paths"])?.members ?? []
        // Methods and a few other members; to follow every reference for a number would take too long.
        return OpenAPIExample.Size(operations: paths.reduce(0) { $0 + $1.node.json.count })
    }()
    /// The members of large objects, by name.
    private var children: [OpenAPIObject.ID: [String: JSON]] = [:]
    /// The references that lead nowhere, in their order, each once.
    private(set) var broken: [(reference: String, line: Int?)] = []
    private var isBroken: Set<String> = []

    init(_ source: ImportSource) throws(ImportError) {
        self.source = source
        files = [File(path: source.path, tree: try source.tree())]
        fileIndex[source.path] = 0
    }

    /// The description; of a file with several YAML documents, the one that is one.
    var root: OpenAPINode {
        let root = files[0].tree?.root ?? .null
        let own =
            root.kind == .array
            ? root.elements.first { $0["openapi"].exists || $0["swagger"].exists } : nil
        return OpenAPINode(json: own ?? root, file: 0)
    }

    /// The line of a value; nil for one of another file.
    func line(of node: OpenAPINode) -> Int? { files[0].tree?.line(of: node.json) }

    /// What is said to tools in any of the files, as losses.
    var extensionLosses: [ImportLoss] {
        var extensions = OpenAPIExtensions()
        if OpenAPIExtensions.mayBe(in: source.bytes) {
            extensions.find(in: root.json) { files[0].tree?.line(of: $0) }
        }
        for file in files.dropFirst() {
            if let tree = file.tree { extensions.find(in: tree.root) { _ in nil } }
        }
        return extensions.losses
    }

    /// The object at a node, behind all its references; nil if it is none or they lead nowhere.
    func object(_ node: OpenAPINode?) -> OpenAPIObject? {
        guard let node, node.json.kind == .object else { return nil }
        let start = id(of: node)
        if let start, let known = objects[start] { return known }
        let object = follow(node)
        if let start, let object { objects[start] = object }
        return object
    }

    private func follow(_ start: OpenAPINode) -> OpenAPIObject? {
        var node = start
        var layers: [[(name: String, node: OpenAPINode)]] = []
        var ids: [OpenAPIObject.ID] = []
        var name: String?
        var last: String?
        for _ in 0..<Self.maximumHops {
            let id = id(of: node)
            if let id {
                // A reference to itself.
                if ids.contains(id) {
                    if let last, isBroken.insert(last).inserted {
                        broken.append((last, line(of: start)))
                    }
                    break
                }
                ids.append(id)
            }
            var reference: String?
            var own: [(name: String, node: OpenAPINode)] = []
            for (key, value) in Self.members(of: node.json) {
                if key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef",
                    let text = value.string
                {
                    reference = text
                } else {
                    own.append((key, OpenAPINode(json: value, file: node.file)))
                }
            }
            layers.append(own)
            guard let reference else { break }
            guard let next = target(of: reference, from: node), next.json.kind == .object else {
                if layers.allSatisfy(\.isEmpty) { return nil }
                break
            }
            name = Self.name(of: reference) ?? name
            last = reference
            node = next
        }
        if layers.dropLast().allSatisfy(\.isEmpty), let last = ids.last,
            let base = plain(last, layers)
        {
            return OpenAPIObject(base, ids: ids, referenceName: name)
        }
        var members = layers.removeLast()
        for layer in layers.reversed() {
            for member in layer {
                if let index = members.firstIndex(where: { $0.name == member.name }) {
                    members[index] = member
                } else {
                    members.append(member)
                }
            }
        }
        return OpenAPIObject(members, ids: ids, referenceName: name)
    }

    /// The members of an object, with those that YAML's `<<` merges into it.
    private static func members(of json: JSON, depth: Int = 0) -> [(key: String, value: JSON)] {
        var own = Array(json.members)
        guard depth < 8, own.contains(where: { $0.key.utf8.first == UInt8(ascii: "<") }),
            let index = own.firstIndex(where: { $0.key == "<<" })
        else { return own }
        let merged = own.remove(at: index).value
        for other in merged.kind == .array ? Array(merged.elements) : [merged] {
            for member in members(of: other, depth: depth + 1)
            where !own.contains(where: { $0.key == member.key }) {
                own.append(member)
            }
        }
        return own
    }

    /// The object at the end of references, made once.
    private func plain(
        _ id: OpenAPIObject.ID,
        _ layers: [[(name: String, node: OpenAPINode)]]
    ) -> OpenAPIObject? {
        if let known = ends[id] { return known }
        guard let members = layers.last else { return nil }
        let object = OpenAPIObject(members, ids: [id], referenceName: nil)
        ends[id] = object
        return object
    }

    /// Tells schemas apart: the object, and the name by which it is referred to.
    private struct SchemaKey: Hashable {
        let id: OpenAPIObject.ID
        let name: String?
    }

    /// A schema that was read before, by whatever reference.
    func schema(at object: OpenAPIObject) -> OpenAPISchema? {
        object.plainID.flatMap { schemas[SchemaKey(id: $0, name: object.referenceName)] }
    }

    /// Remembers a schema.
    func keep(_ schema: OpenAPISchema, at object: OpenAPIObject) {
        guard let id = object.plainID else { return }
        schemas[SchemaKey(id: id, name: object.referenceName)] = schema
    }

    /// What a reference leads to; nil, which is remembered, if it leads nowhere.
    func target(of reference: String, from node: OpenAPINode) -> OpenAPINode? {
        let key = "\(node.file) \(reference)"
        if let known = targets[key] { return known }
        let found = find(reference, from: node.file)
        targets[key] = .some(found)
        if found == nil, isBroken.insert(reference).inserted {
            broken.append((reference, line(of: node)))
        }
        return found
    }

    private func find(_ reference: String, from file: Int) -> OpenAPINode? {
        let mark = reference.firstIndex(of: "#")
        let place = String(reference[..<(mark ?? reference.endIndex)])
        let fragment = mark.map { String(reference[$0...].dropFirst()) } ?? ""
        guard let index = place.isEmpty ? file : open(place, from: file),
            let root = files[index].tree?.root
        else {
            return place.isEmpty || reference.contains("/") || mark != nil
                ? nil : component(reference)
        }
        let start = index == 0 ? self.root : OpenAPINode(json: root, file: index)
        if fragment.isEmpty { return start }
        if fragment.hasPrefix("/") { return self.value(at: fragment, in: start) }
        return anchor(fragment, in: index) ?? component(fragment)
    }

    /// A component that is called only by its name, as old files do it.
    private func component(_ name: String) -> OpenAPINode? {
        value(at: "/components/schemas/\(name)", in: root)
            ?? value(at: "/definitions/\(name)", in: root)
    }

    private func open(_ place: String, from file: Int) -> Int? {
        let path = source.resolve(
            PercentEncoding.decoded(place) ?? place,
            from: files[file].path.isEmpty ? nil : files[file].path
        )
        if let index = fileIndex[path] { return index }
        if let index = identified(place) { return index }
        guard files.count < Self.maximumFiles else { return nil }
        let index = files.count
        fileIndex[path] = index
        let tree = source.bytes(of: path).flatMap { bytes in
            do throws(ImportError) { return try ImportTree(bytes, named: path) } catch {
                return nil
            }
        }
        files.append(File(path: path, tree: tree))
        return tree == nil ? nil : index
    }

    /// A file that says itself what it is called (`$id`, `$self`).
    private func identified(_ place: String) -> Int? {
        files.firstIndex { file in
            guard let root = file.tree?.root else { return false }
            return [root["$id"].string, root["$self"].string, root["id"].string].contains(place)
        }
    }

    private func anchor(_ name: String, in index: Int) -> OpenAPINode? {
        if files[index].anchors == nil {
            var found: [String: JSON] = [:]
            var waiting = [files[index].tree?.root ?? .null]
            while let json = waiting.popLast() {
                for element in json.elements where element.count > 0 { waiting.append(element) }
                guard json.kind == .object else { continue }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let name = json[key].string { found[name] = json }
                }
            }
            files[index].anchors = found
        }
        return files[index].anchors?[name].map { OpenAPINode(json: $0, file: index) }
    }

    /// The value at a JSON Pointer (RFC 6901), also through references.
    private func value(at pointer: String, in start: OpenAPINode) -> OpenAPINode? {
        var node = start
        for part in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let plain = (PercentEncoding.decoded(part) ?? String(part))
                .replacing("~1", with: "/").replacing("~0", with: "~")
            if let next = child(plain, of: node) ?? child(String(part), of: node) {
                node = next
            } else if let reference = node.json["$ref"].string,
                let there = target(of: reference, from: node), let next = child(plain, of: there)
            {
                node = next
            } else {
                return nil
            }
        }
        return node
    }

    private func child(_ name: String, of node: OpenAPINode) -> OpenAPINode? {
        if node.json.kind == .array {
            guard let index = Int(name), index >= 0, index < node.json.count else { return nil }
            return OpenAPINode(json: node.json[index], file: node.file)
        }
        guard let id = id(of: node), node.json.count > 8 else {
            let json = node.json[name]
            return json.exists ? OpenAPINode(json: json, file: node.file) : nil
        }
        if children[id] == nil { children[id] = node.json.dictionary ?? [:] }
        return children[id]?[name].map { OpenAPINode(json: $0, file: node.file) }
    }

    private func id(of node: OpenAPINode) -> OpenAPIObject.ID? {
        node.json.source.map { OpenAPIObject.ID(file: node.file, node: $0.node.rawValue) }
    }

    private static func name(of reference: String) -> String? {
        guard let part = reference.split(separator: "/").last else { return nil }
        let name = PercentEncoding.decoded(part) ?? String(part)
        return name.isEmpty || name == "#" ? nil : name
    }
}
