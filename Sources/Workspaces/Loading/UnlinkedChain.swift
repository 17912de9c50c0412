import Apus

/// A chain whose targets are not looked up yet.
struct UnlinkedChain {
    struct Step {
        let name: String
        let span: Span
        let target: TargetReference
        /// The needed steps with their places in the file; nil if the file does not name any.
        var needs: [(name: String, span: Span)]?
        var join = ChainPlan.Join.all
        var condition: (test: ChainCondition, span: Span)?
        var forEach: (each: ChainPlan.ForEach, span: Span)?
        var captures: [Capture] = []
        var values: [Assignment] = []
    }

    let name: String
    let location: SourceLocation
    let summary: String?
    let source: DataSource?
    let steps: [Step]

    init(_ entry: YAMLNode.Entry, summary: String?, source: DataSource?, steps: [Step]) {
        name = entry.key
        location = entry.keySpan.location
        self.summary = summary
        self.source = source
        self.steps = steps
    }

    /// The names of the steps that a step needs; by default the step before it.
    func needs(of index: Int) -> [String] {
        steps[index].needs?.map(\.name) ?? (index > 0 ? [steps[index - 1].name] : [])
    }
}
