import Documents

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
        let cancellation = LateCancellation()
        try object.writeLine {
            try cancellation.check()
            try output.write($0)
        }
        try output.flush()
    }
}
