package import Workspaces

/// A file of another program, as a workspace that loads.
package struct ImportedFile: Sendable {
    /// What was read, without what the workspace did not take.
    package private(set) var workspace: ImportedWorkspace
    /// The text of a workspace file.
    package private(set) var text: String
    /// How often something was taken out; a file that needs more is refused.
    private var rounds = 0

    /// Reads a source in whatever format it is.
    ///
    /// - Throws: `ImportError` if it is of no known format, or nothing can be read.
    package init(_ source: ImportSource) throws(ImportError) {
        guard let importer = Importers.importer(for: source) else {
            throw ImportError(
                "\(source.path): this is no format that can be imported (\(Self.formats))"
            )
        }
        try self.init(source, as: importer)
    }

    /// Reads a source as a format.
    ///
    /// What the workspace refuses after all is taken out and kept in the note of its target, so that the rest can be used.
    package init(_ source: ImportSource, as importer: any Importer.Type) throws(ImportError) {
        try self.init(unchecked: source, as: importer)
        while true {
            do throws(WorkspaceError) {
                _ = try Workspace.new(text: text, file: Self.fileName)
                return
            } catch {
                guard repair(error.problems) else {
                    throw ImportError("\(source.path): \(error)")
                }
            }
        }
    }

    /// Reads a source as a format, for a caller that loads the text and says what is wrong with it.
    package init(
        unchecked source: ImportSource,
        as importer: any Importer.Type
    ) throws(ImportError) {
        workspace = try importer.read(source)
        workspace.losses += source.textLosses
        text = Self.text(of: workspace)
    }

    /// Takes out what a workspace has refused.
    ///
    /// - Returns: Whether anything was taken out: at least one key of a target.
    package mutating func repair(_ problems: [Problem]) -> Bool {
        rounds += 1
        guard rounds < Self.maximumRounds, ImportRepair(problems).repair(&workspace) else {
            return false
        }
        text = Self.text(of: workspace)
        return true
    }

    private static let maximumRounds = 20
    private static let fileName = "imported.apus.yaml"
    private static var formats: String { Importers.all.map { $0.name }.joined(separator: ", ") }

    private static func text(of workspace: ImportedWorkspace) -> String {
        var text = WorkspaceText()
        text.write(workspace)
        return text.text
    }

    /// All that was not carried over, with the path of its target or group; empty for the whole.
    package var losses: [(path: String, loss: ImportLoss)] {
        var found: [(path: String, loss: ImportLoss)] = workspace.losses.map { ("", $0) }
        func add(_ items: [ImportedItem], _ path: String) {
            var names = ItemNames()
            for item in items {
                switch item {
                case .target(let target):
                    let name = path + names.name(target.name)
                    found += target.losses.map { (name, $0) }
                case .group(let group):
                    let name = path + names.name(group.name)
                    found += group.losses.map { (name, $0) }
                    add(group.items, name + "/")
                }
            }
        }
        add(workspace.items, "")
        return found
    }
}

/// Takes out of a workspace what the loader refuses.
struct ImportRepair {
    private let problems: [Problem]

    init(_ problems: [Problem]) { self.problems = problems }

    /// Moves the keys that have problems to the notes of their targets.
    ///
    /// - Returns: Whether anything was changed.
    func repair(_ workspace: inout ImportedWorkspace) -> Bool {
        // With a line for each key, a line says which key it is.
        var text = WorkspaceText()
        text.isLong = true
        text.write(workspace)
        let found: [Problem]
        do throws(WorkspaceError) {
            _ = try Workspace.new(text: text.text, file: "imported.apus.yaml")
            return false
        } catch { found = error.problems }
        var changed = false
        var done: Set<[Int]> = []
        for problem in found {
            guard let place = text.places.last(where: { $0.line <= problem.location.line }) else {
                continue
            }
            let key = Self.key(at: problem.location.line, place, text.lines)
            // One key after the other: the problems of others may come from it.
            guard done.insert(place.path).inserted else { continue }
            if Self.change(&workspace.items, place.path[...], key, problem) { changed = true }
        }
        return changed
    }

    /// The key of a target that a line belongs to; nil for its name.
    private static func key(at line: Int, _ place: WorkspaceText.Place, _ lines: [String])
        -> String?
    {
        let indent = place.indent + 2
        for number in stride(from: min(line, lines.count), to: place.line, by: -1) {
            let text = lines[number - 1]
            guard text.prefix(while: { $0 == " " }).count == indent,
                let colon = text.firstIndex(of: ":")
            else { continue }
            return String(text[..<colon].dropFirst(indent))
        }
        return nil
    }

    private static func change(
        _ items: inout [ImportedItem],
        _ path: ArraySlice<Int>,
        _ key: String?,
        _ problem: Problem
    ) -> Bool {
        guard let index = path.first, items.indices.contains(index) else { return false }
        switch items[index] {
        case .group(var group):
            if path.count > 1 {
                guard change(&group.items, path.dropFirst(), key, problem) else { return false }
            } else {
                guard !group.defaults.isEmpty else { return false }
                group.losses.append(loss(.object(group.defaults), "settings of the group", problem))
                group.defaults = []
            }
            items[index] = .group(group)
        case .target(var target):
            if let key, let value = target[key] {
                target.losses.append(loss(value, "`\(key)`", problem))
                target[key] = nil
            } else {
                guard target.request != placeholder else { return false }
                // With a method of its own, the request is a URL alone.
                var whole = target.request
                if case .string(let method)? = target["method"] {
                    whole = "\(method) \(whole)"
                    target["method"] = nil
                }
                target.losses.append(loss(.string(whole), "the request", problem))
                target.request = placeholder
            }
            items[index] = .target(target)
        }
        return true
    }

    /// Stands for a request that cannot be sent from a workspace (RFC 6761, section 6.4).
    private static let placeholder = "GET https://unreadable.invalid/"

    private static func loss(_ value: Value, _ kind: String, _ problem: Problem) -> ImportLoss {
        let text =
            switch value {
            case .string(let text): text
            default: value.prettyJSON
            }
        let reason = "a workspace does not take it: \(withoutURL(problem.message))"
        return ImportLoss(kind, reason, text: text)
    }

    /// A message without the URL that it is about, in which the values of this moment stand.
    private static func withoutURL(_ message: String) -> String {
        // What is between back-quotes stands at every second place.
        message.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { index, part in
                if index.isMultiple(of: 2) { return String(part) }
                return part.contains("://") ? "its URL" : "`\(part)`"
            }
            .joined()
    }
}
