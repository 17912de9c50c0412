internal import CShell
import Dispatch
import Documents
import Glibc
import Synchronization

/// A command that a shell runs, with bytes as its standard input.
///
/// It leads a session of its own without a terminal, so that the processes it starts cannot write to the
/// screen, and end with it. The input never becomes a part of the command.
package final class ShellProcess: Sendable {
    /// How long it may run, and how many bytes it may write.
    package struct Limits: Sendable {
        package var duration: Duration
        package var output: Int
        package var errors: Int

        /// Makes limits; by default those of a command that a body goes through.
        package init(
            duration: Duration = .seconds(30),
            output: Int = 64 << 20,
            errors: Int = 64 << 10
        ) {
            (self.duration, self.output, self.errors) = (duration, output, errors)
        }
    }

    /// What the command reads.
    package enum Input: Sendable {
        /// Bytes in memory; empty for nothing.
        case bytes([UInt8])
        /// The bytes of the file at a path.
        case file(String)
    }

    /// How the command ended.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It was stopped after this time.
        case tookTooLong(Duration)
        /// It was stopped after this number of bytes.
        case wroteTooMuch(Int)
        /// It could not be started, for this reason.
        case notStarted(String)

        /// What went wrong, in a few words; nil if nothing did.
        package var problem: String? {
            switch self {
            case .exited(0): nil
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "ended by signal \(signal)"
            case .tookTooLong(let limit): "ended after \(Readable.span(limit))"
            case .wroteTooMuch(let limit): "cut after \(Readable.bytes(limit))"
            case .notStarted(let reason): "not started: \(reason)"
            }
        }
    }

    /// What a command wrote, and how it ended.
    package struct Outcome: Sendable {
        package var ending: Ending
        package var output: [UInt8]
        /// The first part of what it wrote to its standard error.
        package var errors: String
    }

    private struct State {
        var process: pid_t?
        var isCancelled = false
    }

    private let state = Mutex(State())
    private let limits: Limits
    private let folder: String?

    private init(_ limits: Limits, _ folder: String?) {
        (self.limits, self.folder) = (limits, folder)
    }

    /// Runs a command and waits for its end on a separate thread; cancelling kills it and all its processes.
    ///
    /// - Parameters:
    ///   - command: What `sh -c` gets.
    ///   - input: Its standard input.
    ///   - folder: The folder that it runs in; nil for this process's.
    ///   - limits: When it is stopped.
    /// - Returns: What it wrote, and how it ended.
    package static func run(
        _ command: String,
        on input: Input,
        in folder: String? = nil,
        limits: Limits = Limits()
    ) async -> Outcome {
        let process = ShellProcess(limits, folder)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "apus.shell").async {
                    continuation.resume(returning: process.run(command, on: input))
                }
            }
        } onCancel: {
            process.cancel()
        }
    }

    /// Kills the command; if it has not started, it never will.
    private func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let process = state.process { kill(-process, SIGKILL) }
        }
    }

    private func run(_ command: String, on input: Input) -> Outcome {
        func outcome(_ ending: Ending, _ pipes: ShellPipes? = nil) -> Outcome {
            let errors = String(decoding: pipes?.errors ?? [], as: UTF8.self)
            return Outcome(ending: ending, output: pipes?.output ?? [], errors: errors)
        }
        guard var pipes = ShellPipes(input) else {
            return outcome(.notStarted(String(cString: strerror(errno))))
        }
        defer { pipes.closeAll() }
        let failure = start(command, pipes)
        guard failure == 0 else { return outcome(.notStarted(String(cString: strerror(failure)))) }
        pipes.closeTheirs()
        let ended = DispatchSemaphore(value: 0)
        let status = Mutex<Int32>(0)
        DispatchQueue(label: "apus.shell.end").async {
            let code = self.waitForEnd()
            status.withLock { $0 = code }
            ended.signal()
        }
        let deadline = ContinuousClock.now + limits.duration
        let fault = pipes.exchange(until: deadline, limits)
        if fault != nil { killAll() }
        // The command may still run after it has closed its output.
        var isLate = fault == .tookTooLong(limits.duration)
        if ended.wait(timeout: .now() + Self.seconds(until: deadline)) == .timedOut {
            isLate = true
            killAll()
            ended.wait()
        }
        if isLate, fault == nil { return outcome(.tookTooLong(limits.duration), pipes) }
        let code = status.withLock { $0 }
        let signal = code & 0x7F
        let ending: Ending = signal == 0 ? .exited(code >> 8 & 0xFF) : .signalled(signal)
        return outcome(fault ?? ending, pipes)
    }

    /// Starts the command unless it is cancelled; returns an error number, or 0 if it runs.
    private func start(_ command: String, _ pipes: ShellPipes) -> Int32 {
        state.withLock { state -> Int32 in
            guard !state.isCancelled else { return ECANCELED }
            var process: pid_t = 0
            let failure = cshell_start(
                command,
                folder,
                pipes.theirInput,
                pipes.theirOutput,
                pipes.theirErrors,
                &process
            )
            if failure == 0 { state.process = process }
            return failure
        }
    }

    private static func seconds(until deadline: ContinuousClock.Instant) -> DispatchTimeInterval {
        let left = max(.zero, deadline - .now)
        return .milliseconds(Int(left / .milliseconds(1)) + 1)
    }

    private func killAll() {
        state.withLock { if let process = $0.process { kill(-process, SIGKILL) } }
    }

    /// Waits for the shell, kills the processes that it left behind, and returns its status.
    private func waitForEnd() -> Int32 {
        guard let process = state.withLock({ $0.process }) else { return 0 }
        var information = siginfo_t()
        // WNOWAIT keeps it a zombie, so that its process ID cannot be reused before the kill.
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return state.withLock { state in
            kill(-process, SIGKILL)
            state.process = nil
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
}

/// The three pipes of a command.
private struct ShellPipes {
    private(set) var theirInput: Int32
    private(set) var theirOutput: Int32
    private(set) var theirErrors: Int32
    /// Our end of the input; -1 if the input is a file, and once it is closed.
    private var input: Int32 = -1
    private var ourOutput: Int32
    private var ourErrors: Int32
    private var rest: ArraySlice<UInt8> = []
    private(set) var output: [UInt8] = []
    private(set) var errors: [UInt8] = []

    /// Makes the pipes; nil, with `errno` set, if that fails or the file cannot be opened.
    init?(_ source: ShellProcess.Input) {
        var descriptors: [Int32] = []
        func makePipe() -> Bool {
            var ends: [Int32] = [-1, -1]
            guard cshell_pipe(&ends) == 0 else { return false }
            descriptors += ends
            return true
        }
        var isMade = makePipe() && makePipe()
        switch source {
        case .bytes(let bytes):
            isMade = isMade && makePipe()
            rest = bytes[...]
        case .file(let path):
            let file = open(path, O_RDONLY | O_CLOEXEC)
            if file >= 0 { descriptors.append(file) }
            isMade = isMade && file >= 0
        }
        guard isMade else {
            let code = errno
            for descriptor in descriptors { close(descriptor) }
            errno = code
            return nil
        }
        (ourOutput, theirOutput) = (descriptors[0], descriptors[1])
        (ourErrors, theirErrors) = (descriptors[2], descriptors[3])
        theirInput = descriptors[4]
        if descriptors.count > 5 {
            input = descriptors[5]
            _ = fcntl(input, F_SETFL, O_NONBLOCK)
        }
        for descriptor in [ourOutput, ourErrors] { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    }

    private static func end(_ descriptor: inout Int32) {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Closes the command's ends in this process, after it has started.
    mutating func closeTheirs() {
        Self.end(&theirInput)
        Self.end(&theirOutput)
        Self.end(&theirErrors)
    }

    mutating func closeAll() {
        closeTheirs()
        Self.end(&input)
        Self.end(&ourOutput)
        Self.end(&ourErrors)
    }

    /// Writes the input and reads the output until both outputs are closed; returns why it stopped early, if so.
    mutating func exchange(
        until deadline: ContinuousClock.Instant,
        _ limits: ShellProcess.Limits
    ) -> ShellProcess.Ending? {
        if rest.isEmpty { Self.end(&input) }
        while ourOutput >= 0 || ourErrors >= 0 {
            // `poll` ignores a descriptor of -1.
            var waits = [
                pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: ourOutput, events: Int16(POLLIN), revents: 0),
                pollfd(fd: ourErrors, events: Int16(POLLIN), revents: 0),
            ]
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            guard left > 0 else { return .tookTooLong(limits.duration) }
            let count = poll(&waits, 3, Int32(min(left.rounded(.up), 1e6)))
            if count < 0, errno != EINTR { return nil }
            guard count > 0 else { continue }
            if waits[0].revents != 0 { write() }
            if waits[1].revents != 0 {
                Self.read(&ourOutput, into: &output, atMost: limits.output + 1)
                if output.count > limits.output {
                    output.removeLast(output.count - limits.output)
                    return .wroteTooMuch(limits.output)
                }
            }
            if waits[2].revents != 0 {
                Self.read(&ourErrors, into: &errors, atMost: .max)
                // The beginning says what went wrong, so the rest is dropped.
                errors.removeLast(max(0, errors.count - limits.errors))
            }
        }
        return nil
    }

    private mutating func write() {
        let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
        if count >= 0 {
            rest = rest.dropFirst(count)
        } else if errno != EAGAIN, errno != EINTR {
            // The command has closed its input, as `head` does after its lines.
            rest = []
        }
        if rest.isEmpty { Self.end(&input) }
    }

    private static func read(
        _ descriptor: inout Int32,
        into bytes: inout [UInt8],
        atMost limit: Int
    ) {
        let room = min(64 << 10, limit - bytes.count)
        let chunk = [UInt8](unsafeUninitializedCapacity: max(1, room)) { buffer, count in
            count = max(-1, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            if count < 0 {
                count = 0
                if errno == EAGAIN || errno == EINTR { return }
                end(&descriptor)
            } else if count == 0 {
                end(&descriptor)
            }
        }
        bytes += chunk
    }
}
