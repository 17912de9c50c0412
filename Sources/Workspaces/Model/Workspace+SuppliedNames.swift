import Apus

extension Workspace {
    /// The variables that chains and batches give to each target, and who does.
    var suppliedNames: [TargetID: [String: String]] {
        var names: [TargetID: [String: String]] = [:]
        func add(_ name: String, to target: TargetID, from supplier: String) {
            if names[target]?[name] != nil { return }
            names[target, default: [:]][name] = "\(supplier) gives it one"
        }
        for chain in chains {
            var captured: [String] = []
            for step in chain.steps {
                let element = step.forEach.map { [$0.element, "index"] } ?? []
                for name in captured + element + step.values.map(\.name) {
                    add(name, to: step.target.id, from: "the chain `\(chain.name)`")
                }
                captured += step.captures.map(\.name)
            }
        }
        for batch in batches {
            for entry in batch.entries {
                for name in entry.values.map(\.name) {
                    add(name, to: entry.target.id, from: "the batch `\(batch.name)`")
                }
            }
        }
        return names
    }
}
