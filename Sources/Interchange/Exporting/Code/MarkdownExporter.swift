import Apus

/// A page that describes the requests, in Markdown.
package enum MarkdownExporter: Exporter {
    package static let name = "markdown"
    package static let abstract = "a page that describes the requests"
    package static let fileExtension = "md"
    package static let keepsVariables = false

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        let workspace = workspace.with { ShellText.command($0) != nil }
        var page = Page(workspace: workspace)
        page.write()
        return ExportOutput(
            text: page.lines.joined(separator: "\n") + "\n",
            losses: workspace.losses + workspace.lostFlows("a page") + page.losses
        )
    }

    private struct Page {
        let workspace: ExportedWorkspace
        private(set) var lines: [String] = []
        private(set) var losses: [(target: String, loss: ImportLoss)] = []

        mutating func write() {
            let requests = workspace.requests
            if requests.count > 1 || workspace.note != nil {
                lines += ["# \(escaped(workspace.name))", ""]
                write(note: workspace.note)
                write(workspace.items, level: 2)
            } else {
                write(workspace.items, level: 1)
            }
            if !workspace.losses.isEmpty {
                lines += ["## Not exported", ""]
                lines += workspace.losses.map {
                    "- \(escaped($0.target)): \(escaped($0.loss.reason))"
                }
            }
            while lines.last?.isEmpty == true { lines.removeLast() }
        }

        private mutating func write(_ items: [ExportedWorkspace.Item], level: Int) {
            let marks = String(repeating: "#", count: min(level, 6))
            for item in items {
                switch item {
                case .group(let group):
                    lines += ["\(marks) \(escaped(group.name))", ""]
                    write(note: group.note)
                    write(group.items, level: level + 1)
                case .request(let request):
                    lines += ["\(marks) \(escaped(request.name))", ""]
                    write(request)
                }
            }
        }

        private mutating func write(note: String?) {
            guard let note, !note.isEmpty else { return }
            lines += MarkdownNote(note).lines + [""]
        }

        private mutating func write(_ request: ExportedRequest) {
            if let summary = request.summary { lines += [escaped(summary), ""] }
            write(note: request.note)
            let message = HTTPMessage(request: request, workspace: workspace)
            let head = ["\(request.method) \(request.url.spelled(HTTPMessage.spelling))"]
            let shown = head + message.fields + (message.body.map { ["", $0] } ?? [])
            write(code: shown.joined(separator: "\n"), as: "http")
            let needed = request.neededLines
            if !needed.isEmpty {
                lines += needed.map { "- `\($0.environmentName)`: \(escaped($1))" } + [""]
            }
            let expected = request.expectationLines(HTTPMessage.spelling)
            if !expected.isEmpty {
                lines += ["The response:", ""]
                lines += expected.map { "- \(code($0))" } + [""]
            }
            let command = CurlExporter.command(request, in: workspace)
            write(code: command.text, as: "sh")
            let lost = command.losses + request.fixedValues
            losses += (command.losses + request.fixedValues).map { (request.id, $0) }
            if !lost.isEmpty {
                lines += ["Not carried over:", ""]
                lines += lost.map { "- \(escaped("\($0.kind): \($0.reason)"))" } + [""]
            }
        }

        /// A block of code in a fence that is longer than any in it.
        private mutating func write(code text: String, as language: String) {
            let fence = MarkdownNote.fence(around: text, shortest: 3)
            lines.append(fence + language)
            // A NUL has no place in Markdown (CommonMark, section 2.3).
            lines += text.lines
            lines += [fence, ""]
        }

        /// A span of code, between more backquotes than any in it.
        private func code(_ text: String) -> String {
            let fence = MarkdownNote.fence(around: text, shortest: 1)
            return fence.count == 1 ? "`\(text)`" : "\(fence) \(text) \(fence)"
        }

        /// A text in one line in which nothing is markup.
        private func escaped(_ text: String) -> String {
            text.inOneLine.unicodeScalars.reduce(into: "") { result, scalar in
                if "\\`*_[]<>#|~&!".unicodeScalars.contains(scalar) { result += "\\" }
                result.unicodeScalars.append(scalar)
            }
        }
    }
}
