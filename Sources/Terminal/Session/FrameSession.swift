import CNcurses
import Dispatch

/// Runs an app without a terminal: what is typed comes from a script, frames go to whoever asked.
///
/// A frame is drawn when the app has settled: it says that it is not busy, and for a moment no message
/// has come. What it asks of a terminal (to copy, to suspend, to run an editor) it does not get.
@MainActor
package final class FrameSession<App: TerminalApp> {
    private let app: App
    private let mailbox: Mailbox<App.Message>
    private var size: Size
    private let ellipsis: Unicode.Scalar
    private var theme: Theme
    private var status: Int32?

    /// How long nothing must come for a screen to be at rest.
    private let quiet = Duration.milliseconds(100)
    /// What never comes to rest, such as a stream, is drawn after this.
    private let patience: Duration

    /// Makes a session of a screen of this size.
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

    /// Plays a script; a frame is shown at first and after each of its lines.
    ///
    /// Returns the status that the app quits with, and 0 if it does not. Call it on the main thread.
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

    /// Takes in what comes until something holds.
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
                for message in mailbox.take() where status == nil { send(.message(message)) }
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

/// What is typed into an app without a terminal, line by line.
///
///     # what follows a hash and a blank is a remark
///     j j enter            keys, by the names that keys.yaml has
///     / "show user" enter  a text in quotes is typed; \" \\ and \n stand for a quote, a backslash and enter
///     paste:"curl …"       a text that is pasted
///     size:80x24           another size of the screen
///     wait:2s              time passes: 500ms, 2s
package struct KeyScript: Sendable {
    /// What is done at once.
    package enum Step: Hashable, Sendable {
        /// A key.
        case key(Key)
        /// Text, character by character.
        case text(String)
        /// Text in one piece.
        case paste(String)
        /// The screen has this size from now on.
        case size(Size)
        /// Time passes.
        case pause(Duration)
    }

    /// A line, after which there is a frame.
    package struct Line: Hashable, Sendable {
        /// Its number in the file, from 1.
        package let number: Int
        /// As it is written.
        package let text: String
        /// What it says.
        package let steps: [Step]
    }

    /// Why a script cannot be read.
    package struct Fault: Error, Hashable, Sendable {
        /// The line, from 1.
        package let line: Int
        /// What is wrong with it.
        package let problem: String
    }

    /// The lines that say something.
    package let lines: [Line]

    /// Reads a script.
    package init(_ text: String) throws(Fault) {
        var lines: [Line] = []
        let all = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, raw) in all.enumerated() {
            let line = raw.trimming(" \t\r")
            guard !line.isEmpty, line != "#", !line.hasPrefix("# ") else { continue }
            do throws(WordFault) {
                let steps = try Self.steps(of: line)
                lines.append(Line(number: index + 1, text: String(line), steps: steps))
            } catch {
                throw Fault(line: index + 1, problem: error.problem)
            }
        }
        self.lines = lines
    }

    /// A size as people write it: `120x36`; nil if it is none.
    package static func size(_ text: some StringProtocol) -> Size? {
        let parts = text.split(separator: "x").map { Int($0) }
        guard parts.count == 2, let columns = parts[0], let rows = parts[1],
            (1...1000).contains(columns), (1...1000).contains(rows)
        else { return nil }
        return Size(columns: columns, rows: rows)
    }

    private struct WordFault: Error {
        var problem: String
    }

    private static func steps(of line: Substring) throws(WordFault) -> [Step] {
        var steps: [Step] = []
        var rest = line
        while let first = rest.first {
            if first == " " || first == "\t" {
                rest.removeFirst()
            } else if first == "\"", rest.count > 1 {
                steps.append(.text(try quoted(&rest)))
            } else if rest.hasPrefix("paste:\"") {
                rest.removeFirst("paste:".count)
                steps.append(.paste(try quoted(&rest)))
            } else {
                let word = rest.prefix { $0 != " " && $0 != "\t" }
                rest = rest[word.endIndex...]
                steps.append(try step(word))
            }
        }
        return steps
    }

    private static func step(_ word: Substring) throws(WordFault) -> Step {
        if let key = Key(String(word)) { return .key(key) }
        let parts = word.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0] == "size", let size = size(parts[1]) { return .size(size) }
        if parts.count == 2, parts[0] == "wait", let pause = duration(parts[1]) {
            return .pause(pause)
        }
        throw WordFault(
            problem: "\"\(word)\" is not a key; a text to be typed stands in quotes, and there are "
                + "size:80x24, wait:500ms and paste:\"text\""
        )
    }

    /// At most a minute.
    private static func duration(_ text: Substring) -> Duration? {
        let isMilliseconds = text.hasSuffix("ms")
        guard text.hasSuffix("s"), let number = Int(text.dropLast(isMilliseconds ? 2 : 1)),
            number >= 0, number <= (isMilliseconds ? 60_000 : 60)
        else { return nil }
        return isMilliseconds ? .milliseconds(number) : .seconds(number)
    }

    private static func quoted(_ rest: inout Substring) throws(WordFault) -> String {
        var text = ""
        rest.removeFirst()
        while let next = rest.popFirst() {
            if next == "\"" { return text }
            guard next == "\\" else {
                text.append(next)
                continue
            }
            switch rest.popFirst() {
            case "n": text.append("\n")
            case let escaped?: text.append(escaped)
            case nil: break
            }
        }
        throw WordFault(problem: "a quote is not closed")
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        var text = self
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text
    }
}
