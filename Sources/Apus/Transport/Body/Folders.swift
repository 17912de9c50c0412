import Glibc

/// Folders of the file system.
enum Folders {
    /// Makes a folder and those above it that are missing.
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

    /// The folder that a file is in; empty for the working folder.
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The names in a folder; none if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
