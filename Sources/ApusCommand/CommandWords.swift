import ArgumentParser
import Documents
import Glibc
import Workspaces

/// Wrong usage of a command, with its usage line.
struct UsageError: Error {
    /// What is wrong, in words; the usage is not part of it.
    let message: String
    private let command: any ParsableCommand.Type

    init(_ message: String, of command: any ParsableCommand.Type) {
        self.message = message
        self.command = command
    }

    /// The command's usage, and where its help is.
    var usage: String {
        let name = CommandWords.name(of: command)
        return "Usage: \(Self.line(of: command))\n  See 'apus \(name)--help' for more information."
    }

    private static func line(of command: any ParsableCommand.Type) -> String {
        let usage = RootCommand.usageString(for: command)
        return String(usage.trimmingPrefix("Usage: ").trimmingPrefix("USAGE: "))
    }
}

/// The words of a command line that name a command.
enum CommandWords {
    /// Checks that the first words name a command, a file or a request.
    ///
    /// - Throws: `CommandError` or `UsageError` that names the nearest command.
    static func check(_ arguments: [String]) throws {
        guard let first = arguments.first, !first.hasPrefix("-"), !first.isEmpty else { return }
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        if first == "help" { return try checkHelp(words.dropFirst()) }
        guard let command = find(first, in: RootCommand.self) else { return try checkFile(first) }
        guard words.count > 1, !command.configuration.subcommands.isEmpty, words[1] != "help",
            find(words[1], in: command) == nil
        else { return }
        throw UsageError(unknown(words[1], in: command), of: command)
    }

    /// Whether a first word is a method in capitals, before a URL or a target.
    static func isMethod(_ word: String) -> Bool {
        let letters = word.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return letters && (3...12).contains(word.utf8.count) && access(word, F_OK) != 0
    }

    /// The command's name after `apus`, and a blank; empty for the program itself.
    static func name(of command: any ParsableCommand.Type) -> String {
        for one in RootCommand.configuration.subcommands {
            let name = one.configuration.commandName ?? ""
            if one == command { return "\(name) " }
            for inner in one.configuration.subcommands where inner == command {
                return "\(name) \(inner.configuration.commandName ?? "") "
            }
        }
        return ""
    }

    private static func find(
        _ name: String,
        in command: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { $0.configuration.commandName == name }
    }

    private static func checkHelp(_ words: ArraySlice<String>) throws {
        var command: any ParsableCommand.Type = RootCommand.self
        for word in words where word != "help" {
            guard let inner = find(word, in: command) else {
                throw CommandError(
                    "\(unknown(word, in: command)) `apus help` lists the commands."
                )
            }
            command = inner
        }
    }

    /// Checks a word that names no command: it may be a file or a request.
    private static func checkFile(_ word: String) throws {
        guard !word.contains(where: { "/.:".contains($0) || $0.isWhitespace }),
            access(word, F_OK) != 0, !RequestText.isProbable(word)
        else { return }
        let text = unknown(word, in: RootCommand.self, as: "command or file")
        throw CommandError("\(text) `apus help` lists the commands.")
    }

    /// Says in a sentence that there is no such thing, and what may be meant.
    private static func unknown(
        _ word: String,
        in command: any ParsableCommand.Type,
        as kind: String = "command"
    ) -> String {
        let shown = GivenArguments.shown(word)
        let place = name(of: command)
        let meant = suggestions(for: word, in: command).map { "`apus \($0)`" }
        let list = meant.count > 1 ? "\(meant.dropLast().joined(separator: ", ")) or " : ""
        let hint = meant.last.map { "; did you mean \(list)\($0)?" } ?? "."
        return "there is no \(kind) `\(place)\(shown)`\(hint)"
    }

    /// The commands that a word may stand for, with the words before them.
    private static func suggestions(
        for word: String,
        in command: any ParsableCommand.Type
    ) -> [String] {
        var names: [(name: String, path: String)] = []
        let place = name(of: command)
        for one in command.configuration.subcommands {
            let name = one.configuration.commandName ?? ""
            names.append((name, place + name))
        }
        // `import` is `sessions import`.
        for one in command.configuration.subcommands {
            for inner in one.configuration.subcommands {
                let name = inner.configuration.commandName ?? ""
                names.append((name, "\(place)\(one.configuration.commandName ?? "") \(name)"))
            }
        }
        let exact = names.filter { $0.name == word.lowercased() }.map(\.path)
        if !exact.isEmpty { return exact }
        if command is RootCommand.Type, let known = meanings[word.lowercased()] { return known }
        guard let nearest = Suggestion.nearest(to: word, among: names.map(\.name)) else {
            return []
        }
        return names.first { $0.name == nearest }.map { [$0.path] } ?? []
    }

    /// What other programs call it.
    private static let meanings: [String: [String]] = [
        "test": ["run", "replay"], "request": ["send"],
        "get": ["send"], "post": ["send -X POST"], "put": ["send -X PUT"],
        "patch": ["send -X PATCH"], "head": ["send -X HEAD"], "curl": ["send"], "fetch": ["send"],
        "http": ["send"], "call": ["send"], "history": ["sessions"], "log": ["sessions"],
        "ls": ["sessions list"], "session": ["sessions"], "find": ["sessions search"],
        "record": ["proxy"], "mock": ["serve"], "server": ["serve"], "jq": ["query"],
        "jsonpath": ["query"], "fmt": ["format"], "pretty": ["format"], "json": ["format"],
        "compare": ["diff"], "cat": ["view"], "less": ["view"], "tree": ["view"],
        "load": ["batch"], "bench": ["batch"], "version": ["--version"],
        "login": ["sign-in"], "logout": ["sign-out"],
        "completion": ["--generate-completion-script bash"],
        "completions": ["--generate-completion-script bash"], "tui": ["open"],
    ]
}

/// What the user typed, in messages: a token in a forgotten quote must not end up in a log.
enum GivenArguments {
    /// The commands whose arguments are names, files and queries.
    private static let harmless: Set = [
        "open", "demo", "init", "check", "list", "schema", "view", "query", "diff", "format",
        "keys",
        "sessions", "help",
    ]

    /// A message without those of the quoted arguments that may be secrets.
    static func hidden(in message: String, _ arguments: [String] = CommandLine.arguments) -> String
    {
        let given = arguments.dropFirst()
        if given.first.map(harmless.contains) == true { return message }
        var message = message
        var values = Set(given)
        for argument in given {
            // The value of `--option=value`, or of `-Ovalue`.
            if let sign = argument.firstIndex(of: "=") {
                values.insert(String(argument[argument.index(after: sign)...]))
            }
            if argument.hasPrefix("-"), argument.count > 2 {
                values.insert(String(argument.dropFirst(2)))
            }
        }
        for value in values.sorted(by: { $0.count > $1.count }) where !isHarmless(value) {
            message = message.replacing("'\(value)'", with: "'\(mark)'")
        }
        return message
    }

    /// An argument as it is shown where a secret is unlikely.
    static func shown(_ argument: String) -> String {
        isPlain(argument, atMost: 24) ? argument : mark
    }

    /// Shown instead of what is not repeated.
    static let mark = "…"

    private static func isHarmless(_ value: String) -> Bool {
        if value.isEmpty || value.allSatisfy({ $0.isASCII && $0.isNumber }) && value.count < 8 {
            return true
        }
        let dashes = value.prefix { $0 == "-" }.count
        if dashes == 2, !value.contains("=") { return true }
        if dashes == 1, value.count == 2 { return true }
        return isPlain(value, atMost: 5)
    }

    /// Whether it is one word of so many letters.
    private static func isPlain(_ value: String, atMost count: Int) -> Bool {
        value.count <= count && value.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") }
    }
}
