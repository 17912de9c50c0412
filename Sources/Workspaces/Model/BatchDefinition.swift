package import Apus

/// Targets that are sent side by side.
package struct BatchDefinition: Sendable {
    /// What a failure does to the rest; the engine's words.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One failure fails the batch and cancels what has not ended.
        case all
        /// One failure fails the batch, but the others are still sent.
        case allFinishing
        /// Every target has its own result.
        case settled
    }

    struct Entry: Sendable {
        let target: TargetDefinition
        let repeatCount: Int
        let values: [Assignment]
    }

    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// How many are under way at once.
    package let concurrency: Int
    /// What a failure does to the rest.
    package let mode: Mode
    /// Where answers come from; nil for what the screen is set to.
    package let source: DataSource?
    /// How many requests it sends, repeats counted.
    package var count: Int { entries.reduce(0) { $0 + $1.repeatCount } }

    let entries: [Entry]
}
