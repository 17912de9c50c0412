import CNcurses
import Glibc
import Synchronization

/// An app that a session runs.
///
/// Its functions are synchronous and must not wait for anything.
@MainActor
package protocol TerminalApp: AnyObject {
    /// A message from background work to the app.
    associatedtype Message: Sendable

    /// Handles one event and returns commands for the session. A frame follows automatically.
    func handle(_ event: TerminalEvent<Message>) -> [SessionCommand]

    /// Draws the whole screen into a blank grid. Returns the position of the text cursor; nil hides it.
    func render(into grid: inout Grid) -> Point?

    /// When `.tick` is due if no other event comes; nil for no tick. Read in every round of the session.
    var nextTick: ContinuousClock.Instant? { get }

    /// Whether work is running that will change the screen; read only without a terminal.
    var isBusy: Bool { get }
}

extension TerminalApp {
    /// No ticks.
    package var nextTick: ContinuousClock.Instant? { nil }
    /// Never busy.
    package var isBusy: Bool { false }
}

/// An event for an app.
package enum TerminalEvent<Message: Sendable>: Sendable {
    /// A key was pressed.
    case key(Key)
    /// Text was pasted, with `\n` for every kind of newline. It is not filtered: draw it or give it to a field.
    case paste(String)
    /// The mouse was moved, clicked or scrolled.
    case mouse(MouseEvent)
    /// The terminal's window gained or lost the focus.
    case focus(Bool)
    /// The screen now has this size. Comes once before the first frame.
    case resize(Size)
    /// The terminal reported its background.
    case background(PixelColor)
    /// A message came through the mailbox.
    case message(Message)
    /// `TerminalApp.nextTick` is reached.
    case tick
    /// The app has the terminal again after ctrl-z or an external program.
    case resumed
    /// The program of `SessionCommand.run` ended: its status, 128+n after signal n, 127 if it could not be
    /// started.
    case programEnded(status: Int32)
    /// The text of `SessionCommand.copy` was copied, or offered to the terminal.
    case copied(ClipboardOutcome)
}

/// A command from an app to its session.
package enum SessionCommand: Hashable, Sendable {
    /// End; `TerminalSession.run` returns this status.
    case quit(status: Int32)
    /// Give the terminal back and stop the process group, as ctrl-z does elsewhere.
    case suspend
    /// Give the terminal to a program and wait for its end; found in `PATH`.
    case run([String])
    /// Use this theme from now on; the app must draw with it too.
    case use(Theme)
    /// Turn mouse events on or off; while they are off, the terminal has the mouse for itself.
    case reportMouse(Bool)
    /// Send every cell again, because something else wrote on the screen.
    case redraw
    /// Put text on the clipboard; `TerminalEvent.copied` says who has it.
    case copy(String)
}

/// A queue of messages from background tasks to the session.
///
/// Use it from any thread; it does not block. Only the first message after a `take` wakes the session, so
/// that 200 000 messages cost a handful of wake-ups.
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

    /// Removes and returns all messages, in the order in which they were sent.
    package func removeAll() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// Runs a program that has the terminal to itself.
enum ForegroundProgram {
    /// Waits for the program to end; returns its exit status, 128+n after signal n, 127 if it could not be
    /// started.
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
