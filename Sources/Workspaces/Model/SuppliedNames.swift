import Apus

/// The variables that chains and batches supply to each target.
///
/// Looks up one name at a time, because the names that a long chain gives to all its steps would take space
/// quadratic in its length.
struct SuppliedNames: Sendable {
    /// A chain or a batch that sends a target.
    private struct Giver: Sendable {
        /// As people see it: "the chain `Sign up`".
        let words: String
        /// The chain's index; nil for a batch.
        let chain: Int?
        /// The index of the chain's last step that sends the target.
        var lastStep = 0
        /// The names that the target's own steps or entries set (`set` and `forEach`).
        var own: Set<String> = []
    }

    private var givers: [TargetID: [Giver]] = [:]
    /// For each chain, the index of the first step that captures each name.
    private var firstCaptures: [[String: Int]] = []

    init(batches: [BatchDefinition], chains: [ChainDefinition]) {
        for (place, chain) in chains.enumerated() { add(chain, place) }
        for batch in batches { add(batch) }
    }

    /// All names that chains and batches give to some target.
    var names: Set<String> {
        Set(givers.values.flatMap { $0.flatMap(\.own) }).union(firstCaptures.flatMap(\.keys))
    }

    /// The chain or batch that supplies a name to a target, in words; nil if none does.
    func giver(of name: String, to target: TargetID) -> String? {
        givers[target]?.first { giver in
            if giver.own.contains(name) { return true }
            guard let chain = giver.chain, let step = firstCaptures[chain][name] else {
                return false
            }
            return step < giver.lastStep
        }?.words
    }

    private mutating func add(_ chain: ChainDefinition, _ place: Int) {
        var captures: [String: Int] = [:]
        var own: [TargetID: Giver] = [:]
        for (index, step) in chain.steps.enumerated() {
            var giver =
                own[step.target.id] ?? Giver(words: "the chain `\(chain.name)`", chain: place)
            giver.lastStep = index
            giver.own.formUnion(step.values.map(\.name))
            if let forEach = step.forEach { giver.own.formUnion([forEach.element, "index"]) }
            own[step.target.id] = giver
            for capture in step.captures where captures[capture.name] == nil {
                captures[capture.name] = index
            }
        }
        firstCaptures.append(captures)
        for (target, giver) in own { givers[target, default: []].append(giver) }
    }

    private mutating func add(_ batch: BatchDefinition) {
        var own: [TargetID: Giver] = [:]
        for entry in batch.entries {
            let giver = Giver(words: "the batch `\(batch.name)`", chain: nil)
            own[entry.target.id, default: giver].own.formUnion(entry.values.map(\.name))
        }
        for (target, giver) in own { givers[target, default: []].append(giver) }
    }
}
