import Documents
import Workspaces

/// Files of `curl` commands, with comments and prompts between them.
package enum CurlImporter: Importer {
    package static let name = "curl"

    package static func recognizes(_ head: ImportHead) -> Bool {
        guard !head.source.isFolder, head.json == nil else { return false }
        let known = [
            "", "sh", "bash", "zsh", "txt", "curl", "cmd", "bat", "ps1", "md", "fish", "command",
        ]
        guard known.contains(head.fileExtension) else { return false }
        return CurlScript.commands(head.text).contains { $0.isCurl }
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        var workspace = ImportedWorkspace(format: "curl")
        for command in CurlScript.commands(SourceText.decoded(source.bytes)) {
            guard command.isCurl else {
                let text = command.text.trimmingBlanks
                if !text.isEmpty {
                    workspace.losses.append(
                        ImportLoss(
                            "a line that is no curl command",
                            "a workspace sends requests only",
                            text: text,
                            line: command.line
                        )
                    )
                }
                continue
            }
            read(command, into: &workspace)
        }
        workspace.completeURLs()
        return workspace
    }

    private static func read(_ command: CurlScript.Command, into workspace: inout ImportedWorkspace)
    {
        let read: (requests: [RequestText], variables: [String])
        do throws(RequestTextError) {
            read = try RequestText.commands(command.text)
        } catch {
            let reason = error.description
            var target = ImportedTarget(
                name: title(command) ?? "curl",
                request: "GET http://localhost"
            )
            target.losses = [
                ImportLoss(
                    "a curl command",
                    "this machine stands for it: \(reason)",
                    text: command.text,
                    line: command.line
                )
            ]
            target.note = note(command, title(command))
            if let url = CurlScript.url(in: command.text),
                let line = RequestParts.line(ImportNames.literal(url))
            {
                target.request = "GET \(line)"
                target.losses[0].reason = "only its URL is taken: \(reason)"
            }
            workspace.items.append(.target(target))
            return
        }
        for variable in read.variables where workspace.variables[variable] == nil {
            let value = Value.object([Value.Member("env", .string(variable))])
            workspace.variables.append(Value.Member(variable, value))
        }
        for request in read.requests {
            let title =
                read.requests.count == 1
                ? title(command) : title(command).map { "\($0) \(request.name)" }
            var target = ImportedTarget(
                name: title ?? request.name,
                request: "GET http://localhost"
            )
            do throws(RequestTextError) {
                fill(&target, try request.draft.written())
            } catch {
                target.losses.append(
                    ImportLoss(
                        "a curl command",
                        error.description,
                        text: command.text,
                        line: command.line
                    )
                )
            }
            target.note = note(command, title)
            for name in request.draft.usedNames where !read.variables.contains(name) {
                _ = workspace.names.use(name)
            }
            // A whole URL that the shell has: `curl $URL/users`.
            if target.url.hasPrefix("http://{{"), !command.text.contains("http://") {
                target.url = String(target.url.dropFirst(7))
            }
            guard RequestParts.line(target.url) != nil else {
                let reason = "a workspace sends HTTP requests only"
                workspace.losses.append(
                    ImportLoss(
                        "a request of another protocol",
                        reason,
                        text: command.text,
                        line: command.line
                    )
                )
                continue
            }
            for warning in request.sourceNotes {
                target.losses.append(
                    ImportLoss(
                        "a part of a curl command",
                        warning,
                        text: command.text,
                        line: command.line
                    )
                )
            }
            workspace.items.append(.target(target))
        }
    }

    private static func fill(_ target: inout ImportedTarget, _ value: Value) {
        guard case .object(let members) = value else {
            target.request = value.variableText
            return
        }
        for member in members {
            if member.name == "request" {
                target.request = member.value.variableText
            } else {
                target[member.name] = member.value
            }
        }
    }

    /// A short comment before a command is its name.
    private static func title(_ command: CurlScript.Command) -> String? {
        guard let last = command.comments.last, last.count <= 60, !last.contains("://"),
            !last.hasPrefix("!")
        else { return nil }
        return last
    }

    private static func note(_ command: CurlScript.Command, _ title: String?) -> String? {
        let lines = title == nil ? command.comments : Array(command.comments.dropLast())
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}

/// Takes a script apart into its commands.
enum CurlScript {
    struct Command {
        var text: String
        var line: Int
        var comments: [String] = []
        /// Whether it runs curl.
        var isCurl: Bool
    }

    /// The commands of a text: curl's with their continued lines, and what stands between them.
    static func commands(_ text: String) -> [Command] {
        let lines = SourceText.lines(text)
        var commands: [Command] = []
        var comments: [String] = []
        // How many quotes have no end, each of which is looked for in the lines after it.
        var unclosed = 0
        var index = 0
        while index < lines.count {
            let start = index
            let line = lines[index].trimmingBlanks
            index += 1
            if line.isEmpty || line.hasPrefix("```") { continue }
            if let comment = comment(line), !beginsWithCurl(comment) || !line.hasPrefix("#") {
                if !comment.isEmpty, !line.hasPrefix("#!") { comments.append(comment) }
                continue
            }
            var end = index
            var state = QuoteState()
            state.read(lines[start])
            while end < lines.count, unclosed < 20,
                state.continues || goesOn(lines[end]) && mentionsCommand(line)
            {
                state.read(lines[end])
                end += 1
                if end - start > 5_000 { break }
            }
            // What is never closed is one line.
            if state.isOpen, end - start > 1 {
                unclosed += 1
                end = start + 1
            }
            var whole = lines[start..<end].joined(separator: "\n")
            index = end
            // A text that a command reads: `<<EOF`.
            if let word = heredoc(whole) {
                while index < lines.count {
                    whole += "\n" + lines[index]
                    index += 1
                    if lines[index - 1].trimmingBlanks == word { break }
                }
            }
            let isCurl = mentionsCommand(whole) && RequestText.isCurlCommand(whole)
            if !isCurl, RequestText.isCurlCommand(line) == false, !comments.isEmpty {
                commands.append(
                    Command(
                        text: comments.map { "# " + $0 }.joined(separator: "\n"),
                        line: start,
                        isCurl: false
                    )
                )
                comments = []
            }
            commands.append(
                Command(
                    text: whole,
                    line: start + 1,
                    comments: isCurl ? comments : [],
                    isCurl: isCurl
                )
            )
            if isCurl { comments = [] }
        }
        if !comments.isEmpty {
            commands.append(
                Command(
                    text: comments.map { "# " + $0 }.joined(separator: "\n"),
                    line: lines.count,
                    isCurl: false
                )
            )
        }
        return commands
    }

    /// The URL of a command that cannot be read whole.
    static func url(in text: String) -> String? {
        text.split { $0.isWhitespace || "'\"".contains($0) }.map(String.init).first {
            $0.hasPrefix("http://") || $0.hasPrefix("https://")
        }
    }

    private static func comment(_ line: String) -> String? {
        for mark in ["#", "//", "::", "REM ", "rem ", "@REM "] where line.hasPrefix(mark) {
            return line.dropFirst(mark.count).trimmingBlanks.drop { $0 == "#" }.trimmingBlanks
        }
        return nil
    }

    /// Whether a comment is a prompt and a command: `# curl …`.
    private static func beginsWithCurl(_ comment: String) -> Bool {
        comment.hasPrefix("curl ") || comment.hasPrefix("curl.exe ")
    }

    private static func mentionsCommand(_ line: String) -> Bool {
        line.utf8.firstRange(of: "curl".utf8) != nil
    }

    /// Whether a line begins with an option, although the last one does not say that it goes on.
    private static func goesOn(_ line: String) -> Bool {
        let text = line.trimmingBlanks
        guard text.hasPrefix("-"), text.count > 1 else { return false }
        return text.drop { $0 == "-" }.first?.isLetter == true
    }

    private static func heredoc(_ text: String) -> String? {
        guard let mark = text.firstRange(of: "<<"), !text[mark.upperBound...].hasPrefix("<") else {
            return nil
        }
        let word = text[mark.upperBound...].drop { $0 == "-" || $0 == " " }.prefix {
            !$0.isWhitespace
        }
        let name = word.filter { !"'\"\\".contains($0) }
        return name.isEmpty || !name.allSatisfy { $0.isLetter || $0 == "_" } ? nil : String(name)
    }

    /// Whether a command goes on after a line.
    private struct QuoteState {
        var isOpen: Bool { quote != nil }
        private(set) var continues = false
        private var quote: Unicode.Scalar?

        mutating func read(_ line: String) {
            var isEscaped = false
            var last: Unicode.Scalar = " "
            for scalar in line.unicodeScalars {
                if isEscaped {
                    isEscaped = false
                    last = " "
                    continue
                }
                switch scalar {
                case "\\" where quote != "'": isEscaped = true
                case "'", "\"":
                    if quote == nil { quote = scalar } else if quote == scalar { quote = nil }
                default: break
                }
                if !scalar.properties.isWhitespace || scalar == "\\" { last = scalar }
            }
            let text = line.trimmingBlanks
            continues =
                quote != nil || isEscaped || text.hasSuffix("\\") || text.hasSuffix("^")
                || text.hasSuffix(" `") || last == "|"
        }
    }
}
