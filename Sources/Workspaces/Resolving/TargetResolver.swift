package import Apus
package import Documents
import Synchronization

/// Fills in targets for one environment.
struct TargetResolver {
    /// The work done so far.
    final class Effort {
        private(set) var requests = 0
        private(set) var bytes = 0

        func add(bytes: Int) {
            requests += 1
            self.bytes += bytes
        }
    }

    let workspace: Workspace
    let environment: Environment
    let purpose: Evaluation.Purpose
    let log: ProblemLog
    let scope: Scope
    private let effort: Effort?
    /// The settings that all targets have in this environment.
    let shared: RequestSettings
    private let place: WorkspaceTargetBuilder.Place

    init(
        workspace: Workspace,
        environment: Environment,
        purpose: Evaluation.Purpose,
        log: ProblemLog,
        effort: Effort? = nil
    ) {
        self.workspace = workspace
        self.environment = environment
        self.purpose = purpose
        self.log = log
        self.effort = effort
        place = WorkspaceTargetBuilder.Place(
            path: workspace.path.flatMap(TextFile.realPath) ?? workspace.name
        ) { WorkspaceTrust().isTrusted(workspace.commands, at: workspace.path) }
        shared = workspace.defaults.overridden(by: environment.settings)
        scope = Scope(
            given: workspace.given,
            workspace: workspace.variables,
            environment: environment.variables
        ).overlaid(with: workspace.overrides.mapValues { ResolvedValue($0) })
            .overlaid(with: workspace.sessionLayer(in: environment))
    }

    /// Fills in a target, with names that override all variables; nil if something is wrong, which is logged.
    ///
    /// It has the values of one of its own rows, counted from 0; nil for none of them.
    func resolve(
        _ target: TargetDefinition,
        row index: Int? = 0,
        overlay: Scope.Layer? = nil,
        advice: @escaping Evaluation.Advice = { _ in nil }
    ) -> WorkspaceTarget? {
        guard let row = row(index, of: target) else { return nil }
        return resolve(
            target,
            in: scope.overlaid(with: row.values).overlaid(with: overlay),
            after: row,
            nil,
            advice
        ) { resolver in
            resolver.resolve(target, row: index, overlay: overlay, advice: advice)
        }
    }

    /// Fills in a batch's target once for each repeat; nil if something is wrong, which is logged.
    func resolve(_ entry: BatchDefinition.Entry) -> [WorkspaceTarget]? {
        var targets: [WorkspaceTarget] = []
        while targets.count < entry.repeatCount {
            let use = IndexUse()
            guard let target = resolve(entry, index: targets.count + 1, use) else { return nil }
            // All repeats are the same if nothing used the index, or what differs each time.
            let count = use.isAsked.withLock(\.self) ? 1 : entry.repeatCount
            targets += repeatElement(target, count: count)
        }
        return targets
    }

    /// Whether something used `index`, or a function that differs each time.
    private final class IndexUse: Sendable {
        let isAsked = Mutex(false)
    }

    /// Fills in a batch's target for one of its repeats.
    func resolve(_ entry: BatchDefinition.Entry, index: Int) -> WorkspaceTarget? {
        resolve(entry, index: index, IndexUse())
    }

    /// Fills in a batch's target for one of its repeats, and finds whether all of them are the same.
    func resolveRepeat(
        _ entry: BatchDefinition.Entry,
        index: Int
    ) -> (target: WorkspaceTarget, isSame: Bool)? {
        let use = IndexUse()
        guard let target = resolve(entry, index: index, use) else { return nil }
        return (target, !use.isAsked.withLock(\.self))
    }

    private func resolve(
        _ entry: BatchDefinition.Entry,
        index: Int,
        _ use: IndexUse
    ) -> WorkspaceTarget? {
        let layer = Scope.Layer.lookup(
            { name in
                guard name == "index" else { return nil }
                use.isAsked.withLock { $0 = true }
                return .value(ResolvedValue(.number(String(index))))
            },
            names: { ["index"] }
        )
        guard let row = row(0, of: entry.target) else { return nil }
        let scope = scope.overlaid(with: row.values).overlaid(with: layer)
        guard let set = evaluate(entry.values, in: scope, use)?.adding(row) else { return nil }
        return resolve(
            entry.target,
            in: scope.overlaid(with: set.values),
            after: set,
            use
        ) { resolver in
            resolver.resolve(entry, index: index)
        }
    }

    /// Fills in a chain's step, with what the steps before it captured.
    func resolve(
        _ step: ChainStepDefinition,
        captured: Scope.Layer,
        advice: @escaping Evaluation.Advice = { _ in nil }
    ) -> WorkspaceTarget? {
        guard let row = row(0, of: step.target) else { return nil }
        let scope = scope.overlaid(with: row.values).overlaid(with: captured)
        guard let set = evaluate(step.values, in: scope, nil, advice)?.adding(row) else {
            return nil
        }
        // A step's own values override captured ones, and can be made from a captured value of the same name.
        return resolve(
            step.target,
            in: scope.overlaid(with: set.values),
            after: set,
            expecting: step.expectations,
            nil,
            advice
        ) { resolver in
            resolver.resolve(step, captured: captured, advice: advice)
        }
    }

    /// Evaluates templates with the values that a scope has.
    func evaluation(
        in scope: Scope,
        advice: @escaping Evaluation.Advice = { _ in nil },
        maximumTotal: Int = Evaluation.usualTotal
    ) -> Evaluation {
        var evaluation = Evaluation(
            scope: scope,
            purpose: purpose,
            log: log,
            advice: advice,
            reader: workspace.secrets,
            environment: environment.name,
            supplier: workspace.supplier,
            maximumTotal: maximumTotal
        )
        (evaluation.marks, evaluation.rules) = (workspace.marks, workspace.rules)
        return evaluation
    }

    /// Evaluates every variable, to log its faults.
    func checkVariables() { _ = shownVariables }

    /// The variables and their values with secrets masked, sorted by name.
    var shownVariables: [(name: String, text: String)] {
        // One evaluation for all, so that each variable is resolved once, however many are made of it.
        var evaluation = evaluation(in: scope, maximumTotal: 64 << 20)
        return scope.names.map { ($0, Self.shown($0, in: scope, &evaluation) ?? "") }
    }

    private static func shown(
        _ name: String,
        in scope: Scope,
        _ evaluation: inout Evaluation
    ) -> String? {
        switch scope[name] {
        case .variable(let variable): evaluation.value(of: variable)?.shown.scalarText
        case .value(let value): value.shown.scalarText
        case .captured(let value, let isCredential, let secrets):
            value.masked(isCredential, secrets).scalarText
        case .capturedTooDeep, nil: nil
        }
    }

    /// What was evaluated before a target: the values of `set`, their secrets, which the target must mask too, and
    /// the supplied variables in them.
    private struct SetValues {
        var values: [String: ResolvedValue] = [:]
        var secrets: Set<String> = []
        var needs: [SupplyNeed] = []

        /// With what those of a row need, whose values are in the scope already.
        func adding(_ row: SetValues) -> SetValues {
            SetValues(
                values: values,
                secrets: secrets.union(row.secrets),
                needs: row.needs + needs
            )
        }
    }

    /// The values of a target's row, which it has unless something overrides them, with the row's number from 1 as
    /// `index`; nil if something is wrong.
    private func row(_ index: Int?, of target: TargetDefinition) -> SetValues? {
        guard let index, target.sentRows.indices.contains(index) else { return SetValues() }
        let number = ["index": ResolvedValue(.number(String(index + 1)))]
        guard var row = evaluate(target.sentRows[index], in: scope.overlaid(with: number)) else {
            return nil
        }
        row.values.merge(number) { own, _ in own }
        return row
    }

    /// `again` fills it in once more, when there are values that it waits for.
    private func resolve(
        _ target: TargetDefinition,
        in scope: Scope,
        after set: SetValues = SetValues(),
        expecting own: [ExpectationSetting] = [],
        _ use: IndexUse? = nil,
        _ advice: @escaping Evaluation.Advice = { _ in nil },
        again: @escaping @Sendable (TargetResolver) -> WorkspaceTarget?
    ) -> WorkspaceTarget? {
        let shared = workspace.groupLayers(of: target)
            .reduce(shared) { $0.overridden(by: $1.settings) }
        let whole = shared.overridden(by: target.ownSettings)
        var draft = WorkspaceTargetBuilder(
            target: target,
            settings: target.takesDefaults
                ? whole : shared.forConnecting.overridden(by: target.ownSettings),
            settingsWithDefaults: target.takesDefaults ? nil : whole,
            evaluation: evaluation(in: scope, advice: advice),
            environment: environment,
            cookieJar: workspace.cookieJars?.jar(for: environment.name),
            rules: workspace.rules,
            place: place,
            usesSamples: workspace.usesSamples
        )
        draft.expect(own)
        for secret in set.secrets { draft.evaluation.addSecret(secret) }
        draft.evaluation.needs = set.needs
        // The response may repeat any secret that the workspace gives to another target.
        if purpose == .sending {
            for secret in workspace.knownSecrets { draft.evaluation.addSecret(secret) }
        }
        defer {
            effort?.add(bytes: draft.evaluation.total)
            if draft.evaluation.isVarying { use?.isAsked.withLock { $0 = true } }
        }
        var resolved = draft.resolve()
        let (needs, runsCommands) = (draft.evaluation.needs, draft.evaluation.runsCommands)
        guard !needs.isEmpty || runsCommands else { return resolved }
        resolved?.supply = TargetSupply(
            needs: needs,
            workspace: workspace,
            runsCommands: runsCommands
        ) { [workspace, environment] () throws(WorkspaceError) in
            try workspace.resolve(in: environment.name, again)
        }
        return resolved
    }

    /// The values of `set`; nil if something is wrong.
    private func evaluate(
        _ assignments: [Assignment],
        in scope: Scope,
        _ use: IndexUse? = nil,
        _ advice: @escaping Evaluation.Advice = { _ in nil }
    ) -> SetValues? {
        var evaluation = evaluation(in: scope, advice: advice)
        defer { if evaluation.isVarying { use?.isAsked.withLock { $0 = true } } }
        var result: [String: ResolvedValue] = [:]
        var isComplete = true
        for assignment in assignments {
            if let value = evaluation.value(assignment.value) {
                result[assignment.name] = value
            } else {
                isComplete = false
            }
        }
        guard isComplete else { return nil }
        return SetValues(values: result, secrets: evaluation.secrets, needs: evaluation.needs)
    }
}

extension Workspace {
    /// The values entered in this session; the value of a secret stays secret.
    fileprivate func sessionLayer(in environment: Environment) -> Scope.Layer? {
        guard !session.isEmpty else { return nil }
        let bindings = session.map { name, text -> (String, Scope.Binding) in
            guard isSecret(name, in: environment.name) else {
                return (name, .value(ResolvedValue(.string(text))))
            }
            let secret = Secret(origin: "this session", value: text, fault: nil)
            let content = Variable.Content.secret(secret)
            return (name, .variable(Variable(name: name, span: environment.span, content: content)))
        }
        return .table(Dictionary(bindings) { first, _ in first })
    }

    /// Fills in a target for an environment (the first one, if none has the name).
    ///
    /// - Parameters:
    ///   - target: The target.
    ///   - environment: The environment's name.
    ///   - row: Which of its own rows it has the values of, counted from 0; nil for none.
    ///   - captured: Values that override all variables. They are trusted like the workspace's own; a
    ///     response's values are given to a step instead.
    /// - Returns: The target, ready to be sent.
    /// - Throws: `WorkspaceError` if a variable or a secret has no value, or the URL is not valid.
    package func resolve(
        _ target: TargetDefinition,
        in environment: String,
        row: Int? = 0,
        captured: [String: Value] = [:]
    ) throws(WorkspaceError) -> WorkspaceTarget {
        try resolve(in: environment) { resolver in
            resolver.resolve(
                target,
                row: row,
                overlay: Scope.Layer(captured.mapValues { ResolvedValue($0) })
            ) { supplied.giver(of: $0, to: target.id).map { "\($0) sets it" } }
        }
    }

    /// Fills in a batch: its requests in order, with repeats.
    ///
    /// - Throws: `WorkspaceError`, as for a target.
    package func resolve(
        _ batch: BatchDefinition,
        in environment: String
    ) throws(WorkspaceError) -> [WorkspaceTarget] {
        try resolve(in: environment) { resolver in
            var targets: [WorkspaceTarget] = []
            for entry in batch.entries {
                guard let repeats = resolver.resolve(entry) else { return nil }
                targets += repeats
            }
            return targets
        }
    }

    /// Fills in one of the repeats of a batch's target, counted from 1.
    func resolveRepeat(
        _ index: Int,
        of entry: BatchDefinition.Entry,
        in environment: String
    ) throws(WorkspaceError) -> (target: WorkspaceTarget, isSame: Bool) {
        try resolve(in: environment) { $0.resolveRepeat(entry, index: index) }
    }

    /// Fills in a step of a chain.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - environment: The environment's name.
    ///   - names: The names that all steps before it captured.
    ///   - credentials: The names among them that stand for credentials.
    ///   - secrets: The credentials that the chain's run captured.
    ///   - captured: Returns the value of a captured name; called only for the names that the step uses,
    ///     because converting all values could take long.
    /// - Returns: The target, ready to be sent.
    /// - Throws: `WorkspaceError`, as for a target.
    package func resolve(
        _ step: ChainStepDefinition,
        in environment: String,
        names: @autoclosure @escaping @Sendable () -> [String],
        credentials: Set<String> = [],
        secrets: ChainSecrets = ChainSecrets(),
        captured: @escaping @Sendable (_ name: String) -> JSON?
    ) throws(WorkspaceError) -> WorkspaceTarget {
        try resolve(in: environment) { resolver in
            resolver.resolve(
                step,
                captured: .lookup(
                    { name in
                        guard let json = captured(name), json.kind != nil else { return nil }
                        guard let value = Value(json) else { return .capturedTooDeep }
                        let isCredential = credentials.contains(name)
                        return .captured(value, isCredential: isCredential, secrets)
                    },
                    names: names
                )
            )
        }
    }

    fileprivate func resolve<Result>(
        in environment: String,
        _ body: (TargetResolver) -> Result?
    ) throws(WorkspaceError) -> Result {
        let log = ProblemLog()
        let resolver = TargetResolver(
            workspace: self,
            environment: self.environment(environment),
            purpose: .sending,
            log: log
        )
        let result = body(resolver)
        try log.throwIfAny(files: files)
        guard let result else {
            throw WorkspaceError([
                Problem(file: files.first ?? name, "the request cannot be prepared")
            ])
        }
        return result
    }
}
