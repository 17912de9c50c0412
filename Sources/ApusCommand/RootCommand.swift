import ArgumentParser

/// `apus`: opens a workspace, or runs the command that is named.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "Explore HTTP APIs in the terminal.",
        discussion: """
            apus FILE opens a workspace (*.apus.yaml, or a folder of them); without FILE, the \
            one in this folder. New here? Try `apus demo`.
            """,
        version: Version.text,
        subcommands: [
            OpenCommand.self, DemoCommand.self, ViewCommand.self, QueryCommand.self,
            DiffCommand.self, FormatCommand.self, SendCommand.self, CacheCommand.self,
            PipeCommand.self,
        ],
        defaultSubcommand: OpenCommand.self
    )
}
