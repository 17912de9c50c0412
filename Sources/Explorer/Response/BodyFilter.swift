import Apus
import Documents
import Workspaces

/// The input of a command: a body, or one value of it.
struct FilterSource {
    /// A value under the cursor.
    struct Value {
        var document: Document
        var node: NodeIndex
        var path: String
    }

    /// The pane that shows the command's output.
    let address: PaneAddress
    let body: ResponseBody
    /// The value that can be the input instead; nil if the cursor is on none.
    let value: Value?
    /// Whether the value is the input, and not the body.
    var takesValue = false

    /// The name of the input.
    var name: String { takesValue ? value?.path ?? "the body" : "the body" }

    /// This source with the other of its inputs, the body or the value; nil if there is only one.
    var other: FilterSource? {
        guard value != nil else { return nil }
        var other = self
        other.takesValue.toggle()
        return other
    }
}

/// A command whose output is shown in place of a body.
struct BodyFilter {
    var command: String
    /// The name of the input.
    var source: String
    /// How it ended; nil while it runs.
    var ending: ShellProcess.Ending?
    /// The output.
    var output: ResponseBody?

    /// A command's result, ready to be shown.
    struct Outcome: Sendable {
        var command: String
        var ending: ShellProcess.Ending
        var output: [UInt8]
        /// The first part of what it wrote to its standard error.
        var errors: String
        /// The output, or the error text if it wrote nothing else.
        var document: BodyDocument?
    }
}
