import CNcurses
import Dispatch

/// Runs an app without a terminal; input comes from a script, and a closure gets the frames.
///
/// A frame is drawn when the app has settled: it is not busy, and no message has come for a moment. What
/// needs a terminal (copying, suspending, running an editor) does not happen.
@MainActor
package final class FrameSession<App: TerminalApp> {
    private let app: App
    private let mailbox: Mailbox<App.Message>
    private var size: Size
    private let ellipsis: Unicode.Scalar
    private var theme: Theme
    private var status: Int32?

    /// How long no message must come before the app counts as settled.
    private let quiet = Duration.milliseconds(100)
    /// The longest wait for the app to settle; with a stream, for example, it never does.
    private let patience: Duration

    /// Makes a session with a screen of this size.
    package init(
        app: App,
        mailbox: Mailbox<App.Message>,
        size: Size,
        theme: Theme = .standard,
        symbols: Symbols = .unicode,
        patience: Duration = .seconds(10)
    ) {
        self.app = app
        self.mailbox = mailbox
        self.size = size
        self.theme = theme
        ellipsis = symbols.ellipsis
        self.patience = patience
    }

    /// Plays a script; `show` gets a frame at first and after each line.
    ///
    /// Returns the status that the app quits with, or 0 if it does not quit. Call it on the main thread.
    package func run(
        _ script: KeyScript,
        show: (_ frame: Grid, _ theme: Theme, _ line: KeyScript.Line?) -> Void
    ) -> Int32 {
        let mainQueue = cn_main_queue()
        send(.resize(size))
        settle(mainQueue)
        show(frame(), theme, nil)
        for line in script.lines where status == nil {
            for step in line.steps where status == nil {
                switch step {
                case .key(let key): send(.key(key))
                case .text(let text):
                    for character in text where status == nil {
                        send(.key(character == "\n" ? Key(.enter) : .character(character)))
                    }
                case .paste(let text): send(.paste(text))
                case .size(let new):
                    size = new
                    send(.resize(new))
                case .pause(let duration): wait(atMost: duration, mainQueue) { false }
                }
            }
            settle(mainQueue)
            show(frame(), theme, line)
        }
        return status ?? 0
    }

    private func frame() -> Grid {
        var grid = Grid(size: size, ellipsis: ellipsis)
        _ = app.render(into: &grid)
        return grid
    }

    private func settle(_ mainQueue: Int32) {
        var last = ContinuousClock.now
        wait(
            atMost: patience,
            mainQueue,
            heard: { last = .now },
            until: { !self.app.isBusy && ContinuousClock.now - last >= self.quiet }
        )
    }

    /// Handles messages and ticks until `holds` returns true or `limit` has passed.
    private func wait(
        atMost limit: Duration,
        _ mainQueue: Int32,
        heard: () -> Void = {},
        until holds: () -> Bool
    ) {
        let end = ContinuousClock.now + limit
        var tick: ContinuousClock.Instant?
        while status == nil, ContinuousClock.now < end, !holds() {
            let ready = Int(cn_poll(-1, mailbox.wakeDescriptor, mainQueue, 10_000_000))
            if ready < 0 { return }
            if ready & CN_READY_WAKE != 0 {
                cn_wake_clear(mailbox.wakeDescriptor)
                for message in mailbox.removeAll() where status == nil { send(.message(message)) }
                heard()
            }
            if ready & CN_READY_MAIN_QUEUE != 0 { cn_main_queue_drain(mainQueue) }
            let now = ContinuousClock.now
            if let due = tick, now >= due, app.nextTick != nil {
                send(.tick)
                tick = nil
            }
            tick = tick ?? app.nextTick
        }
    }

    private func send(_ event: TerminalEvent<App.Message>) {
        for command in app.handle(event) where status == nil {
            switch command {
            case .quit(let asked): status = asked
            case .use(let theme): self.theme = theme
            case .run: send(.programEnded(status: 127))
            case .suspend, .reportMouse, .redraw, .copy: break
            }
        }
    }
}
