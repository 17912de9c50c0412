import Documents
import Workspaces

/// A group while the operations are sorted into groups.
private final class OpenAPIGroup {
    enum Item {
        case group(OpenAPIGroup)
        case operation(Int)
    }

    let name: String
    var note: String?
    var items: [Item] = []

    init(_ name: String) { self.name = name }
}

extension OpenAPIReader {
    /// Sorts the operations into groups by their first tags, and makes chains of their links.
    func addItems() {
        let top = OpenAPIGroup("")
        var groups: [String: OpenAPIGroup] = [:]
        let tags = declaredTags()
        let hasTags = operations.contains { !$0.groups.isEmpty }
        if !hasTags { groupBySegments() }
        let used = Set(operations.compactMap(\.groups.first))
        func group(_ name: String, depth: Int = 0) -> OpenAPIGroup {
            if let known = groups[name] { return known }
            let new = OpenAPIGroup(name)
            groups[name] = new
            let tag = tags.first { $0.name == name }
            new.note = tag?.note
            if let parent = tag?.parent, parent != name, depth < 10 {
                group(parent, depth: depth + 1).items.append(.group(new))
            } else {
                top.items.append(.group(new))
            }
            return new
        }
        for tag in tags where used.contains(tag.name) { _ = group(tag.name) }
        for (index, operation) in operations.enumerated() {
            guard let first = operation.groups.first else {
                top.items.append(.operation(index))
                continue
            }
            if operation.groups.count > 1 {
                let others = operation.groups.dropFirst().map { Value.string($0) }
                operations[index].target["tags"] = .array(Array(others))
            }
            group(first).items.append(.operation(index))
        }
        noteUnused(tags.filter { groups[$0.name] == nil })
        var names: [Int: String] = [:]
        workspace.items = items(of: top, "", &names)
        addChains(names)
    }

    private func items(of group: OpenAPIGroup, _ prefix: String, _ found: inout [Int: String])
        -> [ImportedItem]
    {
        var names = ItemNames()
        var taken: Set<String> = []
        return group.items.map { item in
            switch item {
            case .operation(let index):
                var target = operations[index].target
                // Summaries may be the same; methods and paths are not.
                if !taken.insert(target.name).inserted {
                    let operation = operations[index]
                    let path = operation.path.split(separator: "/").joined(separator: " ")
                    target.name += " (\(operation.method) \(path))"
                    operations[index].target.name = target.name
                    taken.insert(target.name)
                }
                found[index] = prefix + names.name(target.name)
                return .target(target)
            case .group(let inner):
                var result = ImportedGroup(name: inner.name)
                result.note = inner.note
                result.items = items(of: inner, "\(prefix)\(names.name(inner.name))/", &found)
                return .group(result)
            }
        }
    }

    private func declaredTags() -> [(name: String, note: String?, parent: String?)] {
        root.list("tags").compactMap { node in
            guard let tag = document.object(node), let name = tag.text("name") else { return nil }
            var parts = [tag.words("summary"), tag.words("description")].compactMap(\.self)
            if let link = OpenAPINotes.link(document.object(tag["externalDocs"])) {
                parts.append(link)
            }
            return (
                name, parts.isEmpty ? nil : parts.joined(separator: "\n\n"), tag.words("parent")
            )
        }
    }

    /// What is said about tags that no operation has stands in the note of the whole.
    private func noteUnused(_ tags: [(name: String, note: String?, parent: String?)]) {
        let texts = tags.compactMap { tag in tag.note.map { "**\(tag.name)**\n\n\($0)" } }
        guard !texts.isEmpty else { return }
        let text = texts.joined(separator: "\n\n")
        workspace.note = workspace.note.map { "\($0)\n\n\(text)" } ?? text
    }

    /// Without tags, a long list is grouped by the first part of the path that differs.
    private func groupBySegments() {
        guard operations.count > 8 else { return }
        let paths = operations.map { $0.path.split(separator: "/").map(String.init) }
        var common = 0
        while let first = paths[0].dropFirst(common).first,
            paths.allSatisfy({ $0.count > common + 1 && $0[common] == first })
        {
            common += 1
        }
        let segments = paths.map { path in
            path.dropFirst(common).first { !$0.contains("{") }
        }
        guard Set(segments).count > 1, Set(segments).count < operations.count else { return }
        for (index, segment) in segments.enumerated() {
            if let segment { operations[index].groups = [segment] }
        }
    }

    // MARK: links

    /// Makes a chain of each link whose values all come from the response.
    private func addChains(_ names: [Int: String]) {
        var taken: Set<String> = []
        for (index, operation) in operations.enumerated() {
            for (_, node) in document.object(operation.object["responses"])?.members ?? [] {
                for (name, node) in document.object(document.object(node)?["links"])?.members ?? []
                {
                    guard let link = document.object(node) else { continue }
                    addChain(name, link, node, from: index, names, &taken)
                }
            }
        }
    }

    private func addChain(
        _ name: String,
        _ link: OpenAPIObject,
        _ node: OpenAPINode,
        from index: Int,
        _ names: [Int: String],
        _ taken: inout Set<String>
    ) {
        guard let other = operationIndex(link), let first = names[index], let second = names[other],
            link["requestBody"] == nil,
            let parts = chainParts(link, operations[index], operations[other])
        else {
            lose([
                ImportLoss(
                    "a link",
                    "not all that it needs comes from the response into the path of another target",
                    text:
                        "\(operations[index].target.name), \(name): \(node.json.text(.pretty) ?? "")",
                    line: document.line(of: node)
                )
            ])
            return
        }
        var unique = ItemNames.valid(name)
        if !taken.insert(unique).inserted {
            unique =
                "\(ItemNames.valid(name)) after \(ItemNames.valid(operations[index].target.name))"
            var number = 2
            let base = unique
            while !taken.insert(unique).inserted {
                unique = "\(base) (\(number))"
                number += 1
            }
        }
        var start = [
            Value.Member("step", .string("first")), Value.Member("target", .string(first)),
        ]
        if !parts.capture.isEmpty { start.append(Value.Member("capture", .object(parts.capture))) }
        var end = [Value.Member("step", .string("then")), Value.Member("target", .string(second))]
        if !parts.set.isEmpty { end.append(Value.Member("set", .object(parts.set))) }
        let steps = Value.array([.object(start), .object(end)])
        let chain: Value =
            if let description = link.words("description") {
                .object([
                    Value.Member("description", .string(description.inOneLine)),
                    Value.Member("steps", steps),
                ])
            } else { steps }
        workspace.chains.append(Value.Member(unique, chain))
    }

    private func operationIndex(_ link: OpenAPIObject) -> Int? {
        if let id = link.text("operationId") {
            return operations.firstIndex { $0.object.text("operationId") == id }
        }
        guard let reference = link.text("operationRef"),
            let mark = reference.firstRange(of: "#/paths/")
        else {
            return nil
        }
        let parts = reference[mark.upperBound...].split(separator: "/")
        guard parts.count == 2 else { return nil }
        let path = (PercentEncoding.decoded(parts[0]) ?? "").replacing("~1", with: "/").replacing(
            "~0",
            with: "~"
        )
        return operations.firstIndex { $0.path == path && $0.method == parts[1].uppercased() }
    }

    /// What the steps of a link capture and set; nil if it needs anything else.
    private func chainParts(
        _ link: OpenAPIObject,
        _ from: OpenAPIOperation,
        _ to: OpenAPIOperation
    ) -> (capture: [Value.Member], set: [Value.Member])? {
        var capture: [Value.Member] = []
        var set: [Value.Member] = []
        for (name, node) in document.object(link["parameters"])?.members ?? [] {
            let plain = name.hasPrefix("path.") ? String(name.dropFirst(5)) : name
            guard let variable = to.variables[plain], let text = node.text else { return nil }
            if let path = Self.capture(text) {
                capture.append(Value.Member(variable, .string(path)))
            } else if text.hasPrefix("$request.path."),
                let own = from.variables[String(text.dropFirst(14))]
            {
                if own != variable { set.append(Value.Member(variable, .string("{{ \(own) }}"))) }
            } else if text.hasPrefix("$") || text.contains("{$") {
                return nil
            } else {
                set.append(Value.Member(variable, .string(ImportNames.literal(text))))
            }
        }
        return capture.isEmpty && set.isEmpty && link["parameters"] != nil
            && from.variables.isEmpty ? nil : (capture, set)
    }

    /// A runtime expression as what `capture` says (OpenAPI 3.1, section 4.8.20.4).
    private static func capture(_ expression: String) -> String? {
        if expression.hasPrefix("$response.header.") { return "header:\(expression.dropFirst(17))" }
        if expression == "$statusCode" { return "status" }
        guard expression.hasPrefix("$response.body") else { return nil }
        var path = "$"
        let pointer = expression.dropFirst(14).drop { $0 == "#" }
        for part in pointer.split(separator: "/") {
            let name = String(part).replacing("~1", with: "/").replacing("~0", with: "~")
            if Int(name) != nil {
                path += "[\(name)]"
            } else if name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }),
                name.first?.isNumber == false
            {
                path += ".\(name)"
            } else {
                path += "['\(name.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))']"
            }
        }
        return path
    }
}
