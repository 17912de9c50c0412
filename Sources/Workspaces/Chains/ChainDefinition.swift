package import Apus

/// Targets that are sent when what they need is done, with what that brought.
package struct ChainDefinition: Sendable {
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// Where answers come from; nil for what the screen is set to.
    package let source: DataSource?
    /// The steps, in the file's order.
    package let steps: [ChainStepDefinition]
}
