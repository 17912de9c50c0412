import Apus
import Documents

/// Resolves every request once in every environment, to find faults before anything is sent.
///
/// Placeholders that count as values from a response stand for what is captured, so that places where such
/// values are not allowed are found too.
struct WorkspaceCheck {
    /// More than any workspace that people write; requests beyond are checked when they are sent.
    private static let maximumRequests = 100_000
    private static let maximumBytes = 32 << 20

    let workspace: Workspace
    let log: ProblemLog

    /// Checks everything.
    func check() {
        let captures = workspace.chains.map { ChainCaptures($0) }
        check { resolver, effort in
            resolver.checkVariables()
            var graph = SupplyGraph()
            // Without its rows a target lacks their variables, which is no fault of its own.
            for target in workspace.targets where isWorth(effort) && !target.hasFaultyRows {
                graph.add(resolver.resolve(target, overlay: supplied(to: target.id)))
            }
            graph.check(resolver.log)
            for batch in workspace.batches {
                for entry in batch.entries where isWorth(effort) {
                    _ = resolver.resolve(entry, index: 1)
                }
            }
            for (chain, captures) in zip(workspace.chains, captures) {
                for step in chain.steps.indices where isWorth(effort) {
                    check(step, of: chain, captures, resolver)
                }
            }
        }
    }

    /// Checks one target, which need not be in the workspace.
    func check(_ target: TargetDefinition) {
        check { resolver, _ in
            _ = resolver.resolve(target, overlay: supplied(to: target.id))
        }
    }

    /// Logs the problems that a part of the workspace has in each environment, once for all that share it.
    private func check(_ resolve: (TargetResolver, TargetResolver.Effort) -> Void) {
        var found: [Problem.Fault: Set<String>] = [:]
        var order: [Problem] = []
        let effort = TargetResolver.Effort()
        for environment in workspace.environments where isWorth(effort) {
            for problem in problems(in: environment, effort, resolve) {
                if found[problem.fault] == nil { order.append(problem) }
                found[problem.fault, default: []].insert(environment.name)
            }
        }
        for problem in order {
            let names = found[problem.fault, default: []].sorted()
            guard names.count < workspace.environments.count else {
                log.add(problem)
                continue
            }
            var narrowed = problem
            let list = names.prefix(8).map { "`\($0)`" }.joined(separator: ", ")
            let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
            narrowed.message += " in the environment\(names.count > 1 ? "s" : "") \(list)\(rest)"
            if narrowed.hint == nil { narrowed.hint = hint(for: problem) }
            log.add(narrowed)
        }
    }

    /// Which environments have the value that a problem misses.
    private func hint(for problem: Problem) -> String? {
        guard let missing = problem.missing?.name else { return nil }
        let others = workspace.environments.filter { environment in
            environment.variables.contains { $0.name == missing }
        }
        guard let first = others.first else { return nil }
        let who =
            others.count > 1
            ? "`\(first.name)` and \(others.count - 1) more have" : "`\(first.name)` has"
        return "\(who) it; give it a value here too, or one for all under `variables`"
    }

    private func isWorth(_ effort: TargetResolver.Effort) -> Bool {
        effort.requests < Self.maximumRequests && effort.bytes < Self.maximumBytes
    }

    private func problems(
        in environment: Environment,
        _ effort: TargetResolver.Effort,
        _ resolve: (TargetResolver, TargetResolver.Effort) -> Void
    ) -> [Problem] {
        let local = ProblemLog()
        let resolver = TargetResolver(
            workspace: workspace,
            environment: environment,
            purpose: .checking,
            log: local,
            effort: effort
        )
        resolve(resolver, effort)
        if local.isCut { log.cut() }
        return local.problems
    }

    private func supplied(to target: TargetID) -> Scope.Layer {
        let supplied = workspace.supplied
        return .lookup(
            { supplied.giver(of: $0, to: target).map { _ in .value(Self.placeholder) } },
            names: { [] }
        )
    }

    private func check(
        _ index: Int,
        of chain: ChainDefinition,
        _ captures: ChainCaptures,
        _ resolver: TargetResolver
    ) {
        let step = chain.steps[index]
        let own = step.forEach.map { [$0.element, "index"] } ?? []
        let captured = Scope.Layer.lookup(
            { name in
                if own.contains(name) { return .value(Self.captured) }
                guard let maker = captures.maker(of: name, for: index) else { return nil }
                return .value(maker.forEach == nil ? Self.captured : Self.capturedList)
            },
            names: { own + captures.names(for: index) }
        )
        _ = resolver.resolve(step, captured: captured) { name in
            captures.possibleMaker(of: name, for: index).map {
                "the step `\($0.name)` captures it: name it in `needs`"
            }
        }
    }

    private static let placeholder = ResolvedValue(.string("captured"))
    private static let captured = ResolvedValue(.string("captured"), isFromResponse: true)
    private static let capturedList = ResolvedValue(
        .array([.string("captured")]),
        isFromResponse: true
    )
}

/// Reports what the engine would refuse in a chain, with its place in the file.
struct ChainDraftCheck {
    let draft: UnlinkedChain
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

    /// The place of the `forEach` or the condition that uses a name.
    private func place(of name: String, in step: String) -> Span {
        let step = self.step(step)
        if let forEach = step?.forEach, forEach.each.list == name { return forEach.span }
        return step?.condition?.span ?? span(of: step?.name ?? "")
    }

    private func step(_ name: String) -> UnlinkedChain.Step? {
        draft.steps.first { $0.name == name }
    }

    private func span(of step: String) -> Span {
        self.step(step)?.span ?? draft.steps[0].span
    }
}
