import Recordings
import Terminal

/// What waits for a confirmation before it is sent to an environment that is marked as dangerous.
struct Confirmation {
    /// How it is sent once it is confirmed.
    enum Sending {
        /// The line under the list's cursor.
        case selected
        /// What failed in the newest run of the selected batch.
        case failedAgain
        /// The selected chain, from the chosen step.
        case fromStep
        /// The chosen step's request alone.
        case stepAlone
        /// A part of a run, alone.
        case part(OpenedPart)
        /// A recorded request, again.
        case exchange(RecordedExchange)
        /// The selected target at an interval: what was typed, and the prompt to return to.
        case watch(String, LinePrompt)
    }

    let sending: Sending
    /// The environment's name.
    let environment: String
    /// What is sent: "DELETE Users/Delete user".
    let what: String

    /// What is sent and where; what is sent comes first, because the end may be cut off.
    var sentence: String { "\(what) to \(environment), which is marked as dangerous" }

    /// The keys that answer it.
    static let hints: [FooterHints.Hint] = [
        .init("y", "send"), .init("a", "send, and stop asking"), .init("esc", "do not send"),
    ]
}
