package import Workspaces

/// Opens files and folders of other programs wherever a workspace can stand.
package struct WorkspaceImporter: ForeignReader {
    /// What was fetched already, by its URL; for a source that is a URL, or that refers to some.
    private let fetched: [String: [UInt8]]

    /// Makes an importer that reads files only.
    package init(fetched: [String: [UInt8]] = [:]) { self.fetched = fetched }

    package func read(_ path: String) throws(WorkspaceError) -> (any ForeignFile)? {
        guard let source = source(at: path), let importer = Importers.importer(for: source) else {
            return nil
        }
        do throws(ImportError) {
            return OpenedFile(file: try ImportedFile(unchecked: source, as: importer), path: path)
        } catch {
            throw WorkspaceError(error.description)
        }
    }

    /// An imported file that is opened where it is.
    private struct OpenedFile: ForeignFile {
        var file: ImportedFile
        let path: String

        var text: String { file.text }
        var origin: WorkspaceOrigin { file.origin(path) }

        mutating func repair(_ problems: [Problem]) -> Bool { file.repair(problems) }
    }

    /// What is at a path, to be asked what it is; nil for a workspace, and for what cannot be read.
    package func source(at path: String) -> ImportSource? {
        if ImportSource.isURL(path) {
            return fetched[path].map { ImportSource(path: path, bytes: $0, fetched: fetched) }
        }
        if ImportFile.isFolder(path) {
            return NewWorkspaceFile.hasWorkspace(path) ? nil : ImportSource(folder: path)
        }
        guard !path.hasSuffix(".apus.yaml"), let bytes = ImportFile.bytes(at: path) else {
            return nil
        }
        return ImportSource(path: path, bytes: bytes, fetched: fetched)
    }
}

extension ImportedFile {
    /// Where it comes from, with what was not carried over.
    package func origin(_ path: String) -> WorkspaceOrigin {
        WorkspaceOrigin(
            path: path,
            format: workspace.format,
            losses: lossText,
            lossCount: losses.count
        )
    }

    /// What was not carried over, grouped by its kind and reason, in Markdown; nil if everything was.
    private var lossText: String? {
        let groups = lossGroups
        guard !groups.isEmpty else { return nil }
        let lines = groups.map { group in
            let shown = group.places.prefix(20).joined(separator: ", ")
            let rest = group.places.count > 20 ? " and \(group.places.count - 20) more" : ""
            return "- \(group.kind) (\(group.reason)): \(shown)\(rest)"
        }
        return "**Not carried over**\n\n" + lines.joined(separator: "\n")
    }

    /// Things of one kind that were not carried over for one reason.
    package struct LossGroup: Sendable {
        /// The kind of thing.
        package let kind: String
        /// Why.
        package let reason: String
        /// The targets or groups, each with the line in the source: "Users/List (line 7)".
        package var places: [String]
    }

    /// What was not carried over, by kind and reason, in the order of the source.
    package var lossGroups: [LossGroup] {
        var groups: [LossGroup] = []
        var places: [String: Int] = [:]
        for (path, loss) in losses {
            let line = loss.line.map { " (line \($0))" } ?? ""
            let place = "\(path.isEmpty ? "the whole" : path)\(line)"
            let key = "\(loss.kind)\u{0}\(loss.reason)"
            if let index = places[key] {
                groups[index].places.append(place)
            } else {
                places[key] = groups.count
                groups.append(LossGroup(kind: loss.kind, reason: loss.reason, places: [place]))
            }
        }
        return groups
    }
}
