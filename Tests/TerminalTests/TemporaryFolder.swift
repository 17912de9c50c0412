import Glibc
import Testing

/// A folder of its own for a test; gone with it.
final class TemporaryFolder {
    let path: String
    private var names: [String] = []

    init() throws {
        var template = Array("/tmp/terminal-tests-XXXXXX".utf8CString)
        path = try #require(mkdtemp(&template).map { String(cString: $0) })
        mkdir(path + "/themes", 0o700)
    }

    deinit {
        for name in names { unlink(path + "/" + name) }
        rmdir(path + "/themes")
        rmdir(path)
    }

    func write(_ text: String, _ name: String) throws {
        let file = try #require(fopen(path + "/" + name, "w"))
        names.append(name)
        fputs(text, file)
        fclose(file)
    }
}
