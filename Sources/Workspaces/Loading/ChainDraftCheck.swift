import Apus

/// Finds what the engine would refuse in a chain, and where it stands in the file.
struct ChainDraftCheck {
    let draft: ChainDraft
    let log: ProblemLog

    func check() {
        let plan = ChainPlan(
            draft.steps.indices.map { index in
                let step = draft.steps[index]
                return ChainPlan.Step(
                    step.name,
                    needs: draft.needs(of: index),
                    captures: step.captures.map { ChainPlan.Capture($0.name, $0.path) },
                    when: step.condition?.test,
                    forEach: step.forEach?.each
                ) { _ in throw CancellationError() }
            }
        )
        do throws(ChainPlanError) {
            _ = try ChainGraph(plan)
        } catch {
            for fault in error.faults {
                guard !log.isFull else { return log.cut() }
                report(fault)
            }
        }
    }

    private func report(_ fault: ChainPlanError.Fault) {
        switch fault {
        case .duplicateStep(let name): add(name, fault)
        case .unknownStep(let name, let step):
            let need = self.step(step)?.needs?.first { $0.name == name }
            let others = draft.steps.map(\.name).filter { $0 != step }
            let hint = Suggestion.hint(for: name, among: others)
            log.add(
                need?.span ?? span(of: step),
                "unknown step `\(name)`",
                expected: hint == nil ? "a step of the chain `\(draft.name)`" : nil,
                hint: hint
            )
        case .cycle(let path): add(path[0], fault)
        case .notCaptured(let name, let step, let makers):
            log.add(
                place(of: name, in: step),
                "no step before `\(step)` captures `\(name)`",
                hint: makers.first.map { "`\($0)` does: name it in `needs`" }
            )
        case .notNeeded(let name, let step):
            log.add(
                self.step(step)?.condition?.span ?? span(of: step),
                "the status of `\(name)` is not known here",
                hint: self.step(name) == nil
                    ? Suggestion.hint(for: name, among: draft.steps.map(\.name))
                    : "name it in `needs`"
            )
        case .capturedTwice(_, let steps): add(steps.last ?? "", fault)
        case .reservedName(_, let step): add(step, fault)
        }
    }

    private func add(_ step: String, _ fault: ChainPlanError.Fault) {
        log.add(span(of: step), "in the chain `\(draft.name)` \(fault)")
    }

    /// The `forEach` or the condition that uses a name.
    private func place(of name: String, in step: String) -> Span {
        let step = self.step(step)
        if let forEach = step?.forEach, forEach.each.list == name { return forEach.span }
        return step?.condition?.span ?? span(of: step?.name ?? "")
    }

    private func step(_ name: String) -> ChainDraft.Step? {
        draft.steps.first { $0.name == name }
    }

    private func span(of step: String) -> Span {
        self.step(step)?.span ?? draft.steps[0].span
    }
}
