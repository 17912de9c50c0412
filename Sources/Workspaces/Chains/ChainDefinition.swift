package import Apus

/// Targets that are sent one after the other, with what the earlier ones brought.
package struct ChainDefinition: Sendable {
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// Where answers come from; nil for what the screen is set to.
    package let source: DataSource?
    /// The steps, in order.
    package let steps: [ChainStepDefinition]
}
