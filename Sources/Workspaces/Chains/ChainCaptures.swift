import Apus

/// What the steps of a chain may use of each other's captures.
///
/// Asked for one name of one step at a time: what all steps may use together grows with the square
/// of their number.
struct ChainCaptures: Sendable {
    private let steps: [ChainStepDefinition]
    private let structure: ChainStructure
    /// The steps that capture a name, in the file's order.
    private let makers: [String: [Int]]

    init(_ chain: ChainDefinition) {
        steps = chain.steps
        structure = ChainStructure(steps: chain.steps.map { ($0.name, $0.needs) })
        var makers: [String: [Int]] = [:]
        for (index, step) in chain.steps.enumerated() {
            for capture in step.captures { makers[capture.name, default: []].append(index) }
        }
        self.makers = makers
    }

    /// The step whose capture a step gets under a name; nil if it needs none that has it.
    func maker(of name: String, for step: Int) -> ChainStepDefinition? {
        makers[name]?.last { structure.ancestors[step].contains($0) }.map { steps[$0] }
    }

    /// A step that captures a name, and that a step could need but does not.
    func possibleMaker(of name: String, for step: Int) -> ChainStepDefinition? {
        // What itself needs the step cannot stand before it.
        makers[name]?.last { $0 != step && !structure.ancestors[$0].contains(step) }
            .map { steps[$0] }
    }

    /// All names that a step gets.
    func names(for step: Int) -> [String] {
        makers.keys.filter { maker(of: $0, for: step) != nil }
    }
}
