import Apus
import ArgumentParser
import Documents
import Glibc
import Terminal

/// Buffered output to standard output or to a file.
///
/// A file or a pipe gets the bytes unchanged. For a terminal they pass through `TerminalGate`.
struct StandardOutput: ~Copyable {
    /// The kind of content, which decides how a terminal shows it.
    enum Content {
        /// Text for people. A terminal shows control characters as symbols.
        case text
        /// JSON. On a terminal, control characters are escaped.
        case json
        /// Bytes that must not change. On a terminal, control characters are an error, unless `force`.
        case bytes(force: Bool)
    }

    private static let capacity = 256 << 10
    private var pending: [UInt8] = []
    /// Nil if the output is not a terminal, or `force` is set.
    private var gate: TerminalGate?
    private let refusesChanges: Bool
    private let descriptor: Int32
    private let name: String

    /// Writes to standard output, or to a descriptor that messages call `name`.
    init(
        _ content: Content = .text,
        descriptor: Int32 = STDOUT_FILENO,
        name: String = "standard output"
    ) {
        self.descriptor = descriptor
        self.name = name
        let isTerminal = isatty(descriptor) == 1
        switch content {
        case .text: (gate, refusesChanges) = (isTerminal ? TerminalGate(.text) : nil, false)
        case .json: (gate, refusesChanges) = (isTerminal ? TerminalGate(.json) : nil, false)
        case .bytes(let force):
            (gate, refusesChanges) = (isTerminal && !force ? TerminalGate(.text) : nil, true)
        }
    }

    /// Whether standard output is a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether to use colors: on a terminal, unless it is `dumb` or `NO_COLOR` is not empty.
    static var wantsColor: Bool {
        guard isTerminal, getenv("TERM").map({ String(cString: $0) }) != "dumb" else {
            return false
        }
        return getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
    }

    /// Writes a text and a line end to standard output.
    static func print(_ text: String) throws {
        var output = StandardOutput(.text)
        try output.write(text + "\n")
        try output.flush()
    }

    /// Writes JSON as one line, or lines of text.
    static func print(
        asJSON isJSON: Bool,
        _ json: @autoclosure () -> JSON,
        or lines: @autoclosure () -> [String]
    ) throws {
        var output = StandardOutput(isJSON ? .json : .text)
        if isJSON {
            try output.write(try json().bytes() + [0x0A])
        } else {
            for line in lines() { try output.write(line + "\n") }
        }
        try output.flush()
    }

    /// Adds bytes to the buffer, which is written when it is full.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard gate != nil else { return try put(bytes) }
        var shown: [UInt8] = []
        gate?.pass(bytes, into: &shown)
        try putShown(shown)
    }

    /// Adds an escape sequence of the program's own, such as a color, past the gate.
    mutating func write(ownSequence: StaticString) throws {
        try put(
            UnsafeRawBufferPointer(
                start: ownSequence.utf8Start,
                count: ownSequence.utf8CodeUnitCount
            )
        )
    }

    private mutating func putShown(_ shown: [UInt8]) throws {
        if refusesChanges, gate?.isUnchanged == false {
            throw CommandError(
                "\(name) would contain control or invisible characters; "
                    + "redirect it to a file or a pipe, or use --force"
            )
        }
        try shown.withUnsafeBytes { try put($0) }
    }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) throws {
        guard pending.count + bytes.count > Self.capacity else {
            pending.append(contentsOf: bytes)
            return
        }
        try writePending()
        if bytes.count > Self.capacity {
            try writeNow(bytes)
        } else {
            pending.append(contentsOf: bytes)
        }
    }

    /// Adds bytes to the buffer.
    mutating func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }

    /// Adds text to the buffer.
    mutating func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes the buffer; must be the last call, unless `more` is true.
    mutating func flush(more: Bool = false) throws {
        if gate != nil, !more {
            var rest: [UInt8] = []
            gate?.finish(into: &rest)
            try putShown(rest)
        }
        try writePending()
    }

    private mutating func writePending() throws {
        defer { pending.removeAll(keepingCapacity: true) }
        try pending.withUnsafeBytes { try writeNow($0) }
    }

    private func writeNow(_ bytes: UnsafeRawBufferPointer) throws {
        let code = DescriptorWrite.all(bytes, to: descriptor)
        guard code == 0 else { throw CommandError(writing: name, code) }
    }
}

/// Lines of results, each written at once.
enum OutputLine {
    /// Writes one line of text; line ends in it become spaces.
    static func print(_ text: String) throws {
        try StandardOutput.print(text.inOneLine)
    }

    /// Writes an object as a line of JSON.
    static func print(_ members: ResponseJSON.Members) throws { try print(ResponseObject(members)) }

    /// Writes an object as a line of JSON, reading its bodies in pieces.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it is written.
    static func print(_ object: ResponseObject) throws {
        var output = StandardOutput(.json)
        let cancellation = CancellationCheck()
        try object.writeLine {
            try cancellation.check()
            try output.write($0)
        }
        try output.flush()
    }
}

/// Lines with aligned columns.
enum AlignedColumns {
    /// One line per row, with its end appended unpadded; line ends within it become spaces.
    static func lines(_ rows: [[String]], endingWith ends: [String]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return zip(rows, ends).map { row, end in
            var line = ""
            var gap = 0
            for (cell, width) in zip(row, widths) + [(end, end.count)] where width > 0 {
                // Nothing after the last cell that has something.
                if !cell.isEmpty { line += String(repeating: " ", count: gap) + cell }
                gap = (cell.isEmpty ? gap + width : width - cell.count) + 2
            }
            return line.inOneLine
        }
    }
}

extension String {
    /// The text with spaces for line ends, so that a server cannot fake a line.
    var inOneLine: String {
        // The bytes of most texts say that there is nothing to change.
        let isPlain = utf8.allSatisfy { (0x20..<0x80).contains($0) }
        return isPlain ? self : String(self.map { $0.isNewline ? " " : $0 })
    }
}

/// A progress line on standard error, redrawn in place; not shown if that is not a terminal.
struct ProgressLine {
    private static let interval = Duration.milliseconds(80)

    private let isShown = StandardError.isTerminal
    private var drawn: ContinuousClock.Instant?

    /// Draws the text, at most once per `interval`.
    mutating func draw(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < Self.interval { return }
        drawn = now
        StandardError.redrawLine(text())
    }

    /// Erases the line, so that something else can be written.
    mutating func clear() {
        guard isShown, drawn != nil else { return }
        drawn = nil
        StandardError.redrawLine()
    }
}

/// Copies bodies and files in pieces.
enum FileCopy {
    private static let pieceSize = 1 << 18

    /// Writes all bytes of a response's body, reading a file in pieces.
    ///
    /// - Throws: `CommandError`; `ApusError` with the reason `.file` if the file cannot be read, or
    ///   at its end if it is damaged; `CancellationError` if the task is cancelled meanwhile.
    static func copy(_ body: ResponseBody, to output: inout StandardOutput) throws {
        if case .bytes(let bytes) = body { return try output.write(bytes) }
        let cancellation = CancellationCheck()
        try body.forEachPiece(of: pieceSize) { piece in
            try cancellation.check()
            try output.write(piece)
            try output.flush(more: true)
        }
    }

    /// Copies a descriptor to its end, writing each piece at once.
    ///
    /// - Throws: `CommandError`; `CancellationError` if the task is cancelled meanwhile.
    static func copy(
        _ descriptor: Int32,
        named name: String,
        to output: inout StandardOutput
    ) throws {
        var buffer = [UInt8](repeating: 0, count: pieceSize)
        let cancellation = CancellationCheck()
        while true {
            try cancellation.check()
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandError("\(name): \(systemMessage(errno))") }
            try buffer.withUnsafeBytes {
                try output.write(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            try output.flush(more: count > 0)
            if count == 0 { return }
        }
    }
}
