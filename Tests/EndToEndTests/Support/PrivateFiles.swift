import FoundationEssentials
import Glibc
import TestSupport

/// A home folder of its own for one program, removed with the last reference.
final class PrivateFiles {
    private let folder = TemporaryFolder("tmp")

    var home: String { folder.path }
    var cache: String { home + "/cache" }
    private var temporary: String { home + "/tmp" }

    /// Everything that a program learns from its environment; nothing of ours leaks in.
    var environment: [String: String] {
        [
            "HOME": home,
            "XDG_CONFIG_HOME": home + "/config",
            "XDG_DATA_HOME": home + "/data",
            "XDG_STATE_HOME": home + "/state",
            "XDG_CACHE_HOME": cache,
            "TMPDIR": temporary,
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        ]
    }

    /// Writes a file into the home folder and gives its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = home + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    /// The bytes of a file in the home folder.
    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: home + "/" + name)))
    }

    /// The text of a file in the home folder.
    func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: home + "/" + name)), as: UTF8.self)
    }

    /// Who may do what with a file of the home folder.
    func mode(of name: String) throws -> mode_t {
        var status = stat()
        guard stat(home + "/" + name, &status) == 0 else { throw NoTerminal(errno: errno) }
        return status.st_mode & 0o777
    }

    /// All files below a folder, as paths within it.
    func contents(of folder: String) -> [String] {
        (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    }
}
