import Documents

/// Lines of results, each written as it comes.
enum OutputLine {
    /// Writes a line of text that has no other line end: what a server says forges no line.
    static func print(_ text: String) throws {
        let line = String(text.map { $0.isNewline ? " " : $0 })
        try write(Array(line.utf8), .text)
    }

    /// Writes an object as a line of JSON.
    static func print(_ members: AnswerJSON.Members) throws {
        try write(try JSON(members: members).bytes(), .json)
    }

    private static func write(_ line: [UInt8], _ content: StandardOutput.Content) throws {
        var output = StandardOutput(content)
        try output.write(line + [0x0A])
        try output.flush()
    }
}
