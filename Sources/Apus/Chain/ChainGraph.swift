package import BitCollections
package import Documents
package import Secrets

/// A checked plan: its steps, the needs of each, and no cycle among them.
///
/// It can be run any number of times, and drawn (`layout`, `drawing`).
public struct ChainGraph: Sendable {
    /// The plan that was checked.
    public internal(set) var plan: ChainPlan
    /// The indexes of the steps, each after the steps that it needs.
    public let order: [Int]

    /// Where responses come from, unless a step says otherwise.
    public var source: DataSource {
        get { plan.source }
        set { plan.source = newValue }
    }

    /// Whether step results keep their responses.
    package var keepsResponses: Bool {
        get { plan.keepsResponses }
        set { plan.keepsResponses = newValue }
    }

    /// Masks captured values in addition to the secrets of the steps' requests.
    package var mask = CredentialMask()

    let structure: ChainStructure

    /// Checks a plan.
    ///
    /// - Throws: `ChainPlanError` with every fault in the plan.
    public init(_ plan: ChainPlan) throws(ChainPlanError) {
        let structure = ChainStructure(plan)
        let faults = ChainPlanCheck(plan: plan, structure: structure).faults
        guard faults.isEmpty else { throw ChainPlanError(faults: faults) }
        self.plan = plan
        self.structure = structure
        order = structure.order
    }

    /// The indexes of the steps that a step needs directly.
    public func needs(of step: Int) -> [Int] { structure.needs[step] }

    /// The indexes of the steps that need a step directly.
    public func dependents(of step: Int) -> [Int] { structure.dependents[step] }
}

extension ChainGraph {
    /// Returns the graph with each target replaced by `transform`, which gets the step's index, its name and
    /// the target.
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

    /// The captures of a step for display, in the plan's order, with credentials and known secrets masked.
    ///
    /// With `inLine`, long strings are cut, and large arrays and objects show only their number of elements.
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

/// The dependencies of the steps of a plan, by index.
package struct ChainStructure: Sendable {
    /// The step of each name; the first of several.
    let places: [String: Int]
    /// The steps that each step needs, without unknown names and duplicates.
    private(set) var needs: [[Int]]
    private(set) var dependents: [[Int]]
    /// Needs before dependents, without the steps in a cycle or after one.
    private(set) var order: [Int] = []
    /// The cycles, each once, as the indexes along it.
    private(set) var cycles: [[Int]] = []
    /// All that a step needs, directly or not; empty for a step in a cycle or after one.
    package private(set) var ancestors: [BitSet]

    init(_ plan: ChainPlan) { self.init(steps: plan.steps.map { ($0.name, $0.needs) }) }

    /// Takes the names of steps and of what each one needs; unknown names are ignored.
    package init(steps: [(name: String, needs: [String])]) {
        let places = Dictionary(
            steps.enumerated().map { ($1.name, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        self.places = places
        needs = steps.map { step in
            var seen: Set<Int> = []
            return step.needs.compactMap { places[$0] }.filter { seen.insert($0).inserted }
        }
        dependents = Array(repeating: [], count: needs.count)
        for (step, needed) in needs.enumerated() {
            for need in needed { dependents[need].append(step) }
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

    /// Puts the steps in order, each after all that it needs.
    ///
    /// - Returns: the steps that are in a cycle or after one.
    private mutating func sort() -> Set<Int> {
        var open = needs.map(\.count)
        var ready = open.indices.filter { open[$0] == 0 }
        var next = 0
        while next < ready.count {
            let step = ready[next]
            next += 1
            for dependant in dependents[step] {
                open[dependant] -= 1
                if open[dependant] == 0 { ready.append(dependant) }
            }
        }
        order = ready
        return Set(needs.indices).subtracting(ready)
    }

    /// Finds the cycles among the unsorted steps.
    ///
    /// Each of them needs another one, so a path from need to need must return to a step that it visited.
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
            // A path that leads into a known cycle ends at a step that is not its own.
            guard let first = path.firstIndex(of: step), path.count > first,
                needs[path[path.count - 1]].contains(step)
            else { continue }
            cycles.append(Array(path[first...]))
        }
    }
}
