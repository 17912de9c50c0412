package import BitCollections
package import Documents

/// A plan that was checked: its steps, what each needs, and no circle among them.
///
/// It can be run any number of times, and drawn (`layout`, `drawing`).
public struct ChainGraph: Sendable {
    /// The plan.
    public internal(set) var plan: ChainPlan
    /// Where answers come from, unless a step says otherwise.
    public var source: DataSource
    /// The steps in an order in which each stands behind those that it needs.
    public let order: [Int]

    /// Whether the results of steps keep their answers.
    package var keepsResponses: Bool {
        get { plan.keepsResponses }
        set { plan.keepsResponses = newValue }
    }

    /// What is not to be shown of what is captured, beside what the steps' requests say.
    package var mask = CredentialMask()

    let structure: ChainStructure

    /// Checks a plan.
    ///
    /// - Throws: `ChainPlanError` with all that is wrong in it.
    public init(_ plan: ChainPlan) throws(ChainPlanError) {
        let structure = ChainStructure(plan)
        let faults = ChainPlanCheck(plan: plan, structure: structure).faults
        guard faults.isEmpty else { throw ChainPlanError(faults: faults) }
        self.plan = plan
        self.structure = structure
        source = plan.source
        order = structure.order
    }

    /// The steps that a step needs directly, by their places in the plan.
    public func needs(of step: Int) -> [Int] { structure.needs[step] }

    /// The steps that need a step directly, by their places in the plan.
    public func dependants(of step: Int) -> [Int] { structure.dependants[step] }
}

extension ChainGraph {
    /// The same chain, with another target in the place of each.
    package func mapTargets(
        _ transform: @escaping @Sendable (Int, String?, any TargetType) -> any TargetType
    ) -> ChainGraph {
        var graph = self
        for (place, step) in plan.steps.enumerated() {
            graph.plan.steps[place].target = { values in
                transform(place, step.name, try await step.target(values))
            }
        }
        return graph
    }

    /// What a step gave as it may be shown, in the plan's order: a mask for what is captured as a
    /// credential, and for known secrets, which a server may send back.
    ///
    /// In a line only the beginning of a long text is shown, and how much a large value has.
    package func shownCaptures(
        of step: ChainStepResult,
        inLine: Bool = false
    ) -> [(name: String, value: JSON)] {
        let mask = step.secrets.mask(with: mask.secrets)
        return plan.steps[step.index].captures.compactMap { capture in
            guard let value = step.captures[capture.name] else { return nil }
            guard !capture.isCredential else { return (capture.name, JSON(CredentialMask.mask)) }
            if inLine, let beginning = mask.beginning(of: value, step.secrets.isCaptured) {
                return (capture.name, beginning)
            }
            return (capture.name, mask.masking(value) { step.secrets.isCaptured($0) })
        }
    }
}

/// Who needs whom in a plan, by place.
package struct ChainStructure: Sendable {
    /// The needs that name a step, each once.
    private(set) var needs: [[Int]]
    private(set) var dependants: [[Int]]
    /// Needs before dependants; steps of a circle, and those behind it, are not in it.
    private(set) var order: [Int] = []
    /// The circles, each once, as the places along it.
    private(set) var cycles: [[Int]] = []
    /// All that a step needs, directly and not; empty for a step behind a circle.
    package private(set) var ancestors: [BitSet]

    init(_ plan: ChainPlan) { self.init(steps: plan.steps.map { ($0.name, $0.needs) }) }

    /// Looks through steps and what they say that they need; of a name that is not there they
    /// need nothing.
    package init(steps: [(name: String, needs: [String])]) {
        let places = Dictionary(
            steps.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        needs = steps.map { step in
            var seen: Set<Int> = []
            return step.needs.compactMap { places[$0] }.filter { seen.insert($0).inserted }
        }
        dependants = Array(repeating: [], count: needs.count)
        for (step, needed) in needs.enumerated() {
            for need in needed { dependants[need].append(step) }
        }
        ancestors = Array(repeating: BitSet(), count: needs.count)
        let rest = sort()
        findCycles(among: rest)
        for step in order {
            for need in needs[step] {
                ancestors[step].insert(need)
                ancestors[step].formUnion(ancestors[need])
            }
        }
    }

    /// Puts the steps in order; a step is taken when it needs none that is left.
    ///
    /// - Returns: the steps that never were, because they are in a circle or behind one.
    private mutating func sort() -> Set<Int> {
        var open = needs.map(\.count)
        var ready = open.indices.filter { open[$0] == 0 }
        var next = 0
        while next < ready.count {
            let step = ready[next]
            next += 1
            for dependant in dependants[step] {
                open[dependant] -= 1
                if open[dependant] == 0 { ready.append(dependant) }
            }
        }
        order = ready
        return Set(needs.indices).subtracting(ready)
    }

    /// Each step that is left needs another one that is, so that going on from need
    /// to need comes back somewhere.
    private mutating func findCycles(among rest: Set<Int>) {
        var visited: Set<Int> = []
        for start in rest.sorted() where !visited.contains(start) {
            var path: [Int] = []
            var step = start
            while visited.insert(step).inserted {
                path.append(step)
                guard let need = needs[step].first(where: rest.contains) else { break }
                step = need
            }
            // A way into a circle that is known ends beside its own path.
            guard let first = path.firstIndex(of: step), path.count > first,
                needs[path[path.count - 1]].contains(step)
            else { continue }
            cycles.append(Array(path[first...]))
        }
    }
}
