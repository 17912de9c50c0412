import Apus
import Documents
import Workspaces

/// Sends a body, or a value of it, through a command that a shell runs.
enum FilterProcess {
    /// Runs a command and waits for its end; cancelling kills it and all its processes.
    static func run(
        _ command: String,
        on input: FilterInput,
        limits: ShellProcess.Limits = .init()
    ) async -> BodyFilter.Outcome {
        let outcome = await ShellProcess.run(command, on: input.source, limits: limits)
        return BodyFilter.Outcome(
            command: command,
            ending: outcome.ending,
            output: outcome.output,
            errors: outcome.errors
        )
    }
}

/// The input of a command.
enum FilterInput: Sendable {
    case body(ResponseBody)
    case value(Document, NodeIndex)

    fileprivate var source: ShellProcess.Input {
        switch self {
        case .body(.bytes(let bytes)): .bytes(bytes)
        case .body(.file(let file)): .file(file.path)
        case .value(let document, let node): .bytes(Array(document.sourceText(of: node).utf8))
        }
    }
}
