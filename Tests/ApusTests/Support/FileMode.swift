import Glibc
import TestSupport

/// Who may do what with a file.
enum FileMode {
    static func of(_ path: String) throws -> mode_t {
        var status = stat()
        guard stat(path, &status) == 0 else { throw RawServer.Failure(errno: errno) }
        return status.st_mode & 0o777
    }
}
