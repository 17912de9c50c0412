import Apus
import Documents

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
    var ending: Ending?
    /// The output.
    var output: ResponseBody?

    enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It was stopped after this time.
        case tookTooLong(Duration)
        /// It was stopped after this number of bytes.
        case wroteTooMuch(Int)
        /// It could not be started, for this reason.
        case notStarted(String)

        /// What went wrong, in a few words; nil if nothing did.
        var problem: String? {
            switch self {
            case .exited(0): nil
            case .exited(let status): "exit status \(status)"
            case .signalled(let signal): "ended by signal \(signal)"
            case .tookTooLong(let limit): "ended after \(Readable.span(limit))"
            case .wroteTooMuch(let limit): "cut after \(Readable.bytes(limit))"
            case .notStarted(let reason): "not started: \(reason)"
            }
        }
    }

    /// A command's result, ready to be shown.
    struct Outcome: Sendable {
        var command: String
        var ending: Ending
        var output: [UInt8]
        /// The first part of what it wrote to its standard error.
        var errors: String
        /// The output, or the error text if it wrote nothing else.
        var document: BodyDocument?
    }
}
