import CNcurses
import Glibc
import Synchronization

/// What a session drives.
///
/// Both functions are synchronous and do no waiting of their own.
@MainActor
package protocol TerminalApp: AnyObject {
    /// What background work tells the app.
    associatedtype Message: Sendable

    /// Takes one event and says what the session is to do. A frame follows by itself.
    func handle(_ event: TerminalEvent<Message>) -> [SessionCommand]

    /// Draws the whole screen into a blank grid. Returns where the text cursor stands; nil hides it.
    func render(into grid: inout Grid) -> Point?

    /// When `.tick` is due without any other event; nil sleeps. Asked after each frame.
    var nextTick: ContinuousClock.Instant? { get }

    /// Whether something is under way that will change the screen; asked where there is no terminal.
    var isBusy: Bool { get }
}

extension TerminalApp {
    /// Never.
    package var nextTick: ContinuousClock.Instant? { nil }
    /// Never.
    package var isBusy: Bool { false }
}

/// What happens to an app.
package enum TerminalEvent<Message: Sendable>: Sendable {
    /// A key was pressed.
    case key(Key)
    /// Text was pasted, with `\n` for every kind of newline. It is raw: draw it or give it to a field.
    case paste(String)
    /// The mouse.
    case mouse(MouseEvent)
    /// The terminal's window got or lost the focus.
    case focus(Bool)
    /// The screen has this size now. Comes once before the first frame.
    case resize(Size)
    /// A message came through the mailbox.
    case message(Message)
    /// `TerminalApp.nextTick` is reached.
    case tick
    /// The terminal is ours again after ctrl-z or an external program.
    case resumed
    /// The program of `SessionCommand.run` ended: its status, 128+n after signal n, 127 when it
    /// could not be started.
    case programEnded(status: Int32)
}

/// What an app wants of the session.
package enum SessionCommand: Hashable, Sendable {
    /// End; `TerminalSession.run` returns this status.
    case quit(status: Int32)
    /// Give the terminal back and stop the process group, as ctrl-z does elsewhere.
    case suspend
    /// Give the terminal to a program and wait for its end; found in `PATH`.
    case run([String])
    /// Show everything in this theme from now on; the app draws with the same.
    case use(Theme)
    /// Let the terminal report its mouse, or keep it for itself.
    case reportMouse(Bool)
    /// Send every cell again: something else wrote on the screen.
    case redraw
    /// Put text on the clipboard, where the terminal allows it.
    case copy(String)
}

/// The way in for what happens outside: background tasks put messages here, the session takes them.
///
/// From any thread, without blocking. Only the first message after the session looked wakes it, so
/// 200 000 messages cost a handful of wake-ups.
package final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    let wakeDescriptor: Int32

    /// Makes an empty mailbox.
    package init() {
        wakeDescriptor = cn_wake_make()
    }

    deinit {
        cn_close(wakeDescriptor)
    }

    /// Adds a message.
    package func send(_ message: Message) {
        send(contentsOf: CollectionOfOne(message))
    }

    /// Adds messages, which stay together and in order.
    package func send(contentsOf new: some Sequence<Message>) {
        let isFirst = messages.withLock { messages in
            let wasEmpty = messages.isEmpty
            messages.append(contentsOf: new)
            return wasEmpty && !messages.isEmpty
        }
        if isFirst { cn_wake(wakeDescriptor) }
    }

    /// Takes all messages, in the order in which they came.
    package func take() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// Runs a program that has the terminal to itself.
enum ForegroundProgram {
    /// Waits for its end: the exit status, 128+n after signal n, 127 when it could not be started.
    static func run(_ arguments: [String]) -> Int32 {
        guard !arguments.isEmpty else { return 127 }
        let copies = arguments.map { strdup($0) }
        defer {
            for copy in copies { free(copy) }
        }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map(cn_run) ?? 127
        }
    }
}
