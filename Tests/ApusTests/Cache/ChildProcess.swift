import Glibc
import TestSupport

/// This test program again, as another process that plays one role of a suite.
///
/// Its standard input ends with this process, and then it ends too.
final class ChildProcess {
    static let roleVariable = "APUS_CACHE_CHILD_ROLE"
    static let folderVariable = "APUS_CACHE_CHILD_FOLDER"

    struct Failure: Error { let errno: Int32 }

    private var pid: pid_t = 0
    private var line: [Int32] = [-1, -1]
    private var isEnded = false

    init(role: String, folder: String, suite: String = "CacheChildTests") throws {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &line) == 0 else { throw Failure(errno: errno) }
        defer { close(line[1]) }
        let arguments = [
            "/proc/self/exe", "--testing-library", "swift-testing", "--filter", suite,
        ]
        var environment = ["\(Self.roleVariable)=\(role)", "\(Self.folderVariable)=\(folder)"]
        var entry = environ
        while let variable = entry.pointee {
            environment.append(String(cString: variable))
            entry += 1
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, line[1], 0)
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        let code = Self.withPointers(arguments) { argv in
            Self.withPointers(environment) { envp in
                posix_spawn(&pid, "/proc/self/exe", &actions, nil, argv, envp)
            }
        }
        guard code == 0 else { throw Failure(errno: code) }
    }

    deinit {
        kill()
        close(line[0])
    }

    /// In the other process: ends it with the one that began it, however that ends.
    static func endWithParent() {
        RawServer.onThread {
            var byte: UInt8 = 0
            while read(0, &byte, 1) > 0 {}
            _exit(1)
        }
    }

    /// Ends it at once, as `kill -9` does.
    func kill() {
        guard !isEnded else { return }
        Glibc.kill(pid, SIGKILL)
        _ = Self.ending(of: pid)
        isEnded = true
    }

    /// Waits for its end; its exit status, or nil if a signal ended it.
    ///
    /// On a thread of its own: two tests that block would hold up all others on a machine with two
    /// processors.
    func wait() async -> Int32? {
        let pid = pid
        let status = await withCheckedContinuation { continuation in
            RawServer.onThread { continuation.resume(returning: Self.ending(of: pid)) }
        }
        isEnded = true
        return status & 0x7F == 0 ? status >> 8 & 0xFF : nil
    }

    private static func ending(of pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }

    private static func withPointers<R>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> R
    ) -> R {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { preconditionFailure("no arguments") }
            return body(UnsafePointer(start))
        }
    }
}
