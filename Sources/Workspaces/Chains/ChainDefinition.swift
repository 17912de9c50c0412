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

    /// The steps that a step needs, directly and not, in an order in which each
    /// stands behind those that it needs itself.
    func ancestors(of step: ChainStepDefinition) -> [ChainStepDefinition] {
        let byName = Dictionary(
            steps.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        var found: [String: ChainStepDefinition] = [:]
        var open = step.needs
        while let name = open.popLast() {
            guard found[name] == nil, let need = byName[name] else { continue }
            found[name] = need
            open += need.needs
        }
        return steps.filter { found[$0.name] != nil }
    }
}
