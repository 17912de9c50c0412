/// Looks for all that is wrong in a plan.
struct ChainPlanCheck {
    let plan: ChainPlan
    let structure: ChainStructure

    var faults: [ChainPlanError.Fault] {
        let broken = nameFaults + cycleFaults
        // What a step may use is not known before its needs are.
        return broken.isEmpty ? valueFaults + conflicts : broken
    }

    private var nameFaults: [ChainPlanError.Fault] {
        var seen: Set<String> = []
        var faults: [ChainPlanError.Fault] = []
        for step in plan.steps where !seen.insert(step.name).inserted {
            faults.append(.duplicateStep(step.name))
        }
        for step in plan.steps {
            for need in step.needs where !seen.contains(need) {
                faults.append(.unknownStep(need, neededBy: step.name))
            }
        }
        return faults
    }

    /// "a → b → a": a needs b, which needs a.
    private var cycleFaults: [ChainPlanError.Fault] {
        structure.cycles.map { cycle in
            .cycle((cycle + cycle.prefix(1)).map { plan.steps[$0].name })
        }
    }

    private var valueFaults: [ChainPlanError.Fault] {
        plan.steps.indices.flatMap { valueFaults(of: $0) }
    }

    private func valueFaults(of index: Int) -> [ChainPlanError.Fault] {
        let step = plan.steps[index]
        return notCaptured(by: index) + notNeeded(by: index)
            + step.captures.filter { $0.name == ChainValues.stepsName }
            .map { .reservedName($0.name, step: step.name) }
    }

    /// The values that a step uses and no step that it needs captures.
    private func notCaptured(by index: Int) -> [ChainPlanError.Fault] {
        let step = plan.steps[index]
        let own = step.forEach.map { [$0.element, ChainGraphRun.indexName] } ?? []
        let used =
            (step.condition?.uses ?? []) + (step.forEach.map { [$0.list] } ?? [])
            + step.uses.filter { !own.contains($0) }
        guard !used.isEmpty else { return [] }
        let needed = structure.ancestors[index].places
        let known = Set(needed.flatMap { plan.steps[$0].captures.map(\.name) })
        var seen: Set<String> = []
        return used.filter { !known.contains($0) && seen.insert($0).inserted }
            .map { .notCaptured($0, usedBy: step.name, makers: makers(of: $0)) }
    }

    /// The steps whose status a condition looks at and that its step does not need.
    private func notNeeded(by index: Int) -> [ChainPlanError.Fault] {
        let step = plan.steps[index]
        guard let others = step.condition?.steps, !others.isEmpty else { return [] }
        let needed = Set(structure.ancestors[index].places.map { plan.steps[$0].name })
        return others.filter { !needed.contains($0) }.map { .notNeeded($0, by: step.name) }
    }

    private func makers(of name: String) -> [String] {
        plan.steps.filter { $0.captures.contains { $0.name == name } }.map(\.name)
    }

    /// Values that two steps capture of which neither needs the other.
    private var conflicts: [ChainPlanError.Fault] {
        var makers: [String: [Int]] = [:]
        var names: [String] = []
        for (index, step) in plan.steps.enumerated() {
            for name in Set(step.captures.map(\.name)).sorted() {
                if makers[name] == nil { names.append(name) }
                makers[name, default: []].append(index)
            }
        }
        return names.compactMap { name in
            pair(among: makers[name] ?? []).map { first, second in
                .capturedTwice(name, by: [plan.steps[first].name, plan.steps[second].name])
            }
        }
    }

    private func pair(among steps: [Int]) -> (Int, Int)? {
        for (offset, first) in steps.enumerated() {
            for second in steps.dropFirst(offset + 1)
            where !structure.ancestors[first].contains(second)
                && !structure.ancestors[second].contains(first)
            {
                return (first, second)
            }
        }
        return nil
    }
}
