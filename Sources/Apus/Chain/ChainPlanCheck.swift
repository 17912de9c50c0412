/// Finds all faults in a plan.
///
/// Looks names up one by one, because a table of what each step may use would grow with the square of the
/// number of steps.
struct ChainPlanCheck {
    private let plan: ChainPlan
    private let structure: ChainStructure
    /// The steps that capture each value, in the plan's order.
    private let makers: [String: [Int]]
    /// The names of the values, in the order in which they are first captured.
    private let captured: [String]

    init(plan: ChainPlan, structure: ChainStructure) {
        self.plan = plan
        self.structure = structure
        var makers: [String: [Int]] = [:]
        var captured: [String] = []
        for (index, step) in plan.steps.enumerated() {
            for name in Set(step.captures.map(\.name)).sorted() {
                if makers[name] == nil { captured.append(name) }
                makers[name, default: []].append(index)
            }
        }
        self.makers = makers
        self.captured = captured
    }

    var faults: [ChainPlanError.Fault] {
        let broken = nameFaults + cycleFaults
        // Which values a step may use is only known if all needs are valid.
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

    /// The values that a step uses but that no step it needs captures.
    private func notCaptured(by index: Int) -> [ChainPlanError.Fault] {
        let step = plan.steps[index]
        let own = step.forEach.map { [$0.element, ChainGraphRun.indexName] } ?? []
        let used =
            (step.condition?.uses ?? []) + (step.forEach.map { [$0.list] } ?? [])
            + step.uses.filter { !own.contains($0) }
        var seen: Set<String> = []
        return used.filter { !isCaptured($0, before: index) && seen.insert($0).inserted }
            .map { name in
                let makers = (makers[name] ?? []).map { plan.steps[$0].name }
                return .notCaptured(name, usedBy: step.name, makers: makers)
            }
    }

    private func isCaptured(_ name: String, before step: Int) -> Bool {
        makers[name]?.contains { structure.ancestors[step].contains($0) } == true
    }

    /// The steps whose status the condition of a step reads without the step needing them.
    private func notNeeded(by index: Int) -> [ChainPlanError.Fault] {
        let step = plan.steps[index]
        let needed = structure.ancestors[index]
        return (step.condition?.steps ?? []).filter { name in
            structure.places[name].map { !needed.contains($0) } ?? true
        }
        .map { .notNeeded($0, by: step.name) }
    }

    /// Values that are captured by two steps of which neither needs the other.
    private var conflicts: [ChainPlanError.Fault] {
        var ranks = Array(repeating: 0, count: plan.steps.count)
        for (rank, step) in structure.order.enumerated() { ranks[step] = rank }
        return captured.compactMap { name in
            let steps = (makers[name] ?? []).sorted { ranks[$0] < ranks[$1] }
            return pair(among: steps).map { first, second in
                .capturedTwice(name, by: [plan.steps[first].name, plan.steps[second].name])
            }
        }
    }

    /// Returns two steps that may run side by side.
    ///
    /// Comparing neighbors is enough: if each step needs the one before it, it needs all before it.
    private func pair(among steps: [Int]) -> (Int, Int)? {
        for (first, second) in zip(steps, steps.dropFirst())
        where !structure.ancestors[second].contains(first) {
            return (min(first, second), max(first, second))
        }
        return nil
    }
}

/// Why a plan cannot run; nothing has been sent.
public struct ChainPlanError: Error, Sendable, Hashable {
    /// Everything that is wrong; never empty.
    public let faults: [Fault]

    /// One thing that is wrong in a plan.
    public enum Fault: Sendable, Hashable {
        /// Two steps have the same name.
        case duplicateStep(String)
        /// A step needs a step that is not in the plan.
        case unknownStep(String, neededBy: String)
        /// Steps need each other; the path begins and ends with the same step.
        case cycle([String])
        /// A step uses a value that no step it needs captures; `makers` are the steps that do capture it.
        case notCaptured(String, usedBy: String, makers: [String])
        /// A condition reads the status of a step that its own step does not need.
        case notNeeded(String, by: String)
        /// Two steps that may run side by side capture the same value.
        case capturedTwice(String, by: [String])
        /// A capture has a name that is reserved in conditions.
        case reservedName(String, step: String)
    }
}
