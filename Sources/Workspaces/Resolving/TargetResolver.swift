/// Fills in targets for one environment.
struct TargetResolver {
    let workspace: Workspace
    let environment: Environment
    let purpose: Evaluation.Purpose
    let log: ProblemLog
    private let scope: Scope

    init(
        workspace: Workspace,
        environment: Environment,
        purpose: Evaluation.Purpose,
        log: ProblemLog
    ) {
        self.workspace = workspace
        self.environment = environment
        self.purpose = purpose
        self.log = log
        scope = Scope(
            given: workspace.given,
            workspace: workspace.variables,
            environment: environment.variables
        ).overlaid(with: workspace.overrides.mapValues { ResolvedValue($0) })
    }

    /// A target with values over all variables; nil if something is wrong, which is logged.
    func resolve(
        _ target: TargetDefinition,
        overlay: [String: ResolvedValue] = [:],
        advice: [String: String] = [:]
    ) -> WorkspaceTarget? {
        var draft = WorkspaceTargetDraft(
            target: target,
            settings: workspace.defaults.overridden(by: environment.settings)
                .overridden(by: target.settings),
            evaluation: Evaluation(
                scope: scope.overlaid(with: overlay),
                purpose: purpose,
                log: log,
                advice: advice
            ),
            environment: environment
        )
        return draft.resolve()
    }

    /// A batch's target, for one of its repeats.
    func resolve(_ entry: BatchDefinition.Entry, index: Int) -> WorkspaceTarget? {
        let own = ["index": ResolvedValue(.number(String(index)))]
        guard let values = evaluate(entry.values, over: own) else { return nil }
        return resolve(entry.target, overlay: own.merging(values) { $1 })
    }

    /// A chain's step, with what the steps before it captured.
    func resolve(
        _ step: ChainStepDefinition,
        captured: [String: ResolvedValue],
        advice: [String: String] = [:]
    ) -> WorkspaceTarget? {
        guard let values = evaluate(step.values, over: captured, advice) else { return nil }
        // A step's own value is the nearest, and may be made from a captured one of its name.
        return resolve(step.target, overlay: captured.merging(values) { $1 }, advice: advice)
    }

    /// Evaluates every variable, for its faults.
    func checkVariables() {
        for name in scope.names { _ = shown(name) }
    }

    /// The variables with their values, secrets masked.
    var shownVariables: [(name: String, text: String)] {
        scope.names.map { ($0, shown($0) ?? "") }
    }

    private func shown(_ name: String) -> String? {
        guard case .variable(let variable) = scope[name] else {
            if case .value(let value) = scope[name] { return value.shown.scalarText }
            return nil
        }
        var evaluation = Evaluation(scope: scope, purpose: purpose, log: log)
        let template = Template(naming: name, variable.span)
        return evaluation.value(.text(template))?.shown.scalarText
    }

    private func evaluate(
        _ assignments: [Assignment],
        over values: [String: ResolvedValue],
        _ advice: [String: String] = [:]
    ) -> [String: ResolvedValue]? {
        var evaluation = Evaluation(
            scope: scope.overlaid(with: values),
            purpose: purpose,
            log: log,
            advice: advice
        )
        var result: [String: ResolvedValue] = [:]
        var isComplete = true
        for assignment in assignments {
            if let value = evaluation.value(assignment.value) {
                result[assignment.name] = value
            } else {
                isComplete = false
            }
        }
        return isComplete ? result : nil
    }
}
