import Apus
import Documents

/// A body, or a value of it, for a command's standard input.
struct FilterSource {
    /// A value under the cursor.
    struct Value {
        var document: Document
        var node: NodeIndex
        var path: String
    }

    /// The pane that shows what the command writes.
    let address: PaneAddress
    let body: ResponseBody
    /// What else could go in; nil where the cursor is on no value of its own.
    let value: Value?
    /// Whether that goes in, and not the body.
    var takesValue = false

    /// What goes in, in words.
    var name: String { takesValue ? value?.path ?? "the body" : "the body" }

    /// The other of the two; nil where there is one.
    var other: FilterSource? {
        guard value != nil else { return nil }
        var other = self
        other.takesValue.toggle()
        return other
    }
}

/// A command that a body went through, whose output stands in the body's place.
struct BodyFilter {
    var command: String
    /// What went in.
    var source: String
    /// How it ended; nil while it runs.
    var ending: Ending?
    /// What it wrote.
    var output: ResponseBody?

    enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
        /// It was ended after this long.
        case tookTooLong(Duration)
        /// It was ended after so many bytes.
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

    /// What a command wrote, ready to be shown.
    struct Outcome: Sendable {
        var command: String
        var ending: Ending
        var output: [UInt8]
        /// What it wrote to its standard error, as far as it is kept.
        var errors: String
        /// The output; what it said of an error where it wrote nothing else.
        var document: BodyDocument?
    }
}
