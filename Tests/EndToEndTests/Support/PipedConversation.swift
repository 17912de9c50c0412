import Dispatch
import Glibc

/// The built program with pipes at both ends: lines in, lines out, while it runs.
final class PipedConversation {
    let child: pid_t
    private var input: Int32
    private var output: Int32
    private var pending: [UInt8] = []
    private var endStatus: EndStatus?

    /// Starts `apus`; its errors go to the file `stderr` of the home folder.
    init(_ arguments: [String], files: PrivateFiles) throws {
        var toProgram: [Int32] = [0, 0]
        var fromProgram: [Int32] = [0, 0]
        // Pairs of sockets, because Swift sees no pipe2: an end that another test's program inherits
        // would keep this one waiting.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &toProgram) == 0,
            socketpair(AF_UNIX, kind, 0, &fromProgram) == 0
        else { throw NoTerminal(errno: errno) }
        defer {
            close(toProgram[0])
            close(fromProgram[1])
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toProgram[0], 0)
        posix_spawn_file_actions_adddup2(&actions, fromProgram[1], 1)
        let written = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 2, files.home + "/stderr", written, 0o600)
        child = try PipedProgram.start([BuiltProgram.path] + arguments, in: files, &actions)
        (input, output) = (toProgram[1], fromProgram[0])
    }

    deinit {
        closeInput()
        closeOutput()
        if endStatus == nil {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
    }

    /// Writes a line; false if nobody reads it any more.
    @discardableResult
    func send(_ line: String) -> Bool {
        let bytes = Array((line + "\n").utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// The next line; nil at the end of the output.
    func nextLine() -> String? {
        while true {
            if let end = pending.firstIndex(of: 0x0A) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            var room = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            pending += room[..<count]
        }
    }

    /// Reads to the end of the output, and says how many bytes there were.
    func drain() -> Int {
        var total = 0
        var room = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(output, &room, room.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return total }
            total += count
        }
    }

    /// Ends the program's input.
    func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Stops reading.
    func closeOutput() {
        if output >= 0 { close(output) }
        output = -1
    }

    /// Returns when there is something to read, which is left where it is.
    func waitForOutput() {
        var end = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        while poll(&end, 1, -1) < 0, errno == EINTR {}
    }

    func signal(_ number: Int32) { kill(child, number) }

    /// Waits for the program's end; one that never ends is killed, which fails its test.
    func wait() -> EndStatus {
        if let endStatus { return endStatus }
        let killing = DispatchWorkItem { [child] in kill(child, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: killing)
        let status = PipedProgram.wait(for: child)
        killing.cancel()
        endStatus = status
        return status
    }
}
