/// A command of a workspace, whose output is a value.
package struct ShellCommand: Sendable, Hashable {
    /// What `sh -c` gets.
    package let text: String
    /// The folder that it runs in, which is that of its file.
    package let folder: String

    /// The most bytes that a value may have; no server accepts a longer credential.
    private static let maximumOutput = 64 << 10

    /// Makes a command.
    package init(_ text: String, in folder: String) {
        (self.text, self.folder) = (text, folder)
    }

    /// Runs it without a terminal and with nothing to read, and returns what it wrote, without the line's end.
    ///
    /// The caller must know that it is trusted. Cancelling the task kills it with all that it started.
    ///
    /// - Throws: `ShellCommandError`, unless it exits with 0 in time and writes a text.
    package func output(within limit: Duration) async throws(ShellCommandError) -> String {
        let outcome = await ShellProcess.run(
            text,
            on: .bytes([]),
            in: folder,
            limits: .init(duration: limit, output: Self.maximumOutput)
        )
        func error(_ problem: String) -> ShellCommandError {
            ShellCommandError(command: text, problem: problem, errors: outcome.errors)
        }
        if let problem = outcome.ending.problem { throw error(problem) }
        guard var text = String(validating: outcome.output, as: UTF8.self) else {
            throw error("it did not write UTF-8")
        }
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw error("it wrote nothing") }
        return text
    }
}

/// Why a command of a workspace gave no value.
package struct ShellCommandError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What `sh -c` got.
    package let command: String
    /// What went wrong, in a few words.
    package let problem: String
    /// The first part of what it wrote to its standard error.
    package let errors: String

    /// The command, what went wrong, and the first line of its errors.
    package var description: String {
        let line = errors.split(whereSeparator: \.isNewline).first.map { $0.prefix(200) }
        return ["`\(command)`", problem, line.map(String.init)].compactMap(\.self)
            .joined(separator: ": ")
    }
}
