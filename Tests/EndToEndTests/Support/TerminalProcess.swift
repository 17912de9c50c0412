import CTerminalHarness
import Glibc

/// A program on a pseudo-terminal whose screen can be read cell by cell.
///
/// It runs in a session and with files of its own. Nothing here sleeps: every wait reads the
/// pseudo-terminal until what is waited for shows in a whole frame, and throws with the whole
/// screen if it does not. What still runs when the last reference goes is killed.
final class TerminalProcess {
    let files: PrivateFiles
    private(set) var rows: Int
    private(set) var columns: Int
    private let arguments: [String]
    private let harness: OpaquePointer

    /// Starts a program by its path, in `folder` or else in its own home folder.
    init(
        rows: Int = 24,
        columns: Int = 80,
        arguments: [String],
        environment: [String: String] = [:],
        files: PrivateFiles? = nil,
        folder: String? = nil
    ) throws {
        let files = files ?? PrivateFiles()
        self.files = files
        self.rows = rows
        self.columns = columns
        self.arguments = arguments
        let variables = files.environment.merging(environment) { _, given in given }
        let started = withCStrings(arguments) { arguments in
            withCStrings(variables.map { "\($0)=\($1)" }) { variables in
                harness_start(
                    arguments,
                    variables,
                    folder ?? files.home,
                    Int32(rows),
                    Int32(columns)
                )
            }
        }
        guard let started else { throw NoTerminal(errno: errno) }
        harness = started
    }

    deinit { harness_free(harness) }

    // MARK: Doing

    /// Types text, as it is.
    func send(_ text: String) throws {
        let bytes = text.utf8.map(CChar.init(bitPattern:))
        if harness_write(harness, bytes, bytes.count) != 0 {
            throw failure("the program to read what is typed", .seconds(5))
        }
    }

    /// Presses keys, one after the other.
    func send(_ keys: TypedKey...) throws {
        for key in keys { try send(key.bytes) }
    }

    func resize(rows: Int, columns: Int) {
        self.rows = rows
        self.columns = columns
        harness_resize(harness, Int32(rows), Int32(columns))
    }

    /// Tells the program a size that the screen does not have.
    func claimSize(rows: Int, columns: Int) {
        harness_claim_size(harness, Int32(rows), Int32(columns))
    }

    func signal(_ number: Int32) { _ = harness_signal(harness, number) }

    // MARK: Waiting

    /// Waits until a text shows somewhere on the screen.
    func waitFor(_ text: String, within limit: Duration = .seconds(10)) throws {
        try waitUntil("\"\(text)\" to show", within: limit) { $0.shows(text) }
    }

    /// Waits until a text shows nowhere on the screen.
    func waitUntilGone(_ text: String, within limit: Duration = .seconds(10)) throws {
        try waitUntil("\"\(text)\" to go", within: limit) { !$0.shows(text) }
    }

    /// Waits until something holds; `wanted` ends "waited for …" if it never does.
    func waitUntil(
        _ wanted: String,
        within limit: Duration = .seconds(10),
        _ holds: (TerminalProcess) -> Bool
    ) throws {
        let clock = ContinuousClock()
        var deadline = clock.now + limit
        var hasEnded = false
        while harness_is_mid_frame(harness) != 0 || !holds(self) {
            guard clock.now < deadline else { throw failure(wanted, limit) }
            // A program that has ended says no more; its guardian may for a moment.
            if harness_pump(harness, 20) == 0, !hasEnded {
                hasEnded = true
                deadline = min(deadline, clock.now + .seconds(2))
            }
        }
    }

    /// Waits until the program has ended and everything it wrote is on the screen.
    @discardableResult
    func waitForExit(within limit: Duration = .seconds(10)) throws -> EndStatus {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while harness_pump(harness, 20) != 0 {
            guard clock.now < deadline else { throw failure("the program to end", limit) }
        }
        guard let endStatus else { throw failure("the program to end", limit) }
        return endStatus
    }

    /// Waits until something holds, and takes in no output meanwhile.
    func waitWithoutReading(
        _ wanted: String,
        within limit: Duration = .seconds(30),
        until holds: (TerminalProcess) -> Bool
    ) throws {
        let deadline = ContinuousClock.now + limit
        while !holds(self) {
            guard ContinuousClock.now < deadline else { throw failure(wanted, limit) }
            _ = poll(nil, 0, 10)
        }
    }

    /// How many bytes of output wait to be taken in: 4,095 are as many as a terminal has room for.
    var unreadCount: Int { Int(harness_unread(harness)) }

    /// Takes in output for that long and gives the number of bytes that came.
    func bytesWritten(during duration: Duration) -> Int {
        let clock = ContinuousClock()
        let deadline = clock.now + duration
        let before = harness_bytes_received(harness)
        while clock.now < deadline { _ = harness_pump(harness, 20) }
        return harness_bytes_received(harness) - before
    }

    // MARK: Looking

    /// What the program said about images, line by line, without their pixels.
    var imageWords: String { String(cString: harness_image_words(harness)) }

    /// The rows of text, without the blanks at their ends.
    var screen: [String] { (0..<rows).map(row) }

    func row(_ index: Int) -> String {
        var text = ""
        for column in 0..<columns {
            let cell = cell(row: index, column: column)
            if cell.width > 0 { text += cell.text.isEmpty ? " " : cell.text }
        }
        while text.last == " " { text.removeLast() }
        return text
    }

    func cell(row: Int, column: Int) -> TerminalCell {
        var found = harness_cell()
        _ = harness_cell_at(harness, Int32(row), Int32(column), &found)
        return TerminalCell(found)
    }

    func shows(_ text: String) -> Bool { screen.contains { $0.contains(text) } }

    /// The first row that holds a text.
    func rowShowing(_ text: String) -> Int? { screen.firstIndex { $0.contains(text) } }

    var cursor: (row: Int, column: Int) {
        var row: Int32 = 0
        var column: Int32 = 0
        var isVisible: Int32 = 0
        harness_cursor(harness, &row, &column, &isVisible)
        return (Int(row), Int(column))
    }

    var cursorIsVisible: Bool {
        var row: Int32 = 0
        var column: Int32 = 0
        var isVisible: Int32 = 0
        harness_cursor(harness, &row, &column, &isVisible)
        return isVisible != 0
    }

    var isOnAlternateScreen: Bool { harness_is_alternate(harness) != 0 }
    var mouseIsReported: Bool { harness_mouse_mode(harness) != 0 }
    var isStopped: Bool { harness_is_stopped(harness) != 0 }
    var processID: pid_t { harness_pid(harness) }
    var terminalModes: TerminalModes? { TerminalModes(harness) }

    /// How the program ended; nil while it runs.
    var endStatus: EndStatus? {
        var code: Int32 = 0
        var signal: Int32 = 0
        guard harness_has_ended(harness, &code, &signal) != 0 else { return nil }
        return signal == 0 ? .exited(code) : .killed(by: signal)
    }

    private func failure(_ wanted: String, _ limit: Duration) -> WaitFailure {
        WaitFailure(
            wanted: wanted,
            limit: limit,
            program: arguments.joined(separator: " "),
            endStatus: endStatus,
            rows: rows,
            columns: columns,
            screen: screen
        )
    }
}
