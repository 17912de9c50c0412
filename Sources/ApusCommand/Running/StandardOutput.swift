import Apus
import ArgumentParser
import Documents
import Glibc
import Terminal

/// The program's output, or a file's, gathered into large writes.
///
/// A file or a pipe gets the bytes as they are. What goes to a terminal passes `TerminalGate`.
struct StandardOutput: ~Copyable {
    /// What is written, which says how a terminal gets it.
    enum Content {
        /// Text for people: what a terminal would obey is shown as symbols.
        case text
        /// JSON: what a terminal would obey is escaped.
        case json
        /// Bytes that are promised as they are: what a terminal would obey is refused, unless `force`.
        case bytes(force: Bool)
    }

    private static let capacity = 256 << 10
    private var pending: [UInt8] = []
    /// Nil when the output is not a terminal, or `force` is set.
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

    /// Whether somebody looks at it on a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether colours are wanted: on a terminal, unless `NO_COLOR` is set to something.
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

    /// Writes an object in a line, or lines of text.
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

    /// Writes bytes, sooner or later.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard gate != nil else { return try put(bytes) }
        var shown: [UInt8] = []
        gate?.pass(bytes, into: &shown)
        try putShown(shown)
    }

    /// Writes a sequence of the program's own, such as a colour, which passes no gate.
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
            throw CommandFailure(
                "\(name) would contain control or invisible characters: "
                    + "send it to a file or a pipe, or print it with --force"
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

    /// Writes bytes, sooner or later.
    mutating func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }

    /// Writes text, sooner or later.
    mutating func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes what is still pending: the last call, unless more follows.
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
        guard code == 0 else { throw CommandFailure(writing: name, code) }
    }
}

/// Lines of results, each written as it comes.
enum OutputLine {
    /// Writes a line of text that has no other line end: what a server says forges no line.
    static func print(_ text: String) throws {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        try StandardOutput.print(line)
    }

    /// Writes an object as a line of JSON.
    static func print(_ members: AnswerJSON.Members) throws { try print(AnswerObject(members)) }

    /// Writes an object as a line of JSON, its bodies as they are read.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it is written.
    static func print(_ object: AnswerObject) throws {
        var output = StandardOutput(.json)
        let cancellation = CancellationCheck()
        try object.writeLine {
            try cancellation.check()
            try output.write($0)
        }
        try output.flush()
    }
}

/// A line on standard error that is drawn again and again; nothing when that is no terminal.
struct ProgressLine {
    private static let interval = Duration.milliseconds(80)

    private let isShown = StandardError.isTerminal
    private var drawn: ContinuousClock.Instant?

    /// Draws the text, unless the last one is too young.
    mutating func draw(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < Self.interval { return }
        drawn = now
        StandardError.redrawLine(text())
    }

    /// Takes the line away, so that something else can be written.
    mutating func clear() {
        guard isShown, drawn != nil else { return }
        drawn = nil
        StandardError.redrawLine()
    }
}

/// Copies a file in pieces.
enum FileCopy {
    private static let pieceSize = 1 << 18

    /// Writes all bytes of an answer's body, those of a file as they are read.
    ///
    /// - Throws: `CommandFailure`; `ApusError` with the reason `.file` if the file cannot be read, or
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

    /// Writes what is left of a descriptor, each piece as it comes.
    ///
    /// - Throws: `CommandFailure`; `CancellationError` if the task is cancelled meanwhile.
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
            guard count >= 0 else { throw CommandFailure("\(name): \(systemMessage(errno))") }
            try buffer.withUnsafeBytes {
                try output.write(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            try output.flush(more: count > 0)
            if count == 0 { return }
        }
    }
}
