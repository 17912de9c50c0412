import Glibc

/// Edited texts go to their files whole or not at all.
extension Workspace {
    /// Whether its file is made by the first save.
    package var isNew: Bool { sources.contains(where: \.isNew) }

    /// Writes edited texts to their files; a file that has changed since it was read is left as it is.
    ///
    /// A file that is not there yet is made; one that was created meanwhile is left as it is. The credentials of another
    /// program's file go into a file of their own.
    ///
    /// - Parameter path: Where a new file goes; nil for the path that the workspace was made with.
    /// - Returns: What was done with credentials, in words; nil if there was nothing to do.
    /// - Throws: `WorkspaceError` if a file has changed, or cannot be written.
    @discardableResult
    package func save(newFile path: String? = nil) throws(WorkspaceError) -> String? {
        var words: String?
        for source in sources {
            guard let original = source.original, source.isNew || !source.isAsRead else {
                continue
            }
            let name = source.isNew ? path ?? source.name : source.name
            do throws(FileReadError) {
                if !source.isNew {
                    try TextFile.replace(name, original, with: source.fileText)
                } else if origin != nil {
                    words = try Self.create(name, separatingCredentialsOf: source.fileText)
                } else {
                    try TextFile.create(name, source.fileText)
                }
            } catch {
                throw WorkspaceError([Problem(file: name, "the file \(error.detail)")])
            }
            if source.isNew { StarterWorkspace.writeSchema(beside: name, of: source.text) }
        }
        return words
    }

    /// Makes a workspace file without the credentials of its text, and one with them.
    private static func create(
        _ name: String,
        separatingCredentialsOf text: String
    ) throws(FileReadError) -> String? {
        let file = CredentialSeparation.newFile(beside: name)
        let separated = CredentialSeparation([text], to: file)
        guard TextFile.isFree(name), let first = separated.texts.first, !separated.entries.isEmpty
        else {
            try TextFile.create(name, text)
            return separated.keptWords
        }
        let place = TextFile.resolve(file, besideFile: name)
        try TextFile.create(place, separated.fileText(for: name), mode: 0o600)
        do throws(FileReadError) {
            try TextFile.create(name, first)
        } catch {
            TextFile.remove(place)
            throw error
        }
        return [separated.words(place), separated.keptWords].compactMap(\.self)
            .joined(separator: "; ")
    }

    /// Writes the text of a workspace file, and the schema beside it if its first line names it.
    ///
    /// - Throws: `WorkspaceError` if the file is there, or cannot be written.
    package static func write(_ text: String, toNewFile path: String) throws(WorkspaceError) {
        do throws(FileReadError) {
            try TextFile.create(path, text)
        } catch {
            throw WorkspaceError([Problem(file: path, "the file \(error.detail)")])
        }
        StarterWorkspace.writeSchema(beside: path, of: text)
    }
}
