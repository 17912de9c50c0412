import Apus
import FoundationEssentials
import Glibc
import Workspaces

/// Work on a request that is edited.
enum RequestEffect: Sendable {
    /// Apply a draft to a target.
    case apply(TargetDraft, CatalogTarget, ticket: Int, any CatalogSource)
    /// Write a target's edits to its file.
    case save(CatalogTarget, SaveDestination, any CatalogSource)
    /// Make the catalog's file under a name, with an edit or without.
    case makeFile(any CatalogSource, name: String, LinePrompt.FileUse)
    /// Make a change in the files.
    case change(WorkspaceChange, any CatalogSource)
    /// Put what was read from another program's file into the files.
    case importFile(ReadImport, any CatalogSource)
    /// Take back the last thing that was written to them.
    case undo(any CatalogSource)
    /// Make the preview of what would be sent.
    case preview(CatalogID, ticket: Int, ResolvedTarget)
    /// Read a pasted text, and have the catalog make a new request of it.
    case paste(String, Catalog)
    /// Have the catalog make a new request of a draft.
    case begin(TargetDraft, Catalog)
    /// Have the catalog, which was reloaded, make a pasted request again.
    case make(name: String, TargetDraft, any CatalogSource)
    /// Write a body to a file for the user's editor.
    case beginScratch(CatalogID, text: String, suffix: String)
    /// Read that file, and remove it.
    case endScratch(CatalogID, path: String)
    /// Give the catalog a missing value.
    case supply(name: String, value: String, any CatalogSource)
    /// Change a cookie jar, if there is a change, and list its cookies.
    case cookies(CookieJar, CookieChange?)
}

/// A change of a cookie jar.
enum CookieChange: Sendable {
    case set(Cookie)
    case remove(Cookie.ID)
    case removeAll
}

/// A result of work on a request.
enum RequestMessage: Sendable {
    case applied(CatalogID, ticket: Int, Result<CatalogTarget, CatalogError>)
    /// A saved target, and the catalog of the files as they are now; nil if they must be loaded.
    case saved(CatalogID, SaveDestination, Result<Catalog?, CatalogError>)
    /// A change of the files, and the catalog of them as they are now; nil if they must be loaded.
    case changed(WorkspaceChange, Result<Catalog?, CatalogError>)
    /// What an import did.
    case imported(Result<ImportOutcome, CatalogError>)
    /// What was taken back, and the catalog of the files as they are now.
    case undone(String, WorkspaceChange?, Catalog)
    /// The catalog's file was made; `isOpened` if it is to be opened in an editor.
    case fileMade(String, isOpened: Bool)
    case previewed(CatalogID, ticket: Int, RequestPreview)
    /// A pasted request, and notes on the parts of its text that are ignored.
    case pasted(name: String, TargetDraft, CatalogTarget, notes: [String])
    case pasteFailed(CatalogError)
    /// A pasted request, made again.
    case made(name: String, Result<CatalogTarget, CatalogError>)
    case scratchBegun(CatalogID, path: String)
    case scratchEnded(CatalogID, text: String)
    /// The cookies of a jar, and why a change of it was refused.
    case cookies(CookieJar, [Cookie], problem: String?)
    /// A failure, in words.
    case failed(String)
    case supplied
}

/// A body in a temporary file, for the user's editor.
enum ScratchFile {
    /// Writes a text to a new file that nobody else can read; nil, with `errno` set, if that fails.
    static func write(_ text: String, suffix: String) -> String? {
        let folder =
            ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "/tmp"
        var template = Array("\(folder)/apus-body-XXXXXX\(suffix)".utf8CString)
        // `mkstemps` makes the file with mode 600.
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else { return nil }
        let path = template.withUnsafeBufferPointer {
            $0.baseAddress.map { String(cString: $0) } ?? ""
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                unlink(path)
                return nil
            }
            rest = rest.dropFirst(max(0, count))
        }
        return path
    }

    /// Reads a file and removes it; nil if it cannot be read, or is not UTF-8.
    static func readAndRemove(_ path: String) -> String? {
        defer { unlink(path) }
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}
