/// Where a workspace comes from that is no workspace file itself: a file or a folder of another program.
package struct WorkspaceOrigin: Sendable, Hashable {
    /// The path of the file or folder, or its URL.
    package let path: String
    /// Its format, with the version if the file says one: "OpenAPI 3.0".
    package let format: String
    /// What was not carried over, grouped, in Markdown; nil if everything was.
    package let losses: String?
    /// How many things were not carried over.
    package let lossCount: Int

    /// Makes an origin.
    package init(path: String, format: String, losses: String?, lossCount: Int) {
        self.path = path
        self.format = format
        self.losses = losses
        self.lossCount = lossCount
    }
}

/// Reads the files of other programs as the text of a workspace.
package protocol ForeignReader: Sendable {
    /// The file at a path; nil if that is a workspace, or nothing that is known.
    ///
    /// - Throws: `WorkspaceError` if it is of a known format and cannot be read.
    func read(_ path: String) throws(WorkspaceError) -> (any ForeignFile)?
}

/// A file of another program, as the text of a workspace.
package protocol ForeignFile {
    /// The text that a workspace file would have.
    var text: String { get }
    /// Where it comes from.
    var origin: WorkspaceOrigin { get }
    /// Takes out of the text what a workspace does not take, after it was refused with some problems.
    ///
    /// - Returns: Whether there is another text now.
    mutating func repair(_ problems: [Problem]) -> Bool
}

extension WorkspaceOrigin {
    /// The file that a workspace from another program's file is saved to: beside it, with its name.
    package static func newFile(for path: String) -> String {
        var base = path
        while base.count > 1, base.last == "/" { base.removeLast() }
        if base.contains("://") {
            base =
                base.prefix { !"?#".contains($0) }.split(separator: "/").last.map(String.init) ?? ""
        }
        let folder = base.lastIndex(of: "/").map { base[...$0] } ?? ""
        var name = base[folder.endIndex...]
        if let dot = name.lastIndex(of: "."), dot > name.startIndex { name = name[..<dot] }
        let isName = name.contains { $0 != "." }
        return "\(folder)\(isName ? name : "imported").apus.yaml"
    }
}
