import Documents

/// What in a text names a target, an environment or a variable that is defined somewhere else.
extension YAMLEditor {
    /// Names targets by their new paths; `path` is nil for what keeps its own.
    mutating func renameTargets(
        _ path: (String) -> String?
    ) throws(YAMLEditError) {
        var (parts, wanted): ([Range<Int>: String], Value) = ([:], model)
        for reference in targetReferences {
            guard let old = model.value(at: reference[...])?.scalarText, let new = path(old) else {
                continue
            }
            guard let written = written(at: reference)?.value,
                let changed = wanted.applying(
                    .set(Self.renamed(old, new, at: reference)),
                    at: reference[...]
                )
            else { throw YAMLEditError(message: Self.refusal) }
            parts[range(of: written)] = YAMLWriter().flow(Self.renamed(old, new, at: reference))
            wanted = changed
        }
        if !parts.isEmpty { try replace(parts, giving: wanted) }
    }

    /// A reference under its new name; a step of a chain that was named after its target keeps its name.
    private static func renamed(_ old: String, _ new: String, at path: [YAMLStep]) -> Value {
        guard case .key("chains")? = path.first, case .index? = path.last,
            TargetID(old).name != TargetID(new).name
        else { return .string(new) }
        return .object([
            Value.Member("step", .string(TargetID(old).name)),
            Value.Member("target", .string(new)),
        ])
    }

    /// Where targets that `isWanted` are named, outside of what is at a path.
    func uses(ofTarget isWanted: (String) -> Bool, outside path: [YAMLStep]) -> [YAMLValue] {
        targetReferences.filter { !$0.starts(with: path) }
            .filter { isWanted(model.value(at: $0[...])?.scalarText ?? "") }
            .compactMap { written(at: $0)?.value }
    }

    /// Names an environment by its new name wherever another extends it.
    mutating func renameEnvironment(_ old: String, to new: String) throws(YAMLEditError) {
        for path in extensions(of: old) { try set(.string(new), at: path) }
    }

    /// Where an environment is extended.
    func uses(ofEnvironment name: String) -> [YAMLValue] {
        extensions(of: name).compactMap { written(at: $0)?.value }
    }

    private func extensions(of name: String) -> [[YAMLStep]] {
        members(at: [.key("environments")])
            .map { [.key("environments"), .key($0.name), .key("extends")] }
            .filter { model.value(at: $0[...])?.scalarText == name }
    }

    private func members(at path: [YAMLStep]) -> [Value.Member] {
        if case .object(let members)? = model.value(at: path[...]) { members } else { [] }
    }

    private func range(of value: YAMLValue) -> Range<Int> {
        let start = (value.alias?.place ?? value.place).index
        return start..<max(start, (value.alias?.end ?? value.end).index)
    }

    // MARK: Targets

    /// The paths of all texts that name a target.
    private var targetReferences: [[YAMLStep]] {
        var paths: [[YAMLStep]] = []
        Self.collectBases(model.value(at: [.key("targets")][...]), [.key("targets")], &paths)
        for (kind, list) in [("batches", "targets"), ("chains", "steps")] {
            for member in members(at: [.key(kind)]) {
                let path: [YAMLStep] = [.key(kind), .key(member.name)]
                let entries = member.value.value(at: [.key(list)][...])
                if case .array(let elements) = entries ?? member.value {
                    let own = entries == nil ? path : path + [.key(list)]
                    Self.collectEntries(elements, own, &paths)
                }
            }
        }
        let environments = members(at: [.key("environments")]).map {
            [YAMLStep.key("environments"), .key($0.name), .key("variables")]
        }
        // The variables that are captured from the response of a target.
        for variables in [[.key("variables")]] + environments {
            for member in members(at: variables) {
                let path = variables + [.key(member.name), .key("from")]
                if model.value(at: path[...])?.scalarText != nil { paths.append(path) }
            }
        }
        return paths
    }

    /// The texts under `like` in a group, a target, or a group in it.
    private static func collectBases(
        _ value: Value?,
        _ path: [YAMLStep],
        _ paths: inout [[YAMLStep]]
    ) {
        guard case .object(let members)? = value else { return }
        let isTarget = members.contains { $0.name == "request" }
        for member in members {
            let own = path + [.key(member.name)]
            if member.name == "like", let text = member.value.scalarText {
                if !TargetDecoder.isRequestLine(text) { paths.append(own) }
            } else if !isTarget {
                collectBases(member.value, own, &paths)
            }
        }
    }

    /// The targets that the entries of a batch or a chain name.
    private static func collectEntries(
        _ elements: [Value],
        _ path: [YAMLStep],
        _ paths: inout [[YAMLStep]]
    ) {
        for (index, element) in elements.enumerated() {
            var own = path + [.index(index)]
            var named = element
            if let target = element.value(at: [.key("target")][...]) {
                own.append(.key("target"))
                named = target
            }
            if let text = named.scalarText {
                if !TargetDecoder.isRequestLine(text) { paths.append(own) }
            } else {
                collectBases(named, own, &paths)
            }
        }
    }

    // MARK: Variables

    /// The mappings whose keys are names of variables: definitions, and what batches and chains set.
    var variableMappings: [[YAMLStep]] {
        var paths: [[YAMLStep]] = [[.key("variables")]]
        for member in members(at: [.key("environments")]) {
            paths.append([.key("environments"), .key(member.name), .key("variables")])
        }
        for (kind, list) in [("batches", "targets"), ("chains", "steps")] {
            for member in members(at: [.key(kind)]) {
                let path: [YAMLStep] = [.key(kind), .key(member.name)]
                let entries = member.value.value(at: [.key(list)][...])
                guard case .array(let elements) = entries ?? member.value else { continue }
                let own = entries == nil ? path : path + [.key(list)]
                paths += elements.indices.map { own + [.index($0), .key("set")] }
            }
        }
        return paths
    }

    /// The places where steps of chains capture a value under a name, or have an element of that name.
    func captures(of name: String) -> [YAMLValue] {
        variableMappings.compactMap { path in
            guard case .key("chains")? = path.first else { return nil }
            let step = Array(path.dropLast())
            if let capture = written(at: step + [.key("capture"), .key(name)]) {
                return capture.key
            }
            let element = step + [.key("forEach"), .key("as")]
            return model.value(at: element[...])?.scalarText == name
                ? written(at: element)?.value : nil
        }
    }

    /// Renames a variable where it is defined, set and used.
    mutating func renameVariable(_ old: String, to new: String) throws(YAMLEditError) {
        var wanted = model.mapTexts { VariableNames.renaming(old, to: new, in: $0) }
        var parts: [Range<Int>: String] = [:]
        for use in uses(ofVariable: old) {
            let range = range(of: use)
            parts[range] = VariableNames.renaming(old, to: new, in: Self.text(scalars[range]))
        }
        for mapping in variableMappings {
            let path = mapping + [.key(old)]
            guard model.value(at: path[...]) != nil else { continue }
            guard let key = written(at: path)?.key, key.anchor == nil, key.alias == nil,
                let renamed = wanted.applying(.rename(new), at: path[...])
            else { throw YAMLEditError(message: Self.refusal) }
            wanted = renamed
            parts[range(of: key)] = new
        }
        if !parts.isEmpty { try replace(parts, giving: wanted) }
    }

    /// The texts in which a variable is used.
    func uses(ofVariable name: String) -> [YAMLValue] {
        var found: [YAMLValue] = []
        Self.collect(root, &found) { VariableNames.uses(name, in: $0) }
        return found
    }

    private static func collect(
        _ value: YAMLValue,
        _ found: inout [YAMLValue],
        _ isWanted: (String) -> Bool
    ) {
        guard value.alias == nil else { return }
        switch value.content {
        case .scalar(let text, _): if isWanted(text) { found.append(value) }
        case .sequence(let values): for value in values { collect(value, &found, isWanted) }
        case .mapping(let members):
            for member in members { collect(member.value, &found, isWanted) }
        case .unknown: break
        }
    }
}

extension Value {
    /// The value with each of its texts, but not its names, changed.
    fileprivate func mapTexts(_ change: (String) -> String) -> Value {
        switch self {
        case .string(let text): .string(change(text))
        case .number, .boolean, .null: self
        case .array(let elements): .array(elements.map { $0.mapTexts(change) })
        case .object(let members):
            .object(members.map { Member($0.name, $0.value.mapTexts(change)) })
        }
    }
}

/// The names of variables in a text with `{{ name }}`.
enum VariableNames {
    /// Whether a text uses a variable.
    static func uses(_ name: String, in text: String) -> Bool {
        text.contains("{{") && renaming(name, to: "", in: text) != text
    }

    /// The text with a variable under another name.
    ///
    /// A name is a function if it is followed by `(`, or stands after `|`.
    static func renaming(_ old: String, to new: String, in text: String) -> String {
        guard text.contains("{{") else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            let isEscaped = rest[..<open.lowerBound].hasSuffix("\\")
            result += rest[..<open.upperBound]
            rest = rest[open.upperBound...]
            guard !isEscaped, let close = rest.firstRange(of: "}}") else { continue }
            result += renamed(old, new, inExpression: rest[..<close.lowerBound])
            rest = rest[close.lowerBound...]
        }
        return result + rest
    }

    private static func renamed(
        _ old: String,
        _ new: String,
        inExpression text: Substring
    ) -> String {
        var (result, rest) = ("", text)
        var isFunction = false
        while let first = rest.first {
            if first == "'" || first == "\"" {
                let inside = rest.dropFirst().prefix { $0 != first }
                let end = rest.index(inside.endIndex, offsetBy: 1, limitedBy: rest.endIndex)
                result += rest[..<(end ?? rest.endIndex)]
                rest = rest[(end ?? rest.endIndex)...]
                isFunction = false
                continue
            }
            let word = rest.prefix {
                $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-"
            }
            guard !word.isEmpty else {
                if first == "|" { isFunction = true } else if first != " " { isFunction = false }
                result.append(first)
                rest.removeFirst()
                continue
            }
            rest = rest[word.endIndex...]
            let isCall = rest.drop { $0 == " " }.first == "("
            result += word == old && !isFunction && !isCall ? new : String(word)
            isFunction = false
        }
        return result
    }
}
