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
