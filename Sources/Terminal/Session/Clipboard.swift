internal import CShell
import Dispatch
import Glibc
import Synchronization

/// Where a copied text went.
package enum ClipboardOutcome: Hashable, Sendable {
    /// These programs have it: "tmux", "wl-copy".
    case taken(by: [String])
    /// No program has it. The terminal was asked (OSC 52) and does not reply, so whether it has it is unknown.
    case sentToTerminal
}

/// Puts texts on the clipboard with the programs that this machine has for that.
///
/// OSC 52 alone is not enough: tmux ignores it by default, many terminals do, and none replies. The programs run
/// on a thread of their own and get the text as their input, so that it is in no list of processes.
final class Clipboard: Sendable {
    /// A program that takes texts.
    struct Tool: Sendable, Hashable {
        var name: String
        /// For `sh -c`.
        var command: String
    }

    /// How long a program may take.
    static let limit = Duration.seconds(2)

    private let outcomes = Mutex<[(text: String, outcome: ClipboardOutcome)]>([])
    private let queue = DispatchQueue(label: "apus.clipboard")

    /// Copies a text in the background; then calls `end` there, and `takeOutcomes` has the outcome.
    func copy(_ text: String, then end: @escaping @Sendable () -> Void) {
        queue.async {
            let outcome = Self.copy(text)
            self.outcomes.withLock { $0.append((text, outcome)) }
            end()
        }
    }

    /// The texts that were copied since the last call, with their outcomes.
    func takeOutcomes() -> [(text: String, outcome: ClipboardOutcome)] {
        outcomes.withLock { outcomes in
            defer { outcomes = [] }
            return outcomes
        }
    }

    /// Copies a text: to tmux, if this is a window of it, and to the first program for the desktop that takes it.
    static func copy(_ text: String) -> ClipboardOutcome {
        let tools = groups { getenv($0).map { String(cString: $0) } }
        let taken = tools.compactMap { group in group.first { run($0, on: text) }?.name }
        return taken.isEmpty ? .sentToTerminal : .taken(by: taken)
    }

    /// The programs that may take a text, given the environment; one of each group is enough.
    static func groups(_ environment: (String) -> String?) -> [[Tool]] {
        func isSet(_ name: String) -> Bool { environment(name).map { !$0.isEmpty } ?? false }
        let found = (environment("PATH") ?? "").split(separator: ":")
        func isThere(_ name: String) -> Bool {
            found.contains { access("\($0)/\(name)", X_OK) == 0 }
        }
        var desktop: [Tool] = []
        if isSet("WAYLAND_DISPLAY") {
            desktop.append(Tool(name: "wl-copy", command: "exec wl-copy"))
        }
        if isSet("DISPLAY") {
            desktop += [
                Tool(name: "xclip", command: "exec xclip -selection clipboard"),
                Tool(name: "xsel", command: "exec xsel --clipboard --input"),
            ]
        }
        desktop += [
            Tool(name: "pbcopy", command: "exec pbcopy"),
            Tool(name: "clip.exe", command: "exec clip.exe"),
        ]
        // -w passes it on to the terminal around tmux; before 3.2, tmux refuses it without reading.
        let tmux = Tool(name: "tmux", command: "tmux load-buffer -w - || exec tmux load-buffer -")
        return [isSet("TMUX") ? [tmux] : [], desktop].map { $0.filter { isThere($0.name) } }
    }

    /// Runs a program on a text; returns false if it fails or takes too long.
    ///
    /// Processes that it leaves behind keep running, because wl-copy and xclip serve the text from the background.
    static func run(_ tool: Tool, on text: String, limit: Duration = limit) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard cshell_pipe(&ends) == 0 else { return false }
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { if nowhere >= 0 { close(nowhere) } }
        var process: pid_t = 0
        let failure =
            nowhere < 0
            ? EBADF : cshell_start(tool.command, nil, ends[0], nowhere, nowhere, &process)
        close(ends[0])
        guard failure == 0 else {
            close(ends[1])
            return false
        }
        let deadline = ContinuousClock.now + limit
        let isWritten = write(Array(text.utf8), to: ends[1], until: deadline)
        close(ends[1])
        return isEnded(process, until: isWritten ? deadline : .now) && isWritten
    }

    /// Writes all bytes; returns false if they are not taken.
    private static func write(
        _ bytes: [UInt8],
        to pipe: Int32,
        until deadline: ContinuousClock.Instant
    ) -> Bool {
        guard fcntl(pipe, F_SETFL, O_NONBLOCK) == 0 else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(pipe, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            guard errno == EAGAIN || errno == EINTR, ContinuousClock.now < deadline else {
                return false
            }
            var wait = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, 50)
        }
        return true
    }

    /// Waits for the end of a program, which is killed when time is up; returns whether it ended well.
    private static func isEnded(_ process: pid_t, until deadline: ContinuousClock.Instant) -> Bool {
        var status: Int32 = 0
        var isKilled = false
        while true {
            let ended = waitpid(process, &status, isKilled ? 0 : WNOHANG)
            if ended == process { return status == 0 && !isKilled }
            guard ended == 0 || errno == EINTR else { return false }
            if ContinuousClock.now >= deadline, !isKilled {
                // It leads a session of its own.
                kill(-process, SIGKILL)
                isKilled = true
            } else if !isKilled {
                usleep(2_000)
            }
        }
    }
}
