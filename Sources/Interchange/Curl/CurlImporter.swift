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
                if !text.isEmpty, !assign(text, in: &workspace) {
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

    /// Sets a variable as `NAME=value` does; false for another line, and for a value that a shell makes.
    private static func assign(_ line: String, in workspace: inout ImportedWorkspace) -> Bool {
        var text = line
        for word in ["export ", "local ", "readonly ", "declare ", "set "]
        where text.hasPrefix(word) {
            text = text.dropFirst(word.count).trimmingBlanks
        }
        if text.hasSuffix(";") { text = text.dropLast().trimmingBlanks }
        guard let sign = text.firstIndex(of: "="),
            text.firstIndex(where: \.isWhitespace) ?? sign >= sign
        else { return false }
        let name = String(text[..<sign])
        guard let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }),
            workspace.variables[name] == nil,
            let words = ShellWords(String(text[sign...].dropFirst()), expanding: true),
            words.words.count <= 1, !words.hasMore, !words.hasExpansion,
            !words.expanded.contains(name)
        else { return false }
        let value = words.words.first ?? ""
        // What is written as a template stays one; braces that are none are text.
        let isTemplate = words.expanded.isEmpty == false
        guard !isTemplate || !value.contains("\\{") else { return false }
        let own = workspace.names.name(of: name)
        guard own == name else { return false }
        for variable in words.expanded where workspace.variables[variable] == nil {
            workspace.variables.append(environment(variable))
        }
        workspace.variables.append(
            Value.Member(name, .string(isTemplate ? value : ImportNames.literal(value)))
        )
        return true
    }

    /// A variable that the environment of the process has.
    private static func environment(_ name: String) -> Value.Member {
        Value.Member(name, .object([Value.Member("env", .string(name))]))
    }

    /// Adds the requests of a command.
    static func read(_ command: CurlScript.Command, into workspace: inout ImportedWorkspace) {
        let read:
            (
                requests: [(request: RequestText, auth: Value?)], variables: [String],
                files: [String: String]
            )
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
                target.name = title(command) ?? RequestParts.name("GET", url)
                target.losses[0].reason = "only its URL is taken: \(reason)"
            }
            workspace.items.append(.target(target))
            return
        }
        for variable in read.variables where workspace.variables[variable] == nil {
            workspace.variables.append(environment(variable))
        }
        for (name, template) in read.files.sorted(by: { $0.key < $1.key })
        where workspace.variables[name] == nil {
            workspace.variables.append(Value.Member(name, .string(template)))
        }
        // Of a command with thousands of URLs, its text is kept once.
        var text = command.text
        for (request, auth) in read.requests {
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
            if let auth { target["auth"] = auth }
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
                        text: text,
                        line: command.line
                    )
                )
                text = ""
                continue
            }
            for warning in request.sourceNotes {
                target.losses.append(
                    ImportLoss(
                        "a part of a curl command",
                        warning,
                        text: text,
                        line: command.line
                    )
                )
                text = ""
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
