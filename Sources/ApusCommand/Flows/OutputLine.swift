import Documents
import Terminal

/// Lines of results, each written as it comes.
enum OutputLine {
    /// Writes a line of text; what a server says in it does no harm to a terminal.
    static func print(_ text: String) throws {
        try write(Array(Sanitizer.clean(text).replacing("\n", with: " ").utf8))
    }

    /// Writes an object as a line of JSON.
    static func print(_ members: AnswerJSON.Members) throws {
        try write(try JSON(members: members).bytes())
    }

    private static func write(_ line: [UInt8]) throws {
        var output = StandardOutput()
        try output.write(line + [0x0A])
        try output.flush()
    }
}
