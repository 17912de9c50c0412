import CNcurses
// So that libdispatch is linked: CNcurses drains its main queue.
import Dispatch
import Glibc

/// The loop of a program on a terminal: it sleeps until a key, a message, a signal, a main-actor
/// job or the app's next tick, and shows a frame after what happened.
///
///     claim ─▶ resize ─▶ frame ─▶ sleep ─▶ events ─▶ frame (60 a second at most) ─▶ … ─▶ restore
///
/// The first frame after a pause is shown at once, and one that a key asks for nearly so; others wait
/// for their slot. Without events nothing runs and nothing is written. The terminal is restored when the loop ends in any way: the
/// app quits, SIGTERM, SIGINT and SIGHUP, the end of the terminal, a crash, and, through a guardian
/// process, SIGKILL.
@MainActor
package final class TerminalSession<App: TerminalApp> {
    private let app: App
    private let mailbox: Mailbox<App.Message>
    private let profile: TerminalProfile
    private let usesMouse: Bool
    private let theme: Theme

    private var decoder = InputDecoder()
    private var painter = Painter()
    private var grid = Grid(size: Size(columns: 0, rows: 0))
    private var status: Int32?
    private var needsFrame = true
    private var nextFrame = ContinuousClock.now
    private var lastFrame: ContinuousClock.Instant?
    private var escapeDeadline: ContinuousClock.Instant?
    private var tickDue: ContinuousClock.Instant?
    private var buffer = [UInt8](repeating: 0, count: 65536)

    private let frameSlot = Duration.nanoseconds(16_666_667)
    /// The slot of a frame that comes after a pause, and of one before a key.
    ///
    /// The first is mostly followed by the one that people wait for, such as the file after the first
    /// frame. That one does not wait for a whole slot.
    private let shortSlot = Duration.milliseconds(2)
    private let pause = Duration.milliseconds(100)
    /// How long a lone ESC may turn out to be the beginning of a sequence.
    private let escapeDelay = Duration.milliseconds(25)

    /// Makes a session; nothing of the terminal is touched before `run`.
    package init(
        app: App,
        mailbox: Mailbox<App.Message>,
        theme: Theme = .standard,
        profile: TerminalProfile = .detect(),
        usesMouse: Bool = true
    ) {
        self.app = app
        self.mailbox = mailbox
        self.theme = theme
        self.profile = profile
        self.usesMouse = usesMouse
    }

    /// Claims the terminal, runs until the app quits, and restores the terminal.
    ///
    /// Returns the app's status, 128+n after signal n, and 129 at the end of the terminal (which is
    /// a hang-up). Call it on the main thread before any other thread exists: the guardian is forked
    /// here. No thread or task is to be started before the first `.resize` event.
    package func run() throws(TerminalError) -> Int32 {
        if let problem = profile.problem { throw problem }
        cn_signals_install(mailbox.wakeDescriptor)
        defer { cn_signals_remove() }
        _ = cn_guardian_start(STDIN_FILENO, STDOUT_FILENO)
        defer { cn_guardian_end() }
        cn_crash_install(getenv("SWIFT_BACKTRACE") != nil)
        defer { cn_crash_remove() }
        var backend = try NcursesBackend(
            input: STDIN_FILENO,
            output: STDOUT_FILENO,
            profile: profile,
            usesMouse: usesMouse
        )
        cn_errors_capture()
        defer {
            cn_release()
            cn_errors_release()
        }
        backend.use(theme)
        resize(&backend)
        return loop(&backend)
    }

    private func loop(_ backend: inout NcursesBackend) -> Int32 {
        showFrame(&backend)
        // After the first frame: libdispatch takes up to a millisecond to begin.
        let mainQueue = cn_main_queue()
        while true {
            showFrame(&backend)
            if let status { return status }
            let ready = cn_poll(STDIN_FILENO, mailbox.wakeDescriptor, mainQueue, timeout())
            if ready < 0 { return 1 }
            let bits = Int(ready)
            if bits & CN_READY_WAKE != 0 { wake(&backend) }
            if bits & CN_READY_MAIN_QUEUE != 0 {
                cn_main_queue_drain(mainQueue)
                needsFrame = true
            }
            if bits & CN_READY_INPUT != 0 {
                // A frame may have taken longer than that: what comes now is no part of the sequence.
                endEscape(&backend)
                read(&backend)
            }
            if bits & CN_READY_HANGUP != 0, status == nil { status = 128 + SIGHUP }
            passTime(&backend)
        }
    }

    private func showFrame(_ backend: inout NcursesBackend) {
        guard needsFrame, status == nil, ContinuousClock.now >= nextFrame else { return }
        needsFrame = false
        grid.clear()
        let cursor = app.render(into: &grid)
        if !painter.paint(grid, cursor: cursor, to: &backend) { status = 128 + SIGHUP }
        let now = ContinuousClock.now
        let comesAfterPause = lastFrame.map { now - $0 > pause } ?? true
        nextFrame = now + (comesAfterPause ? shortSlot : frameSlot)
        lastFrame = now
    }

    private func resize(_ backend: inout NcursesBackend) {
        let size = backend.size
        backend.resize(to: size)
        grid = Grid(size: size, ellipsis: profile.symbols.ellipsis)
        painter.invalidate()
        send(.resize(size), &backend)
    }

    private func send(_ event: TerminalEvent<App.Message>, _ backend: inout NcursesBackend) {
        needsFrame = true
        for command in app.handle(event) where status == nil {
            perform(command, &backend)
        }
    }

    private func perform(_ command: SessionCommand, _ backend: inout NcursesBackend) {
        switch command {
        case .quit(let asked): status = asked
        case .suspend: suspend(&backend)
        case .run(let arguments): run(arguments, &backend)
        case .use(let theme):
            backend.use(theme)
            painter.invalidate()
            needsFrame = true
        case .reportMouse(let isReported): backend.reportMouse(isReported)
        case .redraw: redraw(&backend)
        case .copy(let text): backend.copy(text)
        }
    }

    private func redraw(_ backend: inout NcursesBackend) {
        painter.invalidate()
        backend.invalidate()
        needsFrame = true
    }

    private func wake(_ backend: inout NcursesBackend) {
        // Before taking: what comes in between wakes again.
        cn_wake_clear(mailbox.wakeDescriptor)
        let signals = Int(cn_signals_take())
        if signals & CN_SIGNAL_TERMINATE != 0 { status = 128 + SIGTERM }
        if signals & CN_SIGNAL_INTERRUPT != 0 { status = 128 + SIGINT }
        if signals & CN_SIGNAL_HANGUP != 0 { status = 128 + SIGHUP }
        if status != nil { return }
        if signals & CN_SIGNAL_STOP != 0 { suspend(&backend) }
        // Continued after a SIGSTOP, which nobody can prepare for: the shell changed the modes.
        if signals & CN_SIGNAL_CONTINUE != 0, signals & CN_SIGNAL_STOP == 0 {
            aside(&backend) {}
        }
        if signals & CN_SIGNAL_RESIZE != 0 { resize(&backend) }
        for message in mailbox.take() where status == nil {
            send(.message(message), &backend)
        }
    }

    private func read(_ backend: inout NcursesBackend) {
        let count = buffer.withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.map { cn_read(STDIN_FILENO, $0, bytes.count) } ?? -1
        }
        if count == 0 { status = 128 + SIGHUP }
        guard count > 0 else { return }
        let events = buffer.withUnsafeBytes { bytes in
            decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        deliver(events, &backend)
        escapeDeadline = decoder.isWaiting ? ContinuousClock.now + escapeDelay : nil
    }

    private func deliver(_ events: [InputEvent], _ backend: inout NcursesBackend) {
        // Somebody waits for this one, however many frames a batch has asked for.
        if !events.isEmpty, let lastFrame { nextFrame = min(nextFrame, lastFrame + shortSlot) }
        for event in events where status == nil {
            switch event {
            case .key(let key): send(.key(key), &backend)
            case .paste(let text): send(.paste(text), &backend)
            case .mouse(let mouse): send(.mouse(mouse), &backend)
            case .focus(let isFocused): send(.focus(isFocused), &backend)
            }
        }
    }

    /// Takes the escape key for itself when nothing came after it in time.
    private func endEscape(_ backend: inout NcursesBackend) {
        guard let deadline = escapeDeadline, ContinuousClock.now >= deadline else { return }
        escapeDeadline = nil
        deliver(decoder.finishWaiting(), &backend)
    }

    private func passTime(_ backend: inout NcursesBackend) {
        endEscape(&backend)
        let now = ContinuousClock.now
        if status == nil, let tickDue, now >= tickDue, app.nextTick != nil { send(.tick, &backend) }
    }

    /// Nanoseconds until something is due; -1 is for ever.
    private func timeout() -> Int64 {
        // Asked once in a round, and never due before the next frame could show it: an app that
        // always says "now" gets 60 ticks a second and no busy loop.
        tickDue = app.nextTick.map { max($0, nextFrame) }
        let due = [needsFrame ? nextFrame : nil, escapeDeadline, tickDue].compactMap(\.self)
        guard let first = due.min() else { return -1 }
        let (seconds, attoseconds) = (first - ContinuousClock.now).components
        // A day is for ever enough, and keeps the product in its range.
        return max(0, min(seconds, 86400) * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func suspend(_ backend: inout NcursesBackend) {
        aside(&backend) { cn_stop() }
        // The SIGCONT that ended the stop is not another one.
        cn_wake_clear(mailbox.wakeDescriptor)
        let missed = Int(cn_signals_take()) & ~(CN_SIGNAL_CONTINUE | CN_SIGNAL_STOP)
        if missed & CN_SIGNAL_TERMINATE != 0 { status = 128 + SIGTERM }
        if missed & CN_SIGNAL_INTERRUPT != 0 { status = 128 + SIGINT }
        if missed & CN_SIGNAL_HANGUP != 0 { status = 128 + SIGHUP }
        for message in mailbox.take() where status == nil {
            send(.message(message), &backend)
        }
    }

    private func run(_ arguments: [String], _ backend: inout NcursesBackend) {
        var result: Int32 = 127
        aside(&backend) { result = ForegroundProgram.run(arguments) }
        send(.programEnded(status: result), &backend)
    }

    private func aside(_ backend: inout NcursesBackend, _ body: () -> Void) {
        cn_pause()
        cn_errors_release()
        body()
        cn_errors_capture()
        cn_resume()
        resize(&backend)
        send(.resumed, &backend)
    }
}
