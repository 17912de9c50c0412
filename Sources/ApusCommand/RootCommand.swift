import ArgumentParser
import CLazyCurl
import DemoAPI

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
            DiffCommand.self, FormatCommand.self, KeysCommand.self, SendCommand.self,
            BatchCommand.self,
            ChainCommand.self, SessionsCommand.self, ReplayCommand.self, ServeCommand.self,
            ProxyCommand.self, CacheCommand.self, PipeCommand.self,
        ],
        defaultSubcommand: OpenCommand.self
    )
}

extension RootCommand {
    /// Does what the arguments ask for.
    static func run(_ arguments: [String]) throws {
        // Without options there is nothing to read, and swift-argument-parser takes a fifth of the time until
        // the first frame to find out which there are.
        let word = arguments.first
        if arguments.count < 2, word?.hasPrefix("-") != true, word != "open" {
            let command = subcommand(of: arguments)
            if command is OpenCommand.Type { return try OpenCommand.open(word, ExplorerOpening()) }
            if command is DemoCommand.Type {
                return try DemoCommand.open(DemoServer(), ExplorerOpening())
            }
        }
        var command = try command(of: arguments)
        try command.run()
    }

    /// The command that the arguments ask for.
    ///
    /// A command that is read by itself takes half the time of one that is read as one of
    /// all, if it says in `_superCommandName` that it makes no completion scripts; help and
    /// faults are told as those of the whole program.
    private static func command(of arguments: [String]) throws -> any ParsableCommand {
        if let command = subcommand(of: arguments) {
            // Loading it takes as long as reading the arguments does.
            if senders.contains(where: { $0 == command }) { lazy_curl_begin_loading() }
            let isNamed = command.configuration.commandName == arguments.first
            let own = isNamed ? Array(arguments.dropFirst()) : arguments
            if let read = try? command.parseAsRoot(own), type(of: read) == command { return read }
        }
        return try parseAsRoot(arguments)
    }

    /// Those that send requests whatever their arguments are.
    private static let senders: [any ParsableCommand.Type] = [
        SendCommand.self, BatchCommand.self, ChainCommand.self, PipeCommand.self,
        ReplayCommand.self,
    ]

    /// The command without commands of its own that the arguments name, or do not need to.
    private static func subcommand(of arguments: [String]) -> (any ParsableCommand.Type)? {
        guard let first = arguments.first else { return configuration.defaultSubcommand }
        guard !first.hasPrefix("-"), first != "help" else { return nil }
        let named = configuration.subcommands.first { $0.configuration.commandName == first }
        guard let named else { return configuration.defaultSubcommand }
        return named.configuration.subcommands.isEmpty ? named : nil
    }
}

/// The program's version, as `apus --version` and the `User-Agent` say it.
enum Version {
    static let text = "0.1.0"
}
