import Documents
import Workspaces

/// The value of a variable that responses have: which target, and where in its response.
struct ResponseVariable {
    /// The name in templates.
    let name: String
    /// The number of the target among all targets, in the order of the file.
    let target: Int
    /// A JSONPath, `header:NAME` or `status`.
    let capture: String
}

/// What remains to be done when all targets of a file are read.
extension ImportedWorkspace {
    /// Keeps the variable that a script sets: one that is captured from the response of the target with a number, or
    /// one with a value, unless there is a value already.
    mutating func assign(
        _ assignment: HandlerScript.Assignment,
        ofTarget target: Int,
        _ translation: TextTranslation,
        _ captured: inout [ResponseVariable]
    ) {
        let name = translation.names.name(of: assignment.name)
        if let capture = assignment.capture {
            captured.append(ResponseVariable(name: name, target: target, capture: capture))
            translation.typed.insert(name)
        } else if let value = assignment.value, variables[name] == nil {
            variables.append(Value.Member(name, .string(value.variableText)))
        }
    }

    /// Keeps the first variable of each name, and does what the functions below do.
    mutating func complete(_ captured: [ResponseVariable]) {
        var known: Set<String> = []
        variables = variables.filter { known.insert($0.name).inserted }
        breakCircles()
        define(captured)
        completeURLs()
    }

    /// The paths of all targets, such as `Users/Show`, in order.
    var targetPaths: [String] {
        var paths: [String] = []
        func visit(_ items: [ImportedItem], _ path: String) {
            var names = ItemNames()
            for item in items {
                switch item {
                case .target(let target): paths.append(path + names.name(target.name))
                case .group(let group): visit(group.items, path + names.name(group.name) + "/")
                }
            }
        }
        visit(items, "")
        return paths
    }

    /// All targets in order.
    var targets: [ImportedTarget] {
        func targets(_ items: [ImportedItem]) -> [ImportedTarget] {
            items.flatMap { item in
                switch item {
                case .target(let target): [target]
                case .group(let group): targets(group.items)
                }
            }
        }
        return targets(items)
    }

    /// Defines variables that responses have, unless a target would need itself: then the value is asked for.
    mutating func define(_ captured: [ResponseVariable]) {
        let paths = targetPaths
        let uses = targets.map { target in
            Set(
                TemplateScan.words(target.request)
                    + target.members.flatMap { TemplateScan.words($0.value) }
            )
        }
        var known = Set(variables.map(\.name))
        let values = valueWords
        var from: [String: Int] = [:]
        for variable in captured {
            guard paths.indices.contains(variable.target) else { continue }
            guard known.insert(variable.name).inserted else {
                let given = "\(variable.name) = \(variable.capture) of \(paths[variable.target])"
                let isSame = variables.contains { member in
                    guard member.name == variable.name, case .object(let source) = member.value
                    else { return false }
                    return source["from"] == .string(paths[variable.target])
                        && source["capture"] == .string(variable.capture)
                }
                if !isSame {
                    losses.append(
                        ImportLoss(
                            "a value from a response",
                            "the variable has another value already",
                            text: given
                        )
                    )
                }
                continue
            }
            from[variable.name] = variable.target
            guard !needs(variable.target, variable.name, uses, values, from) else {
                from[variable.name] = nil
                let ask = Value.object([Value.Member("ask", .string(variable.name))])
                variables.append(Value.Member(variable.name, ask))
                losses.append(
                    ImportLoss(
                        "a value from a response",
                        "the request that has it needs it, so that it is asked for",
                        text: "\(variable.name) = \(variable.capture) of \(paths[variable.target])"
                    )
                )
                continue
            }
            variables.append(
                Value.Member(
                    variable.name,
                    .object([
                        Value.Member("from", .string(paths[variable.target])),
                        Value.Member("capture", .string(variable.capture)),
                    ])
                )
            )
        }
    }

    /// Whether a target needs a variable, through the values of others and the targets that those come from.
    private func needs(
        _ target: Int,
        _ name: String,
        _ uses: [Set<String>],
        _ values: [String: Set<String>],
        _ from: [String: Int]
    ) -> Bool {
        var seen = uses[target]
        var open = Array(seen)
        while let word = open.popLast() {
            if word == name { return true }
            var next = values[word] ?? []
            if let other = from[word] { next.formUnion(uses[other]) }
            for word in next where seen.insert(word).inserted { open.append(word) }
        }
        return false
    }

    /// The words in the templates of variables' values, by the variables' names.
    var valueWords: [String: Set<String>] {
        var values: [String: Set<String>] = [:]
        for member in allValues {
            values[member.name, default: []].formUnion(TemplateScan.words(member.value))
        }
        return values
    }

    /// All values of variables, of the workspace and of its environments.
    private var allValues: [Value.Member] {
        variables
            + environments.flatMap { environment -> [Value.Member] in
                guard case .object(let members) = environment.value,
                    case .object(let values)? = members["variables"]
                else { return [] }
                return values
            }
    }

    /// Takes values out of variables that depend on themselves; they are asked for.
    mutating func breakCircles() {
        var values: [String: Set<String>] = [:]
        for member in allValues {
            guard case .string(let text) = member.value else { continue }
            values[member.name, default: []].formUnion(TemplateScan.words(text))
        }
        var states: [String: Bool] = [:]
        var circular: Set<String> = []
        for start in values.keys.sorted() where states[start] == nil {
            var stack: [(name: String, rest: [String])] = [(start, (values[start] ?? []).sorted())]
            states[start] = false
            while let last = stack.indices.last {
                guard let next = stack[last].rest.popLast() else {
                    states[stack[last].name] = true
                    stack.removeLast()
                    continue
                }
                guard values[next] != nil else { continue }
                if states[next] == false {
                    circular.insert(stack[last].name)
                } else if states[next] == nil {
                    states[next] = false
                    stack.append((next, (values[next] ?? []).sorted()))
                }
            }
        }
        guard !circular.isEmpty else { return }
        func lose(_ members: [Value.Member]) -> [Value.Member] {
            members.filter { member in
                guard circular.contains(member.name), case .string(let text) = member.value else {
                    return true
                }
                let reason = "its value needs itself, so that it is asked for"
                losses.append(ImportLoss("a variable", reason, text: "\(member.name) = \(text)"))
                return false
            }
        }
        variables = lose(variables)
        environments = environments.map { environment in
            guard case .object(var members) = environment.value,
                case .object(let values)? = members["variables"]
            else { return environment }
            members["variables"] = .object(lose(values))
            return Value.Member(environment.name, .object(members))
        }
        for name in circular.sorted() {
            variables.append(
                Value.Member(name, .object([Value.Member("ask", .string(name))]))
            )
        }
    }

    /// Sees to it that all URLs have a host: `http://` before those that begin with a variable without a scheme, and a
    /// `baseURL` for those that are a path.
    mutating func completeURLs() {
        completeHosts()
        let tables = lookups
        var needsBase = false
        func complete(_ items: inout [ImportedItem]) {
            for index in items.indices {
                switch items[index] {
                case .group(var group):
                    complete(&group.items)
                    items[index] = .group(group)
                case .target(var target):
                    switch Self.origin(of: target.url, tables) {
                    case .whole: continue
                    case .path: needsBase = true
                    case .host:
                        target.url = "http://" + target.url
                        items[index] = .target(target)
                    }
                }
            }
        }
        complete(&items)
        guard needsBase, defaults["baseURL"] == nil else { return }
        defaults["baseURL"] = .string("http://localhost")
    }

    /// Writes a scheme before the hosts that a variable has in one environment, if it has whole URLs in another.
    private mutating func completeHosts() {
        let tables = lookups
        guard tables.count > 1 else { return }
        let names = Set(
            targets.compactMap { target -> String? in
                guard target.url.hasPrefix("{{"), let close = target.url.firstRange(of: "}}") else {
                    return nil
                }
                return target.url[..<close.lowerBound].dropFirst(2).trimmingBlanks
            }
        )
        for name in names.sorted() {
            let origins = tables.map { Self.origin(of: "{{ \(name) }}", $0) }
            guard origins.contains(.host), origins.contains(.whole) else { continue }
            func complete(_ members: inout [Value.Member]) {
                guard case .string(let text)? = members[name], !text.hasPrefix("{{"),
                    Self.origin(of: text, [:]) == .host
                else { return }
                members[name] = .string("http://" + text)
            }
            complete(&variables)
            for index in environments.indices {
                guard case .object(var members) = environments[index].value,
                    case .object(var values)? = members["variables"]
                else { continue }
                complete(&values)
                members["variables"] = .object(values)
                environments[index] = Value.Member(environments[index].name, .object(members))
            }
        }
    }

    private enum Origin { case whole, host, path }

    /// The values of variables, a table for each environment.
    private var lookups: [[String: Value]] {
        let own = Dictionary(variables.map { ($0.name, $0.value) }) { first, _ in first }
        guard !environments.isEmpty else { return [own] }
        return environments.map { environment in
            guard case .object(let members) = environment.value,
                case .object(let values)? = members["variables"]
            else { return own }
            return own.merging(values.map { ($0.name, $0.value) }) { $1 }
        }
    }

    /// How a URL begins, once its variables are filled in.
    private static func origin(of url: String, _ tables: [[String: Value]]) -> Origin {
        let origins = tables.map { origin(of: url, $0) }
        if origins.contains(.path) { return .path }
        if origins.allSatisfy({ $0 == .host }) { return .host }
        return origins.contains(.host) ? .path : .whole
    }

    private static func origin(of url: String, _ table: [String: Value]) -> Origin {
        var text = url
        for _ in 0..<20 {
            guard text.hasPrefix("{{") else { break }
            guard let close = text.firstRange(of: "}}") else { return .path }
            let name = text[..<close.lowerBound].dropFirst(2)
            let word = String(name.prefix { $0 != "|" }).trimmingBlanks
            guard let value = table[word] else {
                // A function, or a variable that is asked for.
                return word.contains("(") ? .path : .whole
            }
            if case .object(let members) = value {
                return members["ask"] == nil && members["from"] == nil ? .path : .whole
            }
            text = value.variableText + text[close.upperBound...]
        }
        let start = text.prefix(8).asciiLowercased
        if start.hasPrefix("http://") || start.hasPrefix("https://") { return .whole }
        guard let first = text.first, first != "/", first != "?", !text.contains("://") else {
            return .path
        }
        return .host
    }
}

extension ImportedTarget {
    /// The URL or path of the request line.
    var url: String {
        get {
            guard self["method"] == nil, let blank = request.firstIndex(of: " ") else {
                return request
            }
            return String(request[blank...].dropFirst())
        }
        set {
            guard self["method"] == nil, let blank = request.firstIndex(of: " ") else {
                request = newValue
                return
            }
            request = "\(request[..<blank]) \(newValue)"
        }
    }
}
