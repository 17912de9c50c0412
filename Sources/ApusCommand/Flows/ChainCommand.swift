import Apus
import ArgumentParser
import Workspaces

/// `apus chain NAME`: targets of a workspace, each with what those before it brought.
struct ChainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chain",
        _superCommandName: "apus",
        abstract: "Run a workspace's chain, and print each step as it ends.",
        discussion: """
            A line is the step, how it ended, the status, the time and what was captured. Steps \
            that do not need each other run side by side. How far it is shows on standard error \
            when that is a terminal. What was captured as a token, password or the like is masked, \
            by its name or the name that it has in the answer; --resume keeps it whole.

            --json prints a line of JSON for each step: version (1), step, index, outcome (done, \
            restored, failed, skipped or cancelled), reason (unless done), captures {name: value}, \
            answers [{status, reason, headers, body …} or {error}, …] (one, or one for each element \
            of forEach), milliseconds; and at the end one with version and summary {ending, total, \
            done, failed, skipped, milliseconds}.

            Examples:
              apus chain 'Sign up' --workspace demo.apus.yaml
              apus chain 'Sign up' --resume signup.state --from verify

            Exit status: 0 all steps are done or rightly skipped, 1 a step failed, 2 usage or \
            input, 23 out of time, 130 interrupted.
            """
    )

    @Argument(help: "The chain's name.")
    var name: String

    @OptionGroup var workspace: WorkspaceOptions

    @Option(
        help: ArgumentHelp(
            """
            Go on from what this file says is done, and write to it what then is. It holds what was \
            captured, secrets too.
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var resume: String?

    @Option(
        help: ArgumentHelp(
            "With --resume: send this step, and all that need it, again.",
            valueName: "step"
        )
    )
    var from: String?

    @Option(help: "Where answers come from. Default: as the workspace says.")
    var source: SourceWord?

    @Flag(help: "Draw the chain and send nothing.")
    var draw = false

    @Flag(help: "Print lines of JSON.")
    var json = false

    func validate() throws {
        if from != nil, resume == nil { throw ValidationError("--from goes with --resume.") }
    }

    func run() throws {
        let workspace = try workspace.load()
        var graph: ChainGraph
        do throws(WorkspaceFault) {
            graph = try workspace.chain(named: name)
        } catch {
            throw CommandFailure(error.description)
        }
        if let source { graph.source = source.source }
        if draw { return try StandardOutput.print(graph.drawing) }
        let names = graph.plan.steps.map(\.name)
        if let from, !names.contains(from) {
            throw CommandFailure(WorkspaceFault(named: from, kind: "step", among: names).line)
        }
        let sending = ChainSending(
            graph: graph,
            file: resume.map { ChainStateFile(path: $0) },
            state: try resume.flatMap { try ChainStateFile(path: $0).read(forgetting: from) },
            isJSON: json
        )
        try CommandRun.untilEnd { try await sending.run() }
    }
}
