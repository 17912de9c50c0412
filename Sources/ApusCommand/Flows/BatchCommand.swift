import Apus
import ArgumentParser
import Workspaces

/// `apus batch NAME`: targets of a workspace, side by side.
struct BatchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        _superCommandName: "apus",
        abstract: "Send a workspace's batch, and print each result as it comes.",
        discussion: """
            A line is the place in the batch, the status, the time and the request. How far it is \
            shows on standard error when that is a terminal.

            --json prints a line of JSON for each result: version (1), index (from 0), request \
            {method, url}, and the members of an answer (apus help send) or error {code, reason, \
            message}; and at the end one with version and summary {total, succeeded, failed, \
            notSent, milliseconds}.

            Example: apus batch 'Warm the cache' --workspace demo.apus.yaml --concurrency 50

            Exit status: 0 all have an answer that their targets accept, 1 some have not, \
            2 usage or input, 130 interrupted.
            """
    )

    @Argument(help: "The batch's name.")
    var name: String

    @OptionGroup var workspace: WorkspaceOptions

    @Option(help: "How many are under way at once. Default: as the workspace says.")
    var concurrency: Int?

    @Flag(help: "Let the first failure end all.")
    var all = false

    @Option(help: "Where answers come from. Default: as the workspace says.")
    var source: SourceWord?

    @Flag(help: "Print lines of JSON.")
    var json = false

    func validate() throws {
        if let concurrency, !(1...100_000).contains(concurrency) {
            throw ValidationError("--concurrency takes 1 to 100000.")
        }
    }

    func run() throws {
        let workspace = try workspace.load()
        var order: BatchOrder
        do throws(WorkspaceFault) {
            order = try workspace.batch(named: name)
        } catch {
            throw CommandFailure(error.description)
        }
        order.concurrency = concurrency ?? order.concurrency
        if all { order.mode = .all }
        order.source = source?.source ?? order.source
        let sending = BatchSending(order: order, isJSON: json)
        try CommandRun.untilEnd { try await sending.run() }
    }
}
