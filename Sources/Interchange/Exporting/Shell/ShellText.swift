import Apus

/// Texts of a request as words of a POSIX shell.
enum ShellText {
    /// A word that the shell leaves as it is but for its variables.
    static func word(_ text: ExportText) -> String {
        guard !text.pieces.isEmpty else { return "''" }
        return text.spelled(literal: { CurlCommand.quoted($0) }, spelling)
    }

    /// A word without variables.
    static func word(_ text: String) -> String { CurlCommand.quoted(text) }

    /// A variable or a function in double quotes.
    static func spelling(_ piece: ExportText.Piece) -> String {
        switch piece {
        case .text(let text): CurlCommand.quoted(text)
        case .variable(let variable): "\"$\(variable.environmentName)\""
        case .call(let call): command(call).map { "\"$(\($0))\"" } ?? spelling(call.piece)
        }
    }

    /// A command that prints what a function gives; nil if there is none.
    static func command(_ call: ExportCall) -> String? {
        let words = call.arguments.map { word($0) }
        guard let first = words.first else {
            switch call.function {
            case "uuid": return "uuidgen | tr A-Z a-z"
            case "now": return "date -u +%Y-%m-%dT%H:%M:%SZ"
            case "random": return "shuf -i 0-999999 -n 1"
            default: return nil
            }
        }
        let printed = "printf %s \(first)"
        switch call.function {
        case "basic" where words.count == 2:
            return "printf %s:%s \(first) \(words[1]) | base64 | tr -d '\\n'"
        case "base64": return "\(printed) | base64 | tr -d '\\n'"
        case "hex": return "\(printed) | od -An -v -tx1 | tr -d ' \\n'"
        case "sha256": return "\(printed) | sha256sum | cut -d' ' -f1"
        case "hmac" where words.count == 2:
            return "\(printed) | openssl dgst -sha256 -hmac \(words[1]) -r | cut -d' ' -f1"
        case "hmac" where words.count == 3 && call.arguments[2].literal == "base64":
            return "\(printed) | openssl dgst -sha256 -hmac \(words[1]) -binary | base64"
        case "url": return "\(printed) | jq -sRr @uri"
        case "json": return "\(printed) | jq -sR ."
        case "lower": return "\(printed) | tr A-Z a-z"
        case "upper": return "\(printed) | tr a-z A-Z"
        case "now": return date(call.arguments)
        case "random" where words.count == 2: return "shuf -i \(first)-\(words[1]) -n 1"
        default: return nil
        }
    }

    private static func date(_ arguments: [ExportText]) -> String? {
        let formats = [
            "iso": "%Y-%m-%dT%H:%M:%SZ", "unix": "%s", "unixms": "%s000",
            "http": "%a, %d %b %Y %H:%M:%S GMT",
        ]
        guard let offset = arguments.first?.literal else { return nil }
        guard arguments.count < 2 || arguments[1].literal != nil else { return nil }
        let format = arguments.count > 1 ? arguments[1].literal ?? "" : "iso"
        // GNU's `date` takes such offsets.
        return
            "LC_ALL=C date -u -d \(word("now \(offset)")) \(word("+" + (formats[format] ?? format)))"
    }

    /// A command that prints a text, without a line end; bytes that no word can have are escaped.
    static func printing(_ text: ExportText) -> String {
        text.pieces.map { piece in
            guard case .text(let literal) = piece else { return "printf %s \(spelling(piece))" }
            return printing(Array(literal.utf8))
        }.joined(separator: "; ")
    }

    /// A command that prints bytes.
    static func printing(_ bytes: [UInt8]) -> String {
        if let text = CurlBody.text(bytes) { return "printf %s \(CurlCommand.quoted(text))" }
        let octal = bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return "printf '\(octal.joined())'"
    }

    /// Whether a word can have the text: no control characters, and no line end that `$(…)` would lose.
    static func isWord(_ text: ExportText) -> Bool {
        text.pieces.allSatisfy { piece in
            if case .text(let text) = piece { CurlBody.text(Array(text.utf8)) != nil } else { true }
        }
    }

    /// A command that prints a body of parts.
    static func printing(_ parts: [ExportedRequest.RawPart], in workspace: ExportedWorkspace)
        -> String
    {
        let commands = parts.map { part in
            switch part {
            case .text(let text): printing(text)
            case .bytes(let bytes): printing(bytes)
            case .file(let path): "cat \(word(fileName(path, in: workspace)))"
            }
        }
        return "{ \(commands.joined(separator: "; ")); }"
    }

    /// The path of a file, which never looks like an option.
    static func fileName(_ path: String, in workspace: ExportedWorkspace) -> String {
        let path = workspace.path(path)
        return path.hasPrefix("-") ? "./\(path)" : path
    }

    /// A script: what is before each command, and the command.
    static func script(
        _ workspace: ExportedWorkspace,
        _ command: (ExportedRequest) -> ScriptedCommand
    ) -> ExportOutput {
        let workspace = workspace.with { Self.command($0) != nil }
        let requests = workspace.requests
        var blocks: [String] = []
        var losses = workspace.losses + workspace.lostFlows("a script")
        if let set = workspace.setVariables {
            return line(of: requests.map(\.request), set, command)
        }
        if requests.count > 1 { blocks.append("#!/bin/sh\n# \(workspace.name.inOneLine)") }
        // Paths are from the script's folder, whatever folder it is run in.
        if workspace.namesOwnFiles { blocks.append("cd \"$(dirname \"$0\")\" || exit") }
        var group = ""
        for (groups, request) in requests {
            let written = command(request)
            let lost = written.losses + request.fixedValues
            losses += lost.map { (request.id, $0) }
            var lines: [String] = []
            let path = groups.map(\.name).joined(separator: "/")
            if path != group, !path.isEmpty {
                lines +=
                    ["# ---- \(path.inOneLine)"]
                    + (groups.last?.note?.lines ?? []).map { "# \($0)" } + [""]
            }
            group = path
            lines += request.remarks.map { "# \($0)" }
            lines += request.expectationLines(spelling).map { "# Expects: \($0)" }
            lines += written.remarks.map { "# \($0)" }
            lines += lost.map { "# \($0.remark)" }
            lines += request.neededLines.map { guarding($0, $1) }
            blocks.append((lines + [written.text]).joined(separator: "\n"))
        }
        for loss in workspace.losses {
            blocks.append("# Not exported: \(loss.target) (\(loss.loss.reason))".inOneLine)
        }
        return ExportOutput(text: blocks.joined(separator: "\n\n") + "\n", losses: losses)
    }

    /// What is pasted into a shell: the command alone, for an interactive shell need not know comments; without a value
    /// that it needs it is not run.
    private static func line(
        of requests: [ExportedRequest],
        _ set: Set<String>,
        _ command: (ExportedRequest) -> ScriptedCommand
    ) -> ExportOutput {
        var output = ExportOutput(text: "")
        for request in requests {
            let written = command(request)
            output.losses += (written.losses + request.fixedValues).map { (request.id, $0) }
            for (variable, words) in request.neededLines
            where !set.contains(variable.environmentName) {
                output.text += guarding(variable, words) + " &&\n"
            }
            output.text += written.text + "\n"
        }
        return output
    }

    /// A command that fails, and says what is missing, if a variable has no value.
    private static func guarding(_ variable: ExportVariable, _ words: String) -> String {
        ": \"${\(variable.environmentName):?\(quotable(words))}\""
    }

    /// Words that mean nothing to a shell in double quotes, within braces.
    private static func quotable(_ words: String) -> String {
        // Scalars, because a shell sees a quote even under a combining accent.
        let plain = words.unicodeScalars.map { scalar in
            "\"\\$`}{!'".unicodeScalars.contains(scalar) ? " " : scalar
        }
        return String(String.UnicodeScalarView(plain))
    }
}

/// A command, and what it lacks.
struct ScriptedCommand {
    let text: String
    let losses: [ImportLoss]
    /// What it does otherwise, for comments.
    let remarks: [String]
}
