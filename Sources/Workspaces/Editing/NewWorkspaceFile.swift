import FoundationEssentials
import Glibc
import Synchronization

/// The file of a workspace that may not be there yet: it is made when something is saved.
///
/// What is opened is the file, or the workspace of the folder, as soon as there is one; until then, a text in
/// memory.
package final class NewWorkspaceFile: Sendable {
    /// What a new file begins with.
    package static let emptyText = "\(StarterWorkspace.modeline)\ntargets: {}\n"

    private struct State {
        var path: String
        /// Whether the user has named the file.
        var isNamed: Bool
    }

    private let state: Mutex<State>
    /// The folder whose workspace is opened if it has one; nil for none.
    private let folder: String?
    private let text: String
    /// The file of another program that the text is made of, each time it is loaded, and what reads it.
    private let foreign: (path: String, reader: any ForeignReader)?

    /// - Parameters:
    ///   - path: The path that is offered, or that the user has named.
    ///   - isNamed: Whether the user has named it.
    ///   - folder: The folder whose workspace is opened if it has one.
    ///   - text: What the file begins with.
    package init(
        path: String,
        isNamed: Bool,
        folder: String? = nil,
        text: String = NewWorkspaceFile.emptyText
    ) {
        state = Mutex(State(path: path, isNamed: isNamed))
        self.folder = folder
        self.text = text
        foreign = nil
    }

    /// The workspace of a file of another program, which is saved beside it.
    package init(for path: String, readBy reader: any ForeignReader) {
        state = Mutex(State(path: WorkspaceOrigin.newFile(for: path), isNamed: false))
        folder = nil
        text = ""
        foreign = (path, reader)
    }

    /// A file in a folder, named after that.
    package convenience init(in folder: String) {
        let prefix = folder == "." ? "" : folder.hasSuffix("/") ? folder : "\(folder)/"
        let path = "\(prefix)\(Self.name(of: folder)).apus.yaml"
        self.init(path: path, isNamed: false, folder: folder)
    }

    private static func name(of folder: String) -> String {
        guard let real = realpath(folder, nil) else { return "new" }
        defer { free(real) }
        return String(cString: real).split(separator: "/").last.map(String.init) ?? "new"
    }

    /// The path that saving uses.
    package var path: String { state.withLock { $0.path } }

    /// The workspace: of the folder, of the file, or in memory.
    ///
    /// `values` override its variables; `limit` is that of `Workspace.load`.
    package func load(
        given: [String: String] = [:],
        overriding values: [String: String] = [:],
        resolvingAtMost limit: Int = .max
    ) throws(WorkspaceError) -> Workspace {
        let existing: (path: String, reader: (any ForeignReader)?)? =
            if let folder, Self.hasWorkspace(folder) {
                (folder, nil)
            } else if isNamed, case let path = path, access(path, F_OK) == 0 {
                (path, nil)
            } else {
                foreign
            }
        let workspace: Workspace
        if let (path, reader) = existing {
            workspace = try Workspace.load(
                path: path,
                given: given,
                resolvingAtMost: limit,
                foreign: reader
            )
        } else {
            workspace = try Workspace.new(text: text, file: path, given: given)
        }
        return workspace.setting(values: values.mapValues { .string($0) })
    }

    /// Whether the user has named it.
    package var isNamed: Bool { state.withLock(\.isNamed) }

    /// Sets the path that saving uses; throws if no such file can be made.
    package func choose(_ path: String) throws(WorkspaceError) {
        func refusal(_ words: String) -> WorkspaceError {
            WorkspaceError([Problem(file: path, words)])
        }
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw refusal("a file needs a name, such as \(self.path)")
        }
        guard access(path, F_OK) != 0 else {
            throw refusal("\(path) already exists: choose another name")
        }
        if let folder = Self.missingFolder(of: path) {
            throw refusal("there is no folder \(folder)")
        }
        state.withLock { $0 = State(path: path, isNamed: true) }
    }

    /// The folder of a file, if there is no such folder.
    package static func missingFolder(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/") else { return nil }
        let folder = String(path[...slash])
        return access(folder, F_OK) == 0 ? nil : folder
    }

    /// Whether a folder has a workspace file.
    package static func hasWorkspace(_ folder: String) -> Bool {
        // A folder that cannot be read is reported when it is loaded.
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
        return names?.contains { $0.hasSuffix(".apus.yaml") } ?? false
    }
}
