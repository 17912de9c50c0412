import Glibc

/// Makes and lists folders.
package enum Folders {
    /// Makes a folder and its missing parents.
    static func make(_ path: String, mode: mode_t) throws(ApusError) {
        guard !path.isEmpty, mkdir(path, mode) != 0 else { return }
        switch errno {
        case EEXIST: return
        case ENOENT:
            try make(parent(of: path), mode: mode)
            guard mkdir(path, mode) == 0 || errno == EEXIST else {
                throw ApusError(.file(path: path, errno: errno))
            }
        default: throw ApusError(.file(path: path, errno: errno))
        }
    }

    /// The folder of a file; empty for the working folder.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The names in a folder, with or without subfolders; empty if it cannot be read.
    package static func names(in folder: String, exceptFolders: Bool = false) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            // If the file system does not report the kind, the name is included.
            if exceptFolders, Int(entry.pointee.d_type) == Int(DT_DIR) { continue }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// The standard folders of the XDG Base Directory Specification.
package enum StandardFolders {
    /// `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
    package static var cache: String { folder("XDG_CACHE_HOME", ".cache") }
    /// `$XDG_DATA_HOME/apus`, else `~/.local/share/apus`.
    package static var data: String { folder("XDG_DATA_HOME", ".local/share") }

    /// `$XDG_STATE_HOME/apus`, else `~/.local/state/apus`.
    package static var state: String { folder("XDG_STATE_HOME", ".local/state") }

    /// `$XDG_CONFIG_HOME/apus`, else `~/.config/apus`.
    package static var configuration: String { folder("XDG_CONFIG_HOME", ".config") }

    /// `$XDG_CACHE_HOME/PROGRAM/apus`, else `~/.cache/PROGRAM/apus`.
    static func cache(of program: String) -> String {
        folder("XDG_CACHE_HOME", ".cache", "\(program)/apus")
    }
    /// `$XDG_DATA_HOME/PROGRAM/apus`, else `~/.local/share/PROGRAM/apus`.
    static func data(of program: String) -> String {
        folder("XDG_DATA_HOME", ".local/share", "\(program)/apus")
    }

    private static func folder(
        _ variable: String,
        _ standard: String,
        _ name: String = "apus"
    ) -> String {
        if let base = path(in: variable) { return "\(base)/\(name)" }
        return "\(home)/\(standard)/\(name)"
    }

    private static var home: String {
        if let home = path(in: "HOME") { return home }
        // Without a home folder, nothing is stored or found: anyone could create a folder in /tmp first.
        guard let entry = getpwuid(getuid()) else { return "/dev/null" }
        return String(cString: entry.pointee.pw_dir)
    }

    /// The path in a variable of the environment; nil for a relative one, which the specification says must
    /// be ignored.
    static func path(in variable: String) -> String? {
        guard let value = getenv(variable), value.pointee == UInt8(ascii: "/") else { return nil }
        return String(cString: value)
    }
}

/// Folders and temporary files that no other user can tamper with.
package enum PrivateFolder {
    /// A part of a file name that nobody can guess: 128 random bits of the system.
    package static func unguessableName() -> String {
        (0..<2).map { _ in
            let word = String(UInt64.random(in: 0 ... .max), radix: 16)
            return String(repeating: "0", count: 16 - word.count) + word
        }.joined()
    }

    /// Whether a part of a name has the form of `unguessableName`.
    static func isUnguessableName(_ text: Substring) -> Bool {
        text.utf8.count == 32 && text.allSatisfy { $0.isASCII && $0.isHexDigit && !$0.isUppercase }
    }

    /// Makes a folder and its missing parents, with mode 0700.
    ///
    /// - Returns: Whether it is a folder, not a link to one, that belongs to us and that nobody else may
    ///   write to.
    package static func make(_ path: String) throws(ApusError) -> Bool {
        try Folders.make(path, mode: 0o700)
        return isOurs(path)
    }

    /// Makes a new folder with mode 0700 beside another.
    package static func makeTemporary(beside path: String) throws(ApusError) -> String {
        let folder = "\(path)-\(unguessableName())"
        guard mkdir(folder, 0o700) == 0 else { throw ApusError(.file(path: folder, errno: errno)) }
        return folder
    }

    /// Makes a new file, without following a link, and opens it for writing.
    ///
    /// - Parameters:
    ///   - path: A path in a folder of ours, or with an `unguessableName`.
    ///   - isPrivate: Whether only its owner may read it; otherwise the process's umask decides.
    /// - Returns: The descriptor, which the caller must close.
    /// - Throws: `ApusError` with the reason `.file`, also if the name is taken.
    package static func createFile(
        _ path: String,
        isPrivate: Bool = true
    ) throws(ApusError) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = open(path, flags, isPrivate ? 0o600 : 0o666)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        return descriptor
    }

    /// Whether it is a folder, not a link to one, that belongs to us and that nobody else may write
    /// to.
    static func isOurs(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o022 == 0
    }
}
