import Glibc

/// A file that is written together with a workspace: its credentials, or the record of what was imported.
package struct FileBeside: Sendable, Hashable {
    /// Its path.
    package let path: String
    /// What it has; nil if it is not there.
    package let before: String?
    /// What it is to have; nil to remove it.
    package let after: String?
    /// Whether only its owner may read it, if it is made.
    package let isPrivate: Bool

    /// Makes one.
    package init(path: String, before: String?, after: String?, isPrivate: Bool = false) {
        (self.path, self.before, self.after, self.isPrivate) = (path, before, after, isPrivate)
    }

    /// The change that takes this one back.
    package var reversed: FileBeside {
        FileBeside(path: path, before: after, after: before, isPrivate: isPrivate)
    }

    /// The text of a file; nil if it is not there.
    ///
    /// - Throws: `WorkspaceError` if it cannot be read.
    package static func text(at path: String) throws(WorkspaceError) -> String? {
        guard !TextFile.isFree(path) else { return nil }
        do throws(FileReadError) {
            return try TextFile.readWhole(path)
        } catch {
            throw WorkspaceError([Problem(file: path, "the file \(error.detail)")])
        }
    }

    /// Writes it, if it still has what it had before.
    ///
    /// - Throws: `WorkspaceError` if it has changed, or cannot be written.
    package func write() throws(WorkspaceError) {
        guard before != after else { return }
        do throws(FileReadError) {
            switch (before, after) {
            case (nil, let text?):
                try TextFile.create(path, text, mode: isPrivate ? 0o600 : 0o666)
            case (let old?, let text?): try TextFile.replace(path, old, with: text)
            case (let old?, nil):
                guard try TextFile.readWhole(path).utf8.elementsEqual(old.utf8) else {
                    throw FileReadError(
                        detail: "has changed since it was read, so nothing was written"
                    )
                }
                TextFile.remove(path)
            case (nil, nil): break
            }
        } catch {
            throw WorkspaceError([Problem(file: path, "the file \(error.detail)")])
        }
    }

    /// Writes some of them and then something else; if anything fails, they are as they were.
    ///
    /// - Throws: What has failed.
    package static func write<Result>(
        _ files: [FileBeside],
        then work: () throws(WorkspaceError) -> Result
    ) throws(WorkspaceError) -> Result {
        var written: [FileBeside] = []
        do throws(WorkspaceError) {
            for file in files {
                try file.write()
                written.append(file)
            }
            return try work()
        } catch {
            // The first failure is the one to tell.
            for file in written.reversed() { try? file.reversed.write() }
            throw error
        }
    }
}
