import Apus

/// A batch whose targets are not looked up yet.
struct BatchDraft {
    struct Entry {
        let target: TargetReference
        let repeatCount: Int
        let values: [Assignment]
    }

    let name: String
    let summary: String?
    let concurrency: Int
    let mode: BatchDefinition.Mode
    let source: DataSource?
    let entries: [Entry]
}

/// A chain whose targets are not looked up yet.
struct ChainDraft {
    struct Step {
        let name: String
        let span: Span
        let target: TargetReference
        /// With their places in the file; nil if it does not say.
        var needs: [(name: String, span: Span)]?
        var join = ChainPlan.Join.all
        var condition: (test: ChainCondition, span: Span)?
        var forEach: (each: ChainPlan.ForEach, span: Span)?
        var captures: [Capture] = []
        var values: [Assignment] = []
    }

    let name: String
    let summary: String?
    let source: DataSource?
    let steps: [Step]

    /// What a step needs; without a word of its own, the step before it.
    func needs(of index: Int) -> [String] {
        steps[index].needs?.map(\.name) ?? (index > 0 ? [steps[index - 1].name] : [])
    }
}
