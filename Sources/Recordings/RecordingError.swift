/// What went wrong with a session's file.
package struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was being done.
    package enum Stage: String, Sendable, Hashable {
        /// Making or opening the file.
        case open
        /// Reading from it.
        case read
        /// Writing to it.
        case write
    }

    /// What was being done.
    package let stage: Stage
    /// The file.
    package let path: String
    /// Why it failed.
    package let detail: String

    /// Makes an error.
    package init(_ stage: Stage, path: String, detail: String) {
        self.stage = stage
        self.path = path
        self.detail = detail
    }

    package var description: String { "cannot \(stage.rawValue) the session \(path): \(detail)" }
}
