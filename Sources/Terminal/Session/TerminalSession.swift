import CNcurses
// So that libdispatch is linked: CNcurses drains its main queue.
import Dispatch
import Glibc

/// The loop of a program on a terminal.
///
/// It sleeps until a key, a message, a signal, a main-actor job or the app's next tick, and shows a frame
/// after these events.
///
///     claim ─▶ resize ─▶ frame ─▶ sleep ─▶ events ─▶ frame (60 a second at most) ─▶ … ─▶ restore
///
/// The first frame after a pause is shown at once, and a frame after a key nearly so; others wait for their
/// slot. Without events nothing runs and nothing is written. The terminal is restored however the loop ends:
/// the app quits, SIGTERM, SIGINT, SIGHUP, the terminal is closed, a crash, and, through a guardian process,
/// SIGKILL.
@MainActor
package final class TerminalSession<App: TerminalApp> {
    private let app: App
    private let mailbox: Mailbox<App.Message>
    private let profile: TerminalProfile
    private let usesMouse: Bool
    private var theme: Theme

    private let clipboard = Clipboard()
    private var decoder = InputDecoder()
    private var painter = Painter()
    private var grid = Grid(size: Size(columns: 0, rows: 0))
    private var status: Int32?
    private var needsFrame = true
    private var nextFrame = ContinuousClock.now
    private var lastFrame: ContinuousClock.Instant?
    private var escapeDeadline: ContinuousClock.Instant?
    /// Until when the terminal's response is expected.
    private var responseDeadline: ContinuousClock.Instant?
    private var tickDue: ContinuousClock.Instant?
    private var buffer = [UInt8](repeating: 0, count: 65536)

    private let frameSlot = Duration.nanoseconds(16_666_667)
    /// The slot after a frame that follows a pause, and before a frame that a key asks for.
    ///
    /// A frame after a pause is mostly followed by the one that people wait for, such as the file after the
    /// first frame, so that one does not wait for a whole slot.
    private let shortSlot = Duration.milliseconds(2)
    private let pause = Duration.milliseconds(100)
    /// How long a lone ESC may be the beginning of a sequence.
    private let escapeDelay = Duration.milliseconds(25)
    /// How long a response is expected; one that comes later counts too.
    private let responseDelay = Duration.milliseconds(500)
    /// How long the end waits for a response that would otherwise reach the shell.
    private let lastResponseDelay = Duration.milliseconds(150)

    /// Makes a session; the terminal is not touched before `run`.
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
    /// Returns the app's status, 128+n after signal n, and 129 (a hang-up) if the terminal is closed. Call it
    /// on the main thread before any other thread exists, because it forks the guardian. Start no thread or
    /// task before the first `.resize` event.
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
        // After the first frame, because libdispatch takes up to a millisecond to start.
        let mainQueue = cn_main_queue()
        askForBackground(&backend)
        while true {
            showFrame(&backend)
            if let status {
                if status < 128 { takeLastResponse() }
                return status
            }
            let ready = cn_poll(STDIN_FILENO, mailbox.wakeDescriptor, mainQueue, timeout())
            if ready < 0 { return 1 }
            let bits = Int(ready)
            if bits & CN_READY_WAKE != 0 { wake(&backend) }
            if bits & CN_READY_MAIN_QUEUE != 0 {
                cn_main_queue_drain(mainQueue)
                needsFrame = true
            }
            if bits & CN_READY_INPUT != 0 {
                // A frame may have taken longer than the delay; then this input is not part of the sequence.
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
            self.theme = theme
            use(theme, &backend)
        case .reportMouse(let isReported): backend.reportMouse(isReported)
        case .redraw: redraw(&backend)
        case .copy(let text): clipboard.copy(text) { [mailbox] in cn_wake(mailbox.wakeDescriptor) }
        }
    }

    /// Tells the app who has what was copied; the terminal is asked if nobody else has it.
    private func endCopying(_ backend: inout NcursesBackend) {
        for (text, outcome) in clipboard.takeOutcomes() where status == nil {
            if outcome == .sentToTerminal { backend.copy(text) }
            send(.copied(outcome), &backend)
        }
    }

    private func use(_ theme: Theme, _ backend: inout NcursesBackend) {
        backend.use(theme)
        painter.invalidate()
        needsFrame = true
    }

    private func redraw(_ backend: inout NcursesBackend) {
        painter.invalidate()
        backend.invalidate()
        needsFrame = true
    }

    private func wake(_ backend: inout NcursesBackend) {
        // Cleared before taking, so that a message in between wakes the session again.
        cn_wake_clear(mailbox.wakeDescriptor)
        let signals = Int(cn_signals_take())
        end(by: signals)
        if status != nil { return }
        if signals & CN_SIGNAL_STOP != 0 { suspend(&backend) }
        // Continued after a SIGSTOP, which cannot be caught: the shell changed the terminal's modes.
        if signals & CN_SIGNAL_CONTINUE != 0, signals & CN_SIGNAL_STOP == 0 {
            aside(&backend) {}
        }
        if signals & CN_SIGNAL_RESIZE != 0 { resize(&backend) }
        for message in mailbox.removeAll() where status == nil {
            send(.message(message), &backend)
        }
        endCopying(&backend)
    }

    /// Sets the status if one of the signals ends the program.
    private func end(by signals: Int) {
        if signals & CN_SIGNAL_TERMINATE != 0 { status = 128 + SIGTERM }
        if signals & CN_SIGNAL_INTERRUPT != 0 { status = 128 + SIGINT }
        if signals & CN_SIGNAL_HANGUP != 0 { status = 128 + SIGHUP }
    }

    private func read(_ backend: inout NcursesBackend) {
        let count = buffer.withUnsafeMutableBufferPointer { bytes in
            bytes.baseAddress.map { cn_read(STDIN_FILENO, $0, bytes.count) } ?? -1
        }
        if count == 0 { status = 128 + SIGHUP }
        guard count > 0 else { return }
        if let responseDeadline, ContinuousClock.now >= responseDeadline { endResponse() }
        let events = buffer.withUnsafeBytes { bytes in
            decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        if let background = decoder.takeBackground() { learn(background, &backend) }
        deliver(events, &backend)
        guard decoder.isWaiting else {
            escapeDeadline = nil
            return
        }
        let usual = ContinuousClock.now + escapeDelay
        escapeDeadline = decoder.mayBeginResponse ? max(usual, responseDeadline ?? usual) : usual
    }

    // MARK: The terminal's background

    /// Asks for it, after the first frame; nothing waits for the response.
    private func askForBackground(_ backend: inout NcursesBackend) {
        guard let question = profile.backgroundQuestion, status == nil else { return }
        backend.ask(question)
        decoder.expectsResponse = true
        responseDeadline = .now + responseDelay
    }

    private func endResponse() {
        decoder.expectsResponse = false
        responseDeadline = nil
    }

    private func learn(_ background: PixelColor, _ backend: inout NcursesBackend) {
        endResponse()
        guard background != backend.background else { return }
        backend.background = background
        if theme.backdrop == .any { use(theme, &backend) }
        send(.background(background), &backend)
    }

    /// Reads a response that is still to come before another program has the terminal; keys are dropped meanwhile.
    private func takeLastResponse() {
        guard let responseDeadline else { return }
        let end = min(responseDeadline, .now + lastResponseDelay)
        while decoder.expectsResponse, ContinuousClock.now < end {
            let left = max(.zero, end - .now) / .nanoseconds(1)
            let ready = Int(cn_poll(STDIN_FILENO, -1, -1, Int64(left)))
            if ready < 0 || ready & CN_READY_HANGUP != 0 { break }
            guard ready & CN_READY_INPUT != 0 else { continue }
            let count = buffer.withUnsafeMutableBufferPointer { bytes in
                bytes.baseAddress.map { cn_read(STDIN_FILENO, $0, bytes.count) } ?? -1
            }
            if count == 0 { break }
            _ = decoder.decode(Array(buffer.prefix(max(0, count))))
        }
        endResponse()
    }

    private func deliver(_ events: [InputEvent], _ backend: inout NcursesBackend) {
        // Somebody waits for this frame, however many frames a batch has asked for.
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

    /// Delivers a lone ESC as the escape key if nothing came after it in time.
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

    /// Nanoseconds until something is due; -1 if nothing is.
    private func timeout() -> Int64 {
        // Read once in a round, and never due before the next frame: an app that always says "now" gets 60
        // ticks a second and no busy loop.
        tickDue = app.nextTick.map { max($0, nextFrame) }
        let due = [needsFrame ? nextFrame : nil, escapeDeadline, tickDue].compactMap(\.self)
        guard let first = due.min() else { return -1 }
        let (seconds, attoseconds) = (first - ContinuousClock.now).components
        // At most a day, so that the product stays in its range.
        return max(0, min(seconds, 86400) * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    private func suspend(_ backend: inout NcursesBackend) {
        aside(&backend) { cn_stop() }
        // The SIGCONT that ended the stop must not be handled again.
        cn_wake_clear(mailbox.wakeDescriptor)
        let missed = Int(cn_signals_take()) & ~(CN_SIGNAL_CONTINUE | CN_SIGNAL_STOP)
        end(by: missed)
        for message in mailbox.removeAll() where status == nil {
            send(.message(message), &backend)
        }
        endCopying(&backend)
    }

    private func run(_ arguments: [String], _ backend: inout NcursesBackend) {
        var result: Int32 = 127
        aside(&backend) { result = ForegroundProgram.run(arguments) }
        send(.programEnded(status: result), &backend)
    }

    private func aside(_ backend: inout NcursesBackend, _ body: () -> Void) {
        takeLastResponse()
        cn_pause()
        cn_errors_release()
        body()
        cn_errors_capture()
        cn_resume()
        resize(&backend)
        send(.resumed, &backend)
    }
}
