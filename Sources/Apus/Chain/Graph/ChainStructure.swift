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
    package private(set) var ancestors: [PlaceSet]

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
        ancestors = Array(repeating: PlaceSet(), count: needs.count)
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
