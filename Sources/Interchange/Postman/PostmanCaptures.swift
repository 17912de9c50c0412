import Workspaces

/// Makes variables of what scripts capture: `{ from: Login, capture: $.token }`.
struct PostmanCaptures {
    private let captures: [PostmanCapture]
    private let variables: PostmanVariables
    private var paths: [String] = []
    private var targets: [ImportedTarget] = []

    init(
        _ captures: [PostmanCapture],
        in workspace: ImportedWorkspace,
        _ variables: PostmanVariables
    ) {
        self.captures = captures
        self.variables = variables
        guard !captures.isEmpty else { return }
        collect(workspace.items, "")
    }

    private mutating func collect(_ items: [ImportedItem], _ path: String) {
        var names = ItemNames()
        for item in items {
            switch item {
            case .group(let group): collect(group.items, path + names.name(group.name) + "/")
            case .target(let target):
                paths.append(path + names.name(target.name))
                targets.append(target)
            }
        }
    }

    /// Adds the variables, and losses for those that cannot be.
    ///
    /// - Returns: The names in the file of those that were added.
    func supplied(_ workspace: inout ImportedWorkspace) -> Set<String> {
        guard !captures.isEmpty, !targets.isEmpty else { return [] }
        var supplied: Set<String> = []
        var losses: [Int: [ImportLoss]] = [:]
        // What each target needs, by its index; and which target gives a variable.
        let needs = targets.map { Self.names(in: $0) }
        let values = workspace.valueWords
        var givers: [String: Int] = [:]
        for capture in captures {
            let index = capture.target
            guard targets.indices.contains(index) else { continue }
            let own = variables.names.name(of: capture.name)
            guard !supplied.contains(capture.name) else {
                losses[index, default: []].append(
                    ImportLoss(
                        "a captured value",
                        "the variable \(own) comes from another request",
                        text: capture.text
                    )
                )
                continue
            }
            guard !reaches(own, from: index, needs, values, givers) else {
                losses[index, default: []].append(
                    ImportLoss(
                        "a captured value",
                        "the request itself, or one that it waits for, needs the variable \(own)",
                        text: capture.text
                    )
                )
                continue
            }
            givers[own] = index
            supplied.insert(capture.name)
            workspace.variables.append(
                Value.Member(
                    own,
                    .object(
                        [
                            Value.Member("from", .string(paths[index])),
                            Value.Member("capture", .string(capture.path)),
                        ] + (capture.expires.map { [Value.Member("expires", .string($0))] } ?? [])
                    )
                )
            )
        }
        if !losses.isEmpty {
            var index = 0
            Self.append(losses, to: &workspace.items, &index)
        }
        return supplied
    }

    private static let maximumChain = 100

    /// Whether a target needs a variable, itself or by those that it waits for.
    private func reaches(
        _ name: String,
        from start: Int,
        _ needs: [Set<String>],
        _ values: [String: Set<String>],
        _ givers: [String: Int]
    )
        -> Bool
    {
        var seen = needs[start]
        var open = Array(seen)
        var requests = 0
        while let need = open.popLast() {
            if need == name { return true }
            var next = values[need] ?? []
            if let giver = givers[need] {
                requests += 1
                // So many requests before one are a circle to a person, and this is done for each capture.
                if requests > Self.maximumChain { return true }
                next = needs[giver]
            }
            for word in next where seen.insert(word).inserted { open.append(word) }
        }
        return false
    }

    /// Adds losses to targets, by their indexes in the order of the file.
    static func append(
        _ losses: [Int: [ImportLoss]],
        to items: inout [ImportedItem],
        _ index: inout Int
    ) {
        for place in items.indices {
            switch items[place] {
            case .group(var group):
                append(losses, to: &group.items, &index)
                items[place] = .group(group)
            case .target(var target):
                if let more = losses[index] {
                    target.losses += more
                    items[place] = .target(target)
                }
                index += 1
            }
        }
    }

    /// The names in the templates of a target.
    static func names(in target: ImportedTarget) -> Set<String> {
        var names: Set<String> = []
        add(target.request, &names)
        for member in target.members { add(member.value, &names) }
        return names
    }

    private static func add(_ value: Value, _ names: inout Set<String>) {
        switch value {
        case .string(let text): add(text, &names)
        case .array(let elements): for element in elements { add(element, &names) }
        case .object(let members): for member in members { add(member.value, &names) }
        default: break
        }
    }

    private static func add(_ text: String, _ names: inout Set<String>) {
        var rest = text[...]
        while let start = rest.firstRange(of: "{{ ") {
            rest = rest[start.upperBound...]
            names.insert(String(rest.prefix { $0 != " " }))
        }
    }
}
