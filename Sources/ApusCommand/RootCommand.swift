import ArgumentParser
import CLazyCurl
import DemoAPI

/// `apus`: opens a workspace, or runs the named command.
struct RootCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "Explore HTTP APIs in the terminal.",
        discussion: """
            `apus FILE` opens a workspace: a *.apus.yaml file, or a folder of them. Without FILE \
            it opens the one in this folder. New here? Try `apus demo`. Files of OpenAPI, Postman, Insomnia, Bruno, .http, hurl \
            and HAR open, too (`apus help import`), and `apus export` writes targets for other programs.

            `apus help COMMAND` explains a command, its JSON and its exit status. `apus help workspace` explains the \
            format of a workspace, `apus help keys` the keys of the explorer, `apus help ci` checks on every push, `apus help sharing` a cache for a team, `apus help files` where files are, and \
            `apus help security` what holds when you trust nobody. \
            `apus --generate-completion-script bash` (or zsh, fish) prints completions for a shell, `apus help --man FOLDER` writes manual pages; `make install` installs both.
            """,
        version: Version.text,
        subcommands: [
            OpenCommand.self, DemoCommand.self, InitCommand.self, CheckCommand.self,
            ListCommand.self, ImportCommand.self, ExportCommand.self, SchemaCommand.self,
            ViewCommand.self,
            QueryCommand.self,
            DiffCommand.self, FormatCommand.self, KeysCommand.self, SendCommand.self,
            BatchCommand.self, WorkCommand.self,
            ChainCommand.self, RunCommand.self, SessionsCommand.self, WatchCommand.self,
            ReplayCommand.self,
            ServeCommand.self,
            ProxyCommand.self, CacheCommand.self, PipeCommand.self, SignInCommand.self,
            SignOutCommand.self,
        ],
        defaultSubcommand: OpenCommand.self
    )
}

extension RootCommand {
    /// What messages begin with.
    static var _errorPrefix: String { "apus: " }

    /// Runs the command that the arguments name.
    static func run(_ arguments: [String]) throws {
        if arguments.first == "help",
            let text = try HelpTopics.text(for: Array(arguments.dropFirst()))
        {
            return try StandardOutput.print(text)
        }
        if arguments.first == "help", arguments.count == 3, arguments[1] == "--man" {
            return try ManualPages.write(to: arguments[2])
        }
        // `apus GET URL`, as HTTPie has it.
        if let method = arguments.first, arguments.count > 1, CommandWords.isMethod(method) {
            return try run(["send"] + arguments)
        }
        try CommandWords.check(arguments)
        // Without options there is nothing to parse, and swift-argument-parser would spend a fifth of the time
        // to the first frame on collecting the options that exist.
        let word = arguments.first
        if arguments.count < 2, word?.hasPrefix("-") != true, word != "open" {
            let command = subcommand(of: arguments)
            if command is OpenCommand.Type { return try OpenCommand.open(word, ExplorerOpening()) }
            if command is DemoCommand.Type {
                return try DemoCommand.open(DemoServer(), ExplorerOpening())
            }
        }
        var command = try command(of: arguments)
        do {
            try command.run()
        } catch let error as ValidationError {
            throw UsageError(error.message, of: type(of: command))
        }
    }

    /// Parses the arguments.
    ///
    /// Parsing a command on its own takes half the time of parsing it as one of all commands, if it sets
    /// `_superCommandName`, which turns off completion scripts. If that fails, all commands are parsed, so that
    /// help and errors are those of the whole program.
    private static func command(of arguments: [String]) throws -> any ParsableCommand {
        if let command = subcommand(of: arguments) {
            // Loading libcurl takes as long as parsing the arguments, so it runs meanwhile.
            if senders.contains(where: { $0 == command }) { lazy_curl_begin_loading() }
            let isNamed = command.configuration.commandName == arguments.first
            let own = isNamed ? Array(arguments.dropFirst()) : arguments
            if let read = try? command.parseAsRoot(own), type(of: read) == command { return read }
        }
        return try parseAsRoot(arguments)
    }

    /// The commands that send requests.
    private static let senders: [any ParsableCommand.Type] = [
        SendCommand.self, BatchCommand.self, ChainCommand.self, PipeCommand.self,
        ReplayCommand.self, RunCommand.self,
        SignInCommand.self,
    ]

    /// The named or the default command; nil for options, help and commands with subcommands.
    private static func subcommand(of arguments: [String]) -> (any ParsableCommand.Type)? {
        guard let first = arguments.first else { return configuration.defaultSubcommand }
        guard !first.hasPrefix("-"), first != "help" else { return nil }
        let named = configuration.subcommands.first { $0.configuration.commandName == first }
        guard let named else { return configuration.defaultSubcommand }
        return named.configuration.subcommands.isEmpty ? named : nil
    }
}

/// The program's version, for `apus --version` and HAR files.
enum Version {
    static let text = "0.1.0"
}
