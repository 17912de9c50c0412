package import Apus

/// Remembers which workspaces may run the commands that their files have.
///
/// A workspace is trusted with the commands that it has then: if one of them changes, or the workspace is moved,
/// it has to be trusted again.
package struct WorkspaceTrust: Sendable {
    /// More than the digest and any path need.
    private static let sizeLimit = 1 << 16

    private let folder: String

    /// Makes a memory in a folder; by default in that of the user's state.
    package init(folder: String = StandardFolders.state) {
        self.folder = "\(folder)/trust"
    }

    /// Whether the commands of the workspace at a path may run; always true if there are none.
    ///
    /// A workspace without a path is never trusted.
    package func isTrusted(_ commands: [ShellCommand], at path: String?) -> Bool {
        guard !commands.isEmpty else { return true }
        guard let path = path.map(Self.realPath) else { return false }
        // A file that cannot be read, or that others could have written, trusts nothing.
        guard
            let bytes = try? PrivateFiles.readFile(
                file(of: path),
                upTo: Self.sizeLimit,
                isOurs: true
            )
        else { return false }
        return bytes.elementsEqual(Self.text(of: commands, path).utf8)
    }

    /// Lets the commands of the workspace at a path run from now on.
    ///
    /// - Throws: `PrivateFileError` if that cannot be written.
    package func keep(
        _ commands: [ShellCommand],
        at path: String
    ) throws(PrivateFileError) {
        let path = Self.realPath(path)
        try PrivateFiles.replace(file(of: path), with: Array(Self.text(of: commands, path).utf8))
    }

    private func file(of path: String) -> String {
        "\(folder)/\(ContentDigest.hex(of: path).prefix(32))"
    }

    /// The digest of the commands and their folders, and the path.
    private static func text(of commands: [ShellCommand], _ path: String) -> String {
        // With the lengths, so that no other list of commands gives the same text.
        let parts = commands.flatMap { [$0.text, $0.folder] }
        let whole = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return "\(ContentDigest.hex(of: whole))  \(path)\n"
    }

    private static func realPath(_ path: String) -> String { TextFile.realPath(path) ?? path }
}
