import ArgumentParser
import Explorer

/// `apus keys`: the keys and their names.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        _superCommandName: "apus",
        abstract: "Print the keys of the explorer, as a file of one's own keys has them."
    )

    func run() throws {
        try StandardOutput.print(KeyFile.text)
    }
}
