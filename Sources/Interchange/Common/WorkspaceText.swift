import Secrets
import Workspaces

/// Writes an imported workspace as the text of a workspace file.
struct WorkspaceText {
    /// A target's or a group's place in the text.
    struct Place {
        /// The indexes of the groups and the target among their siblings; empty for the head.
        let path: [Int]
        /// The number of its first line, from 1.
        let line: Int
        /// The blanks before its name.
        let indent: Int
    }

    private(set) var lines: [String] = []
    /// Where each target and group begins, in order.
    private(set) var places: [Place] = []
    /// Whether each key of a target has a line of its own, however short they are.
    var isLong = false
    private let writer = YAMLWriter()

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// Writes the whole.
    mutating func write(_ workspace: ImportedWorkspace) {
        writeHead(workspace)
        writeTargets(workspace.items)
        writeFlows(workspace)
    }

    /// Writes what stands before the targets.
    mutating func writeHead(_ workspace: ImportedWorkspace) {
        lines.append(StarterWorkspace.modeline)
        if let name = workspace.name { append("name", .string(name.inOneLine)) }
        let note = Self.note(workspace.note, workspace.losses)
        if let note { append("note", .string(note)) }
        appendMapping("variables", workspace.allVariables)
        appendMapping("environments", workspace.environments)
        appendMapping("defaults", workspace.defaults)
    }

    mutating func writeTargets(_ items: [ImportedItem]) {
        guard !items.isEmpty else { return lines.append("targets: {}") }
        lines.append("targets:")
        write(items, indent: 2, at: [])
    }

    mutating func writeFlows(_ workspace: ImportedWorkspace) {
        appendMapping("batches", workspace.batches)
        appendMapping("chains", workspace.chains)
    }

    private mutating func append(_ key: String, _ value: Value) {
        writer.write(key, value, indent: 0, to: &lines)
    }

    /// A mapping with a line for each of its entries; nothing if it is empty.
    private mutating func appendMapping(_ key: String, _ members: [Value.Member]) {
        guard !members.isEmpty else { return }
        lines.append("\(key):")
        writer.write(members, indent: 2, to: &lines)
    }

    private mutating func write(_ items: [ImportedItem], indent: Int, at path: [Int]) {
        var names = ItemNames()
        for (index, item) in items.enumerated() {
            let place = Place(path: path + [index], line: lines.count + 1, indent: indent)
            places.append(place)
            switch item {
            case .group(let group): write(group, names.name(group.name), place)
            case .target(let target): write(target, names.name(target.name), place)
            }
        }
    }

    private mutating func write(_ group: ImportedGroup, _ name: String, _ place: Place) {
        let blanks = String(repeating: " ", count: place.indent)
        let note = Self.note(Self.naming(group.note, group.name, name), group.losses)
        let isEmpty = note == nil && group.defaults.isEmpty && group.items.isEmpty
        lines.append("\(blanks)\(writer.key(name, isFlow: false)):\(isEmpty ? " {}" : "")")
        if let note { writer.write("note", .string(note), indent: place.indent + 2, to: &lines) }
        if !group.defaults.isEmpty {
            let defaults = Value.object(group.defaults)
            writer.write("defaults", defaults, indent: place.indent + 2, to: &lines)
        }
        write(group.items, indent: place.indent + 2, at: place.path)
    }

    private mutating func write(_ target: ImportedTarget, _ name: String, _ place: Place) {
        var members = [Value.Member("request", .string(target.request))] + target.members
        let note = Self.note(Self.naming(target.note, target.name, name), target.losses)
        if let note { members.append(Value.Member("note", .string(note))) }
        if members.count == 1, !isLong, !ItemNames.needsMapping(name) {
            writer.write(name, .string(target.request), indent: place.indent, to: &lines)
        } else {
            var writer = writer
            writer.blockLevels = isLong || members.count > 3 ? 1 : 0
            writer.write(name, .object(members), indent: place.indent, to: &lines)
        }
    }

    /// A note that also says what the source called it, if that is another name.
    private static func naming(_ note: String?, _ original: String, _ name: String) -> String? {
        let shown = original.inOneLine.trimmingBlanks
        // A number after it says nothing.
        guard !shown.isEmpty, name != shown, !name.hasPrefix("\(shown) (") else { return note }
        let line = "Called “\(shown)” where it comes from."
        return note.map { "\($0)\n\n\(line)" } ?? line
    }

    /// A note with what was not carried over at its end; nil if there is neither.
    static func note(_ note: String?, _ losses: [ImportLoss]) -> String? {
        var paragraphs: [String] = []
        if let note, !note.trimmingBlanks.isEmpty { paragraphs.append(note.trimmingBlanks) }
        for loss in losses {
            paragraphs.append("Not carried over: \(loss.kind). \(loss.reason.asSentence)")
            guard !loss.text.trimmingBlanks.isEmpty else { continue }
            let fence = loss.text.contains("```") ? "~~~~" : "```"
            paragraphs.append("\(fence)\n\(loss.text.withPlainLineEnds)\n\(fence)")
        }
        return paragraphs.isEmpty ? nil : paragraphs.joined(separator: "\n\n").withoutControls
    }
}

/// The names of the items of a group: without what a name cannot have, and each once.
struct ItemNames {
    private var taken: Set<String> = []

    /// The name for the next item.
    mutating func name(_ original: String) -> String {
        let base = Self.valid(original)
        var name = base
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(base) (\(number))"
            number += 1
        }
        return name
    }

    /// A name without what no name can have.
    static func valid(_ original: String) -> String {
        var name = original.inOneLine.replacing("/", with: " ").split(separator: " ").joined(
            separator: " "
        )
        if name == "<<" { name = "" }
        return name.isEmpty ? "Without a name" : name
    }

    /// Whether a target of this name needs a mapping, without which its group would be taken for a target.
    static func needsMapping(_ name: String) -> Bool { TargetDecoder.needsMapping(name) }
}

extension ImportedWorkspace {
    /// The variables, with those that are used and have no value anywhere: they are asked for.
    var allVariables: [Value.Member] {
        let set = environments.map { environment -> Set<String> in
            guard case .object(let members) = environment.value,
                case .object(let values)? = members["variables"]
            else { return [] }
            return Set(values.map(\.name))
        }
        var known = set.dropFirst().reduce(set.first ?? []) { $0.intersection($1) }
        known.formUnion(variables.map(\.name))
        // What only some environments set is asked for in the others, unless it is used nowhere else.
        let partial = set.reduce(into: Set<String>()) { $0.formUnion($1) }
            .subtracting(known)
        if !partial.isEmpty {
            var others = TemplateWords()
            for (environment, names) in zip(environments, set) {
                others.add(environment.value, but: names)
            }
            for member in variables + defaults + batches + chains { others.add(member.value) }
            others.add(items)
            known.formUnion(partial.subtracting(others.words))
        }
        let asked = names.used.filter { !known.contains($0) }.map {
            name in
            if name == names.braceName { return Value.Member(name, .string("{")) }
            var members = [Value.Member("ask", .string(name))]
            if CredentialMask.isSecret(parameter: name) {
                members.append(Value.Member("secret", .boolean(true)))
            }
            return Value.Member(name, .object(members))
        }
        return variables + asked
    }
}

/// The words between double braces.
private struct TemplateWords {
    private(set) var words: Set<String> = []

    mutating func add(_ items: [ImportedItem]) {
        for item in items {
            switch item {
            case .group(let group):
                for member in group.defaults { add(member.value) }
                add(group.items)
            case .target(let target):
                add(.string(target.request))
                for member in target.members { add(member.value) }
            }
        }
    }

    /// Adds the words of a value, without those of some names.
    mutating func add(_ value: Value, but names: Set<String> = []) {
        switch value {
        case .number, .boolean, .null: break
        case .array(let elements): for element in elements { add(element, but: names) }
        case .object(let members): for member in members { add(member.value, but: names) }
        case .string(let text):
            var rest = text[...]
            while let open = rest.firstRange(of: "{{") {
                rest = rest[open.upperBound...]
                let end = rest.firstRange(of: "}}")?.lowerBound ?? rest.endIndex
                let found = rest[..<end].split {
                    !($0.isLetter || $0.isNumber || "_-".contains($0))
                }
                words.formUnion(found.map(String.init).filter { !names.contains($0) })
                rest = rest[end...]
            }
        }
    }
}

extension String {
    /// The text with line ends and other control characters as blanks.
    var inOneLine: String {
        // Controls are below a blank, or begin with these two bytes in UTF-8; most texts have none.
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }

    /// The text with signs for control characters, which YAML could only write as escapes in one long line.
    fileprivate var withoutControls: String {
        let isControl = { (byte: UInt8) in
            byte < 0x20 && byte != 0x0A && byte != 0x09 || byte == 0x7F
        }
        guard utf8.contains(where: isControl) else { return self }
        let plain = withPlainLineEnds.replacing("\r", with: "\n")
        return String(
            String.UnicodeScalarView(
                plain.unicodeScalars.map { scalar in
                    UInt8(exactly: scalar.value).map(isControl) == true ? "\u{FFFD}" : scalar
                }
            )
        )
    }

    var withPlainLineEnds: String { replacing("\r\n", with: "\n") }

    /// The text with a capital at its beginning and a period at its end.
    var asSentence: String {
        guard let first else { return self }
        return first.uppercased() + dropFirst() + (last == "." ? "" : ".")
    }
}
