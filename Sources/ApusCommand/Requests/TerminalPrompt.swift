import Apus
import Dispatch
import Glibc
import Synchronization
import Terminal
import Workspaces

/// Asks on the terminal for the values that requests need, also where input and output are files or pipes.
final class TerminalPrompt: SupplyPrompt {
    /// One question after the other, each on a thread that can wait.
    private let questions = DispatchQueue(label: "apus.questions")

    func answer(to question: Question) async throws(SupplyError) -> String {
        let file = question.place.map { ", or write \(question.name)=… to \($0)" } ?? ""
        let advice = "give it with --set \(question.name)=…\(file)"
        guard let terminal = QuestionTerminal() else {
            if let standard = question.standard { return standard }
            throw .noValue(question.name, "there is no terminal to ask on; \(advice)")
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                questions.async { continuation.resume(returning: terminal.answer(to: question)) }
            }
        } onCancel: {
            terminal.cancel()
        }
        if Task.isCancelled { throw .failed(ApusError(.cancelled)) }
        guard let answer else { throw .noValue(question.name, "it was not given; \(advice)") }
        return answer
    }

    func allow(_ commands: [ShellCommand], of workspace: String) async throws(SupplyError) {
        let list = commands.map { "`\($0.text)`" }.joined(separator: ", ")
        throw .unusable(
            "the workspace (\(workspace)) has commands that run only if you trust them: \(list). If you do, add --trust"
        )
    }

    func didSupply(_ variable: String, from target: TargetID?) {}
}

/// The terminal that controls this process, while a question is asked on it.
private final class QuestionTerminal: Sendable {
    private let terminal: Int32
    /// Ends a wait for input; what is written to `wakes` comes out of `wake`.
    private let wake: Int32
    private let wakes: Int32

    /// Opens the terminal; nil if there is none.
    init?() {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return nil }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            close(terminal)
            return nil
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (self.terminal, wake, wakes) = (terminal, ends[0], ends[1])
    }

    deinit {
        for descriptor in [terminal, wake, wakes] { close(descriptor) }
    }

    /// Ends a question that waits, or the next one.
    func cancel() {
        var byte: UInt8 = 0
        _ = Glibc.write(wakes, &byte, 1)
    }

    /// Asks until there is a response; nil at the end of the input, and when it is cancelled.
    func answer(to question: Question) -> String? {
        if !question.choices.isEmpty {
            for (index, choice) in question.choices.enumerated() {
                write("  \(index + 1)  \(choice)\n")
            }
        }
        let standard = question.standard.map { " [\(question.isSecret ? "••••••" : $0)]" } ?? ""
        while true {
            write("\(question.text)\(standard): ")
            guard let typed = question.isSecret ? hidden({ line() }) : line() else { return nil }
            if typed.isEmpty {
                if let standard = question.standard { return standard }
                continue
            }
            guard !question.choices.isEmpty else { return typed }
            if question.choices.contains(typed) { return typed }
            if let number = Int(typed), question.choices.indices.contains(number - 1) {
                return question.choices[number - 1]
            }
            write("Choose one by its number or its name.\n")
        }
    }

    /// Does something while the terminal does not show what is typed.
    private func hidden(_ work: () -> String?) -> String? {
        var modes = termios()
        guard tcgetattr(terminal, &modes) == 0 else { return work() }
        let usual = modes
        modes.c_lflag &= ~tcflag_t(ECHO)
        modes.c_lflag |= tcflag_t(ECHONL)
        tcsetattr(terminal, TCSAFLUSH, &modes)
        defer {
            var usual = usual
            tcsetattr(terminal, TCSAFLUSH, &usual)
        }
        return work()
    }

    /// A typed line without its end; nil at the end of the input, and when it is cancelled.
    private func line() -> String? {
        var bytes: [UInt8] = []
        while true {
            var waits = [
                pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&waits, 2, -1) >= 0 || errno == EINTR else { return nil }
            if waits[1].revents != 0 { return nil }
            guard waits[0].revents != 0 else { continue }
            var byte: UInt8 = 0
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count == 1 else { return nil }
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
    }

    private func write(_ text: String) {
        var rest = TerminalGate.shown(text)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(terminal, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
