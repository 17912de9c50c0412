/// A format that the targets of a workspace can be written in, for another program.
package protocol Exporter: Sendable {
    /// What `apus export --as` calls it: "curl".
    static var name: String { get }
    /// What it is, in a few words for a list: "a command for a POSIX shell".
    static var abstract: String { get }
    /// What the name of a file of it ends with, without the dot: "sh".
    static var fileExtension: String { get }
    /// Whether the format has variables and environments of its own, so that those of the workspace are kept where they
    /// are used unchanged; false where everything but secrets is filled in for one environment.
    static var keepsVariables: Bool { get }
    /// Writes requests.
    ///
    /// What cannot be carried over is a loss, and stands as a comment at its request where the format has comments.
    static func export(_ workspace: ExportedWorkspace) -> ExportOutput
}

/// All formats, in the order in which they are offered.
package enum Exporters {
    /// The formats; the first is what the explorer copies without a choice.
    package static let all: [any Exporter.Type] = [
        CurlExporter.self, HTTPFileExporter.self, HTTPieExporter.self, HurlExporter.self,
        PostmanExporter.self, OpenAPIExporter.self, SwiftExporter.self, PythonExporter.self,
        HTTPMessageExporter.self, MarkdownExporter.self,
    ]

    /// The format of this name; nil if there is none.
    package static func named(_ name: String) -> (any Exporter.Type)? {
        all.first { $0.name == name }
    }
}

/// What an exporter wrote.
package struct ExportOutput: Sendable {
    /// The document, which ends with a line feed.
    package var text: String
    /// Further files, such as environments, by their names: written beside the document, where that has a file.
    package var files: [(name: String, text: String)] = []
    /// What was not carried over, with the target's id; empty for the whole.
    package var losses: [(target: String, loss: ImportLoss)] = []

    /// Makes an output without further files.
    package init(text: String, losses: [(target: String, loss: ImportLoss)] = []) {
        self.text = text
        self.losses = losses
    }
}
