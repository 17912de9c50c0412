package import Apus

/// A step of a chain.
package struct ChainStepDefinition: Sendable {
    /// Its name, unique in its chain.
    package let name: String
    /// What it sends.
    package let target: TargetDefinition
    /// The steps that must be done before it; if the file does not say, the one
    /// that stands before it.
    package let needs: [String]
    /// How they must have ended.
    package let join: ChainPlan.Join
    /// When it runs; nil for always.
    package let condition: ChainCondition?
    /// The captured list for whose elements it runs; nil to run once.
    package let forEach: ChainPlan.ForEach?
    /// What later steps get from its answer.
    package let captures: [Capture]

    let span: Span
    let values: [Assignment]
}
