package import Apus
import Documents
import Secrets

/// What a run sends and checks: targets, batches and chains, in order.
package struct RunPlan: Sendable {
    /// A request of a run, by the name that reports give it.
    package struct Request: Sendable {
        /// The target's id, with the batch and the row that it is of.
        package let name: String
        /// Where the target is defined.
        package let location: SourceLocation
        /// Fills in the target; or says what is wrong with it, in a line.
        let target: @Sendable () -> Result<WorkspaceTarget, RunFailure.Unprepared>
    }

    /// Requests that are sent together.
    package enum Part: Sendable {
        /// Targets, each on its own.
        case targets([Request])
        /// The requests of a batch, in its own way.
        case batch(BatchDefinition, [Request])
        /// A chain.
        case chain(ChainDefinition, ChainGraph)
        /// A chain that cannot be prepared.
        case unprepared(name: String, SourceLocation, RunFailure.Unprepared)
    }

    /// What is sent, in order.
    package internal(set) var parts: [Part]

    /// The secrets of its chains; targets are filled in when they are sent, and mask their own.
    package var secrets: Set<String> {
        parts.reduce(into: []) { secrets, part in
            if case .chain(_, let graph) = part { secrets.formUnion(graph.mask.secrets) }
        }
    }

    /// The number of results to expect; the steps of a chain count one each.
    package var count: Int {
        parts.reduce(0) { count, part in
            switch part {
            case .targets(let requests): count + requests.count
            case .batch(let batch, let requests):
                count + (batch.rate?.count ?? requests.count)
                    + (batch.expectations.isEmpty ? 0 : 1)
            case .chain(_, let graph): count + graph.plan.steps.count
            case .unprepared: count + 1
            }
        }
    }

    /// The names of all requests, as reports give them.
    package var names: [String] {
        parts.flatMap { part in
            switch part {
            case .targets(let requests), .batch(_, let requests): requests.map(\.name)
            case .chain(let chain, let graph): graph.plan.steps.map { "\(chain.name)/\($0.name)" }
            case .unprepared(let name, _, _): [name]
            }
        }
    }
}

extension RunPlan {
    /// Which part of a run this machine does: `2/5`.
    package struct Shard: Sendable, Hashable {
        /// From 1.
        let index: Int
        let count: Int

        /// Reads `INDEX/COUNT`; nil for anything else.
        package init?(_ text: String) {
            let numbers = text.split(separator: "/", omittingEmptySubsequences: false)
                .map { Int($0) }
            guard numbers.count == 2, let index = numbers[0], let count = numbers[1],
                (1...100_000).contains(count), (1...count).contains(index)
            else { return nil }
            (self.index, self.count) = (index, count)
        }

        func takes(_ place: Int) -> Bool { place % count == index - 1 }
    }

    /// Values that override the variables, for a request that is sent once for each row.
    package struct Row: Sendable {
        /// What reports call it.
        package let name: String
        /// The values by their names.
        package let values: [String: Value]

        /// Makes a row.
        package init(name: String, values: [String: Value]) {
            (self.name, self.values) = (name, values)
        }
    }

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - names: The names of targets (`Group/Target`, or the last part), groups, batches and chains, and tags
    ///     (`tag:smoke`); none for all targets and chains.
    ///   - workspace: The workspace.
    ///   - environment: The environment's name.
    ///   - rows: Each target is sent once for each of them; none to send it once, or for each of its own rows.
    ///   - repeats: How often everything is sent.
    ///   - shard: The part of it that is sent; nil for all.
    /// - Throws: `WorkspaceError` if a name stands for nothing.
    package init(
        of names: [String],
        in workspace: Workspace,
        _ environment: String,
        rows: [Row] = [],
        repeats: Int = 1,
        shard: Shard? = nil
    ) throws(WorkspaceError) {
        let selection = try Selection(names, in: workspace)
        var place = -1
        func isTaken() -> Bool {
            place += 1
            return shard?.takes(place) ?? true
        }
        var parts: [Part] = []
        for round in 1...max(1, repeats) {
            let suffix = repeats > 1 ? " #\(round)" : ""
            var requests: [Request] = []
            for target in selection.targets {
                for row in Self.rows(of: target, rows) where isTaken() {
                    requests.append(Request(target, row, suffix, in: workspace, environment))
                }
            }
            if !requests.isEmpty { parts.append(.targets(requests)) }
            for batch in selection.batches where isTaken() {
                parts.append(
                    .batch(batch, Self.requests(of: batch, suffix, workspace, environment))
                )
            }
            for chain in selection.chains where isTaken() {
                do throws(WorkspaceError) {
                    parts.append(.chain(chain, try workspace.graph(of: chain, in: environment)))
                } catch {
                    parts.append(
                        .unprepared(
                            name: chain.name + suffix,
                            chain.location,
                            RunFailure.Unprepared(error)
                        )
                    )
                }
            }
        }
        self.parts = parts
    }

    private static func requests(
        of batch: BatchDefinition,
        _ suffix: String,
        _ workspace: Workspace,
        _ environment: String
    ) -> [Request] {
        do throws(WorkspaceError) {
            let targets = try workspace.resolve(batch, in: environment)
            return targets.enumerated().map { index, target in
                Request(
                    name: "\(batch.name)/\(index + 1) \(target.id)\(suffix)",
                    location: workspace.definition(target.id)?.location ?? batch.location,
                    target: { .success(target) }
                )
            }
        } catch {
            return [
                Request(
                    name: batch.name + suffix,
                    location: batch.location,
                    target: { .failure(RunFailure.Unprepared(error)) }
                )
            ]
        }
    }

    /// What a target is sent once for.
    fileprivate enum Values {
        /// The variables alone.
        case variables
        /// A row of the table that the run is over.
        case given(Row)
        /// A row of its own in the file, by its index.
        case own(Int)

        /// What is after the target's name in reports.
        var suffix: String {
            switch self {
            case .variables: ""
            case .given(let row): " [\(row.name)]"
            case .own(let index): " [row \(index + 1)]"
            }
        }
    }

    /// The rows that a target is sent for: those that the run is over, or its own.
    private static func rows(of target: TargetDefinition, _ given: [Row]) -> [Values] {
        if !given.isEmpty { return given.map { .given($0) } }
        let own = target.sentRows.indices
        return own.isEmpty ? [.variables] : own.map { .own($0) }
    }

    /// The targets, batches and chains that some names stand for.
    private struct Selection {
        var targets: [TargetDefinition] = []
        var batches: [BatchDefinition] = []
        var chains: [ChainDefinition] = []

        init(_ names: [String], in workspace: Workspace) throws(WorkspaceError) {
            guard !names.isEmpty else {
                (targets, chains) = (workspace.targets, workspace.chains)
                return
            }
            var taken: Set<TargetID> = []
            for name in names {
                let found = Self.targets(named: name, in: workspace)
                let batch = workspace.batches.first { $0.name == name }
                let chain = workspace.chains.first { $0.name == name }
                guard !found.isEmpty || batch != nil || chain != nil else {
                    throw WorkspaceError(
                        noneNamed: name,
                        kind: "target, group, batch or chain",
                        among: Self.names(in: workspace)
                    )
                }
                targets += found.filter { taken.insert($0.id).inserted }
                batches += [batch].compactMap(\.self)
                chains += [chain].compactMap(\.self)
            }
        }

        /// The targets with a name, in a group of that name, or with that last part of a name.
        private static func targets(
            named name: String,
            in workspace: Workspace
        ) -> [TargetDefinition] {
            if let target = workspace.definition(TargetID(name)) { return [target] }
            if name.hasPrefix("tag:") {
                let tag = String(name.dropFirst("tag:".count))
                return workspace.targets.filter { workspace.tags(of: $0).contains(tag) }
            }
            let inGroup = workspace.targets.filter { $0.id.rawValue.hasPrefix(name + "/") }
            return inGroup.isEmpty ? workspace.targets.filter { $0.name == name } : inGroup
        }

        private static func names(in workspace: Workspace) -> [String] {
            let targets = workspace.targets.map(\.id.rawValue)
            let groups = targets.compactMap { name in
                name.lastIndex(of: "/").map { String(name[..<$0]) }
            }
            var known: Set<String> = []
            let tags = workspace.targets.flatMap { workspace.tags(of: $0) }.map { "tag:\($0)" }
            let flows = workspace.batches.map(\.name) + workspace.chains.map(\.name)
            return (targets + groups + flows + tags)
                .filter { known.insert($0).inserted }
        }
    }
}

extension RunPlan.Request {
    fileprivate init(
        _ definition: TargetDefinition,
        _ row: RunPlan.Values,
        _ suffix: String,
        in workspace: Workspace,
        _ environment: String
    ) {
        name = definition.id.rawValue + row.suffix + suffix
        location = definition.location
        target = {
            do throws(WorkspaceError) {
                switch row {
                case .variables:
                    return .success(try workspace.resolve(definition, in: environment))
                case .given(let row):
                    return .success(
                        try workspace.resolve(
                            definition,
                            in: environment,
                            row: nil,
                            captured: row.values
                        )
                    )
                case .own(let index):
                    return .success(
                        try workspace.resolve(definition, in: environment, row: index)
                    )
                }
            } catch {
                return .failure(RunFailure.Unprepared(error))
            }
        }
    }
}

extension Workspace {
    /// The tags of a target, with those of `defaults` and of its groups.
    package func tags(of target: TargetDefinition) -> [String] {
        groupLayers(of: target).reduce(defaults) { $0.overridden(by: $1.settings) }
            .overridden(by: target.ownSettings).tags
    }
}
