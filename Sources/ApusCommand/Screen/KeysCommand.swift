import ArgumentParser
import Explorer

/// `apus keys`: the keys and their names.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        _superCommandName: "apus",
        abstract: "Print the explorer's keys in the form of a keys.yaml."
    )

    func run() throws {
        try StandardOutput.print(KeyFile.text)
    }
}
