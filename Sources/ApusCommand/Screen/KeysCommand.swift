import ArgumentParser
import Explorer

/// `apus keys`: prints the keys and their names.
struct KeysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        _superCommandName: "apus",
        abstract: "Print the explorer's key bindings in the format of keys.yaml."
    )

    func run() throws {
        try StandardOutput.print(KeyFile.text)
    }
}
