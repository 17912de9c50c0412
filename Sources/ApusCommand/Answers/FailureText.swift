import Apus

/// A failure in one line for people.
enum FailureText {
    static func line(for error: ApusError) -> String { "\(error.reason)" }
}
